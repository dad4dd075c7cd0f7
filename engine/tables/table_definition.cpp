#include "engine/tables/table_definition.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/call/settings.h"
#include "engine/storage/bytes/digest.h"
#include "protocol/errors/rule.h"
#include "protocol/service/limits.h"
#include "protocol/service/wording.h"
#include "protocol/shapes/shape.h"
#include "protocol/text/utf8.h"

namespace stator {
namespace {

Error out_of_bounds(std::int64_t value, std::string_view member) {
  std::string message = "Given value " + std::to_string(value) + " for ";
  return Error::validation(message.append(member).append(" is out of bounds"));
}

}  // namespace

Result<void> check_control_table_name(const JsonNode& body) {
  const auto name = string_member(body, "TableName");
  if (!name) {
    return Error::validation(
               "The parameter 'TableName' is required but was not present in the request")
        .with_rule(Rule::MemberRequired, {"TableName"});
  }
  if (utf8_length(*name) >= limits::kTableNameCharsMin) return {};
  return constraint_error("tableName", "Member must have length greater than or equal to 3", *name);
}

Result<void> parse_table_request(const JsonNode& body, const TypeSpec& shape, Call& call) {
  STATOR_CHECK(check_types(body, shape));
  STATOR_CHECK(check_control_table_name(body));
  STATOR_CHECK(check_constraints(body, shape, call.wording));
  call.table_name = *string_member(body, "TableName");
  return {};
}

Result<void> check_throughput_bounds(const JsonNode* provisioned_throughput) {
  if (provisioned_throughput == nullptr) return {};
  for (const std::string_view member : {"ReadCapacityUnits", "WriteCapacityUnits"}) {
    const std::int64_t units = integer_member(*provisioned_throughput, member).value_or(1);
    if (units > limits::kThroughputUnitsMax) return out_of_bounds(units, member);
  }
  return {};
}

Error throughput_on_demand() {
  return invalid_parameter(
             "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode "
             "is PAY_PER_REQUEST")
      .with_rule(Rule::ThroughputOmitted);
}

Result<void> check_on_demand(const JsonNode* on_demand, std::string_view of, bool allows_removal) {
  if (on_demand == nullptr) return {};
  bool is_empty = true;
  for (const std::string_view member : {"MaxReadRequestUnits", "MaxWriteRequestUnits"}) {
    const auto units = integer_member(*on_demand, member);
    if (!units) continue;
    is_empty = false;
    if (*units >= 1 || (allows_removal && *units == -1)) continue;
    std::string message = "Requested ";
    message.append(member).append(" for OnDemandThroughput for ").append(of);
    return invalid_parameter(message.append(" is outside of valid range"));
  }
  if (is_empty) return Error::internal_failure();  // the service's own response to an empty object
  return {};
}

Result<void> check_warm(const JsonNode* warm, std::string_view of, BillingMode billing_mode,
                        Throughput floor) {
  if (warm == nullptr) return {};
  const auto read = integer_member(*warm, "ReadUnitsPerSecond");
  const auto write = integer_member(*warm, "WriteUnitsPerSecond");
  if (!read && !write) return Error::internal_failure();  // as for OnDemandThroughput
  const bool read_is_low = read && *read < floor.read_units;
  if (!read_is_low && !(write && *write < floor.write_units)) return {};
  std::string message =
      read_is_low ? "Requested ReadUnitsPerSecond" : "Requested WriteUnitsPerSecond";
  message.append(" for WarmThroughput for ").append(of).append(" is lower than ");
  if (billing_mode == BillingMode::PayPerRequest) {
    return invalid_parameter(message +
                             "initial throughput for OnDemand. See: "
                             "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/"
                             "on-demand-capacity-mode.html#on-demand-capacity-mode-initial");
  }
  message += read_is_low ? "ReadCapacityUnits" : "WriteCapacityUnits";
  return invalid_parameter(message + " of ProvisionedThroughput");
}

Result<void> check_table_class(const JsonNode& body) {
  const auto text = string_member(body, "TableClass");
  if (!text || *text == to_text(TableClass::Standard) ||
      *text == to_text(TableClass::StandardInfrequentAccess))
    return {};
  return invalid_parameter(
      "Invalid table-class parameter provided. Please try again with a valid table-class value: "
      "[STANDARD, "
      "STANDARD_INFREQUENT_ACCESS].");
}

Result<void> check_encryption(const JsonNode* sse) {
  if (sse == nullptr) return {};
  const auto type = string_member(*sse, "SSEType");
  if (boolean_member(*sse, "Enabled").value_or(false)) {
    // Only KMS is supported; our own wording.
    if (type == "AES256") return invalid_parameter("SSEType AES256 is not supported");
    return {};
  }
  if (type) return invalid_parameter("SSEType can not be specified if Enabled is false");
  if (sse->find("KMSMasterKeyId") != nullptr)
    return invalid_parameter("KMSMasterKeyId can not be specified if Enabled is false");
  return {};
}

namespace {

// Stator has no key service. It derives the id of an alias's key from the alias, so that the id is
// the same in every process.
class AliasedKey final : public Random {
 public:
  explicit AliasedKey(std::string_view alias_arn) {
    storage::Digest digest;
    digest.add(alias_arn);
    digest_ = digest.finish();
  }
  std::uint64_t next() override {
    std::uint64_t number = 0;
    std::memcpy(&number, digest_.data() + position_, sizeof number);
    position_ = (position_ + sizeof number) % digest_.size();
    return number;
  }

 private:
  std::array<char, storage::kDigestBytes> digest_;
  std::size_t position_ = 0;
};

// The ARN of the key that an alias stands for; the ARN of a key is returned unchanged.
std::string resolve_alias(const std::string& arn) {
  const auto alias = arn.find(":alias/");
  if (alias == std::string::npos) return arn;
  return arn.substr(0, alias) + ":key/" + AliasedKey(arn).uuid();
}

}  // namespace

std::optional<Encryption> build_encryption(const JsonNode* sse, const Call& call, Random& random) {
  if (sse == nullptr || !boolean_member(*sse, "Enabled").value_or(false)) return std::nullopt;
  const std::string prefix =
      "arn:aws:kms:" + std::string(call.caller.region) + ":" + call.settings->account_id + ":";
  const auto key = string_member(*sse, "KMSMasterKeyId");
  if (!key) return Encryption{prefix + "key/" + random.uuid(), {}};
  if (key->starts_with("arn:")) return Encryption{resolve_alias(std::string(*key)), {}};
  const bool is_alias = key->starts_with("alias/");
  return Encryption{resolve_alias(prefix + (is_alias ? "" : "key/") + std::string(*key)), {}};
}

std::vector<KeyAttribute> build_definitions(std::span<const JsonNode> definitions) {
  std::vector<KeyAttribute> result;
  for (const JsonNode& definition : definitions) {
    const std::string_view type = *string_member(definition, "AttributeType");
    result.push_back({std::string(*string_member(definition, "AttributeName")),
                      type == "S" ? Type::S : (type == "N" ? Type::N : Type::B)});
  }
  return result;
}

Throughput build_throughput(const JsonNode* provisioned_throughput) {
  if (provisioned_throughput == nullptr) return {};
  return {integer_member(*provisioned_throughput, "ReadCapacityUnits").value_or(0),
          integer_member(*provisioned_throughput, "WriteCapacityUnits").value_or(0)};
}

OnDemandThroughput build_on_demand(const JsonNode* on_demand) {
  if (on_demand == nullptr) return {};
  return {integer_member(*on_demand, "MaxReadRequestUnits"),
          integer_member(*on_demand, "MaxWriteRequestUnits")};
}

Throughput build_warm(const JsonNode* warm, BillingMode billing_mode, Throughput provisioned) {
  const Throughput start = warm_at_least(billing_mode, provisioned);
  if (warm == nullptr) return start;
  return {integer_member(*warm, "ReadUnitsPerSecond").value_or(start.read_units),
          integer_member(*warm, "WriteUnitsPerSecond").value_or(start.write_units)};
}

TableClass build_table_class(std::string_view text) {
  return text == to_text(TableClass::Standard) ? TableClass::Standard
                                               : TableClass::StandardInfrequentAccess;
}

StreamViewType build_stream_view_type(std::string_view text) {
  for (const StreamViewType type :
       {StreamViewType::KeysOnly, StreamViewType::NewImage, StreamViewType::OldImage}) {
    if (text == to_text(type)) return type;
  }
  return StreamViewType::NewAndOldImages;
}

namespace {

const KeyAttribute& definition_of(const Table& table, std::string_view name) {
  return *std::find_if(table.attribute_definitions.begin(), table.attribute_definitions.end(),
                       [&](const KeyAttribute& definition) { return definition.name == name; });
}

template <class Index>
Index build_index(const JsonNode& node, const Table& table) {
  Index index;
  index.name = *string_member(node, "IndexName");
  for (const JsonNode& element : list_member(node, "KeySchema")) {
    auto& keys =
        *string_member(element, "KeyType") == "HASH" ? index.partition_keys : index.sort_keys;
    keys.push_back(definition_of(table, *string_member(element, "AttributeName")));
  }
  const JsonNode& projection = *node.find("Projection");
  const std::string_view type = *string_member(projection, "ProjectionType");
  index.projection.type =
      type == "ALL" ? ProjectionType::All
                    : (type == "INCLUDE" ? ProjectionType::Include : ProjectionType::KeysOnly);
  for (const JsonNode& name : list_member(projection, "NonKeyAttributes")) {
    index.projection.non_key_attributes.emplace_back(name.text());
  }
  return index;
}

}  // namespace

void build_keys_and_indexes(const JsonNode& body, Table& table) {
  table.attribute_definitions = build_definitions(list_member(body, "AttributeDefinitions"));
  const auto keys = list_member(body, "KeySchema");
  table.partition_key = definition_of(table, *string_member(keys[0], "AttributeName"));
  if (keys.size() > 1)
    table.sort_key = definition_of(table, *string_member(keys[1], "AttributeName"));
  for (const JsonNode& node : list_member(body, "LocalSecondaryIndexes")) {
    table.local_indexes.push_back(build_index<LocalIndex>(node, table));
  }
  for (const JsonNode& node : list_member(body, "GlobalSecondaryIndexes"))
    table.global_indexes.push_back(build_global_index(node, table));
}

GlobalIndex build_global_index(const JsonNode& node, const Table& table) {
  GlobalIndex index = build_index<GlobalIndex>(node, table);
  index.throughput = build_throughput(node.find("ProvisionedThroughput"));
  index.on_demand = build_on_demand(node.find("OnDemandThroughput"));
  index.warm =
      build_warm(node.find("WarmThroughput"), table.settings.billing_mode, index.throughput);
  return index;
}

}  // namespace stator
