#include "server/data/transfer/table_info.h"

#include <chrono>
#include <utility>

#include "protocol/json/json_writer.h"
#include "server/data/transfer/interrupt.h"
#include "server/data/transfer/json_text.h"
#include "server/options/server_address.h"

namespace stator::data {

namespace {

constexpr std::chrono::milliseconds kLookEvery{100};

bool is_array(const JsonNode* node) {
  return node != nullptr && node->kind() == JsonNode::Kind::Array;
}

bool is_active(const JsonNode& table) {
  if (text_in(table, "TableStatus") != "ACTIVE") return false;
  const JsonNode* const indexes = table.find("GlobalSecondaryIndexes");
  if (!is_array(indexes)) return true;
  for (const JsonNode& index : indexes->elements()) {
    // DynamoDB Local omits members that it does not know.
    const std::string_view status = text_in(index, "IndexStatus");
    if (!status.empty() && status != "ACTIVE") return false;
  }
  return true;
}

void add_indexes(const JsonNode& table, std::string_view member, bool is_local,
                 std::vector<IndexInfo>& indexes) {
  const JsonNode* const listed = table.find(member);
  if (!is_array(listed)) return;
  for (const JsonNode& node : listed->elements()) {
    const bool is_object = node.kind() == JsonNode::Kind::Object;
    const JsonNode* const keys = is_object ? node.find("KeySchema") : nullptr;
    if (!is_array(keys)) continue;
    IndexInfo& index = indexes.emplace_back();
    index.name = text_in(node, "IndexName");
    index.is_local = is_local;
    for (const JsonNode& key : keys->elements()) {
      const bool is_partition = text_in(key, "KeyType") == "HASH";
      (is_partition ? index.partition_keys : index.sort_keys)
          .emplace_back(text_in(key, "AttributeName"));
    }
  }
}

void write_keys(JsonWriter& json, const std::vector<std::string>& names) {
  json.key("KeySchema");
  json.begin_array();
  for (const std::string& name : names) {
    json.begin_object();
    json.member("AttributeName", name);
    json.member("KeyType", &name == &names.front() ? "HASH" : "RANGE");
    json.end_object();
  }
  json.end_array();
}

void write_global_indexes(JsonWriter& json, const std::vector<IndexInfo>& indexes) {
  if (indexes.empty()) return;
  json.key("GlobalSecondaryIndexes");
  json.begin_array();
  for (const IndexInfo& index : indexes) {
    json.begin_object();
    json.member("IndexName", index.name);
    std::vector<std::string> keys = index.partition_keys;
    keys.insert(keys.end(), index.sort_keys.begin(), index.sort_keys.end());
    write_keys(json, keys);
    json.key("Projection");
    json.begin_object();
    json.member("ProjectionType", "ALL");
    json.end_object();
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string table_body(std::string_view table) {
  std::string body = "{\"TableName\":";
  append_json_string(body, table);
  return body + "}";
}

tl::expected<TableInfo, Failure> describe_table(DynamodbClient& client, std::string_view table) {
  const auto answer = client.call("DescribeTable", table_body(table));
  if (!answer) return tl::unexpected(answer.error());
  const JsonNode* const described = answer->find("Table");
  const JsonNode* const keys = described != nullptr ? described->find("KeySchema") : nullptr;
  const JsonNode* const types =
      described != nullptr ? described->find("AttributeDefinitions") : nullptr;
  if (!is_array(keys) || !is_array(types)) {
    return tl::unexpected(Failure{
        "", address_text(client.endpoint().server) + ": its answer to DescribeTable has no keys"});
  }
  TableInfo info;
  for (const JsonNode& key : keys->elements()) {
    info.keys.emplace(text_in(key, "KeyType") == "HASH" ? info.keys.begin() : info.keys.end(),
                      text_in(key, "AttributeName"));
  }
  for (const JsonNode& type : types->elements())
    info.types[std::string(text_in(type, "AttributeName"))] = text_in(type, "AttributeType");
  for (const std::string& key : info.keys) info.types.try_emplace(key, "S");
  info.arn = text_in(*described, "TableArn");
  info.id = text_in(*described, "TableId");
  info.size_bytes = count_in(*described, "TableSizeBytes");
  info.item_count = count_in(*described, "ItemCount");
  info.status = text_in(*described, "TableStatus");
  const JsonNode* const billing = described->find("BillingModeSummary");
  info.is_on_demand = billing != nullptr && billing->kind() == JsonNode::Kind::Object &&
                      text_in(*billing, "BillingMode") == "PAY_PER_REQUEST";
  add_indexes(*described, "GlobalSecondaryIndexes", false, info.indexes);
  add_indexes(*described, "LocalSecondaryIndexes", true, info.indexes);
  return info;
}

tl::expected<void, Failure> wait_active(DynamodbClient& client, std::string_view table,
                                        std::chrono::milliseconds patience) {
  const auto began = std::chrono::steady_clock::now();
  for (;;) {
    const auto answer = client.call("DescribeTable", table_body(table));
    // The endpoint may not know a new table for a moment.
    if (!answer && answer.error().code != kNoTable) return tl::unexpected(answer.error());
    const JsonNode* const described = answer ? answer->find("Table") : nullptr;
    if (described != nullptr && is_active(*described)) return {};
    const auto waited = std::chrono::steady_clock::now() - began;
    if (std::chrono::duration_cast<std::chrono::milliseconds>(waited) >= patience)
      return tl::unexpected(Failure{"", "it is not ACTIVE after " + wait_text(patience)});
    if (wait_interrupted(kLookEvery)) return tl::unexpected(Failure{"", "interrupted"});
  }
}

std::chrono::milliseconds active_patience(const DynamodbClient& client) {
  return 5 * client.endpoint().server.timeout;
}

tl::expected<void, Failure> remove_table(DynamodbClient& client, std::string_view table) {
  for (;;) {
    const auto answer = client.call("DescribeTable", table_body(table));
    if (!answer && answer.error().code == kNoTable) return {};
    if (!answer) return tl::unexpected(answer.error());
    const JsonNode* const described = answer->find("Table");
    if (described != nullptr && is_active(*described)) {
      const JsonNode* const protection = described->find("DeletionProtectionEnabled");
      const bool is_protected = protection != nullptr && protection->kind() == JsonNode::Kind::True;
      std::string body = table_body(table);
      if (is_protected) body.replace(body.size() - 1, 1, ",\"DeletionProtectionEnabled\":false}");
      const auto done = client.call(is_protected ? "UpdateTable" : "DeleteTable", body);
      if (!done && done.error().code != kNoTable) return tl::unexpected(done.error());
    } else if (wait_interrupted(kLookEvery)) {
      return tl::unexpected(Failure{"", "interrupted"});
    }
  }
}

std::optional<TableInfo> info_of_key(std::string_view key) {
  TableInfo info;
  for (std::string_view rest = key;;) {
    const std::string_view part = rest.substr(0, rest.find(','));
    const std::size_t colon = part.rfind(':');
    const std::string_view type = colon == std::string_view::npos ? "" : part.substr(colon + 1);
    if (colon == 0 || (type != "S" && type != "N" && type != "B")) return std::nullopt;
    info.keys.emplace_back(part.substr(0, colon));
    info.types[info.keys.back()] = type;
    if (part.size() == rest.size()) return info;
    if (info.keys.size() == 2) return std::nullopt;
    rest.remove_prefix(part.size() + 1);
  }
}

std::string create_body(std::string_view table, const TableInfo& info, std::string_view stream) {
  std::string body;
  JsonWriter json{body};
  json.begin_object();
  json.member("TableName", table);
  json.member("BillingMode", "PAY_PER_REQUEST");
  json.key("AttributeDefinitions");
  json.begin_array();
  for (const auto& [name, type] : info.types) {
    json.begin_object();
    json.member("AttributeName", name);
    json.member("AttributeType", type);
    json.end_object();
  }
  json.end_array();
  write_keys(json, info.keys);
  write_global_indexes(json, info.indexes);
  if (!stream.empty()) {
    json.key("StreamSpecification");
    json.begin_object();
    json.key("StreamEnabled");
    json.raw("true");
    json.member("StreamViewType", stream);
    json.end_object();
  }
  json.end_object();
  return body;
}

}  // namespace stator::data
