#include "server/templates/sources/provider_table.h"

#include <algorithm>
#include <array>
#include <utility>

#include "protocol/json/json_node_text.h"
#include "protocol/json/json_reader.h"
#include "server/templates/drafts/composer.h"
#include "server/templates/tree/node_values.h"

namespace stator::templates {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

std::string camel_case(std::string_view name) {
  std::string camel;
  bool is_upper = false;
  for (const char c : name) {
    if (c == '_') {
      is_upper = true;
      continue;
    }
    camel += is_upper ? static_cast<char>(c - 'a' + 'A') : c;
    is_upper = false;
  }
  if (name == "attribute" || name == "replica" || name == "key_schema") camel += "s";
  if (name.ends_with("_index")) camel += "es";
  return camel;
}

// Two numbers of a block with other names.
void add_pair(const Composer& composer, std::vector<Member>& members, std::string_view name,
              const ProviderValues& values, Pair first, Pair second) {
  const Node* const one = values.find(first.second);
  const Node* const other = values.find(second.second);
  if (one == nullptr && other == nullptr) return;
  members.push_back(composer.member(name, composer.pair(first.first, one, second.first, other)));
}

void add_on_demand(const Composer& composer, std::vector<Member>& members,
                   const ProviderValues& values) {
  if (const Node* const block = values.block("on_demand_throughput"))
    add_pair(composer, members, "OnDemandThroughput", values.inside(*block),
             {"MaxReadRequestUnits", "max_read_request_units"},
             {"MaxWriteRequestUnits", "max_write_request_units"});
  if (const Node* const block = values.block("warm_throughput"))
    add_pair(composer, members, "WarmThroughput", values.inside(*block),
             {"ReadUnitsPerSecond", "read_units_per_second"},
             {"WriteUnitsPerSecond", "write_units_per_second"});
}

// Throughput of the table or an index.
void add_throughput_of(const Composer& composer, std::vector<Member>& members,
                       const ProviderValues& values, bool is_provisioned) {
  if (is_provisioned)
    add_pair(composer, members, "ProvisionedThroughput", values,
             {"ReadCapacityUnits", "read_capacity"}, {"WriteCapacityUnits", "write_capacity"});
  add_on_demand(composer, members, values);
}

// Keys by hash_key and range_key, or by blocks key_schema of newer providers.
Node keys_of(const Composer& composer, const ProviderValues& values, std::string_view table_hash) {
  const Node* const blocks = values.find("key_schema");
  if (blocks != nullptr && !blocks->elements().empty()) {
    std::vector<Node> keys;
    for (const Node& block : blocks->elements()) {
      const ProviderValues key = values.inside(block);
      keys.push_back(
          composer.attribute(key.text("attribute_name"), "KeyType", key.text("key_type")));
    }
    return composer.list(keys);
  }
  const std::string_view hash = values.text("hash_key");
  return composer.key_schema(hash.empty() ? table_hash : hash, values.text("range_key"));
}

void add_indexes(Forest& forest, std::vector<Member>& members, std::string_view name,
                 std::string_view there, const ProviderValues& values, bool is_provisioned) {
  const Node* const blocks = values.find(there);
  if (blocks == nullptr) return;
  const bool is_local = there == "local_secondary_index";
  const Composer outer(forest, blocks->spot());
  std::vector<Node> indexes;
  for (const Node& block : blocks->elements()) {
    const Composer composer(forest, block.spot());
    const ProviderValues index = values.inside(block);
    std::vector<Member> parts = {
        composer.member("IndexName", composer.text(index.text("name"))),
        composer.member("KeySchema", keys_of(composer, index, values.text("hash_key")))};
    std::vector<Member> projection = {
        composer.member("ProjectionType", composer.text(index.text("projection_type")))};
    const Node* const others = index.find("non_key_attributes");
    if (others != nullptr && !others->elements().empty())
      projection.push_back(composer.member("NonKeyAttributes", *others));
    parts.push_back(composer.member("Projection", composer.map(projection)));
    if (!is_local) add_throughput_of(composer, parts, index, is_provisioned);
    indexes.push_back(composer.map(parts));
  }
  members.push_back(outer.member(name, outer.list(indexes)));
}

void add_settings(const Composer& composer, std::vector<Member>& members,
                  const ProviderValues& values) {
  if (values.is_true("stream_enabled"))
    members.push_back(composer.member(
        "StreamSpecification",
        composer.map(
            {composer.member("StreamViewType", composer.text(values.text("stream_view_type")))})));
  const Node* const ttl = values.block("ttl");
  if (ttl != nullptr && values.inside(*ttl).is_true("enabled"))
    members.push_back(composer.member(
        "TimeToLiveSpecification",
        composer.map({composer.member("Enabled", composer.truth(true)),
                      composer.member("AttributeName", composer.text(values.inside(*ttl).text(
                                                           "attribute_name")))})));
  if (const Node* const block = values.block("point_in_time_recovery")) {
    const ProviderValues recovery = values.inside(*block);
    std::vector<Member> parts = {
        composer.member("PointInTimeRecoveryEnabled", composer.truth(recovery.is_true("enabled")))};
    if (const Node* const days = recovery.find("recovery_period_in_days"))
      parts.push_back(composer.member("RecoveryPeriodInDays", *days));
    members.push_back(composer.member("PointInTimeRecoverySpecification", composer.map(parts)));
  }
  const Node* const encryption = values.block("server_side_encryption");
  if (encryption != nullptr && values.inside(*encryption).is_true("enabled")) {
    std::vector<Member> parts = {composer.member("SSEEnabled", composer.truth(true))};
    const std::string_view key = values.inside(*encryption).text("kms_key_arn");
    if (!key.empty()) parts.push_back(composer.member("KMSMasterKeyId", composer.text(key)));
    members.push_back(composer.member("SSESpecification", composer.map(parts)));
  }
  if (values.is_true("deletion_protection_enabled"))
    members.push_back(composer.member("DeletionProtectionEnabled", composer.truth(true)));
  const std::string_view table_class = values.text("table_class");
  if (!table_class.empty())
    members.push_back(composer.member("TableClass", composer.text(table_class)));
}

void add_tags(const Composer& composer, std::vector<Member>& members,
              const ProviderValues& values) {
  const Node* const tags = values.find("tags");
  if (tags == nullptr) return;
  std::vector<Node> list;
  for (const Member& tag : tags->members())
    list.push_back(composer.map({composer.member("Key", composer.text(tag.name)),
                                 composer.member("Value", composer.text(tag.value.text()))}));
  members.push_back(composer.member("Tags", composer.list(list)));
}

void add_definitions(Forest& forest, std::vector<Member>& members, const ProviderValues& values) {
  const Node* const attributes = values.find("attribute");
  if (attributes == nullptr) return;
  const Composer composer(forest, attributes->spot());
  std::vector<Node> definitions;
  for (const Node& block : attributes->elements()) {
    const ProviderValues attribute = values.inside(block);
    definitions.push_back(
        composer.attribute(attribute.text("name"), "AttributeType", attribute.text("type")));
  }
  members.push_back(composer.member("AttributeDefinitions", composer.list(definitions)));
}

// Reports what is known after an apply only. Returns whether nothing is.
bool check_known(TableDraft& draft, const ProviderValues& values) {
  bool is_known = true;
  for (const std::string_view name :
       {"name", "hash_key", "range_key", "attribute", "billing_mode", "global_secondary_index",
        "local_secondary_index", "tags", "stream_enabled"}) {
    if (!values.is_unknown(name)) continue;
    draft.mistake(draft.spot(), name,
                  "it is known after an apply only; apply it, or write the value");
    is_known = false;
  }
  return is_known;
}

// Among the tables of a file, the first of which is `first`.
auto find_table(Reading& reading, std::size_t first, std::string_view name) {
  return std::find_if(reading.tables.begin() + static_cast<std::ptrdiff_t>(first),
                      reading.tables.end(),
                      [&](const DesiredTable& one) { return one.name == name; });
}

}  // namespace

const Node* ProviderValues::find(std::string_view name) const {
  return is_camel ? values.find(camel_case(name)) : values.find(name);
}

const Node* ProviderValues::block(std::string_view name) const {
  const Node* const found = find(name);
  if (found == nullptr || !found->is_list()) return found;
  return found->elements().empty() ? nullptr : found->elements().data();
}

std::string_view ProviderValues::text(std::string_view name) const {
  const Node* const found = find(name);
  return found == nullptr ? std::string_view{} : found->text();
}

bool ProviderValues::is_true(std::string_view name) const {
  const Node* const found = find(name);
  return found != nullptr && boolean_of(*found).value_or(false);
}

bool ProviderValues::is_unknown(std::string_view name) const {
  const Node* const found = unknown == nullptr ? nullptr : unknown->find(name);
  return found != nullptr && found->is_scalar() && found->text() == "true";
}

void read_provider_table(Reading& reading, Forest& forest, std::string_view address, Spot spot,
                         const ProviderValues& values) {
  TableDraft draft(reading, forest, std::string(address), spot);
  if (!check_known(draft, values)) return;
  if (values.text("name").empty()) return draft.mistake(spot, "name", "it is missing");
  draft.set_name(values.text("name"));
  const Composer composer(forest, spot);
  const std::string_view mode = values.text("billing_mode");
  const bool is_provisioned = mode != "PAY_PER_REQUEST";
  std::vector<Member> members;
  add_definitions(forest, members, values);
  members.push_back(composer.member("KeySchema", keys_of(composer, values, {})));
  members.push_back(
      composer.member("BillingMode", composer.text(is_provisioned ? "PROVISIONED" : mode)));
  add_throughput_of(composer, members, values, is_provisioned);
  add_indexes(forest, members, "GlobalSecondaryIndexes", "global_secondary_index", values,
              is_provisioned);
  add_indexes(forest, members, "LocalSecondaryIndexes", "local_secondary_index", values, false);
  add_settings(composer, members, values);
  add_tags(composer, members, values);
  for (const std::string_view other : {"replica", "global_table_witness", "import_table",
                                       "restore_source_name", "restore_source_table_arn"})
    if (values.block(other) != nullptr && !values.block(other)->is_null()) draft.leave_out(other);
  draft.add_properties(composer.map(members));
  draft.finish();
}

void read_provider_destination(Reading& reading, std::size_t first, const ProviderValues& values) {
  const auto table = find_table(reading, first, values.text("table_name"));
  if (table == reading.tables.end()) return;
  const std::string_view stream = values.text("stream_arn");
  if (stream.empty()) {  // known after an apply only, as that of a stream of the same plan
    table->left_out.emplace_back("kinesis_streaming_destination");
    return;
  }
  table->kinesis = DesiredKinesis{
      std::string(stream), std::string(values.text("approximate_creation_date_time_precision"))};
}

void read_provider_item(Reading& reading, const Forest& forest, std::size_t first,
                        std::string_view address, Spot spot, const ProviderValues& values) {
  const auto fail = [&](std::string_view text) {
    reading.mistakes.push_back(forest.mistake(spot, compose({address, ": ", text})));
  };
  const std::string_view name = values.text("table_name");
  const auto table = find_table(reading, first, name);
  if (name.empty()) return fail("table_name is missing or known after an apply only");
  if (table == reading.tables.end())
    return fail(compose({"its table ", name, " is not in this file"}));
  std::string text(values.text("item"));
  if (text.empty()) return fail("item is missing or known after an apply only");
  Arena arena;
  const auto item = read_json(text, arena);
  if (!item || item->kind() != JsonNode::Kind::Object) return fail("item is no JSON object");
  append_node_json(table->items.emplace_back(), *item);
}

}  // namespace stator::templates
