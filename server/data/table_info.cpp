#include "server/data/table_info.h"

#include <charconv>
#include <chrono>
#include <utility>

#include "protocol/json_writer.h"
#include "server/data/interrupt.h"
#include "server/data/json_text.h"

namespace stator::data {

namespace {

constexpr std::chrono::milliseconds kLookEvery{100};

std::uint64_t number_in(const JsonNode& object, std::string_view name) {
  const std::string_view text = number_text_in(object, name);
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool is_array(const JsonNode* node) {
  return node != nullptr && node->kind() == JsonNode::Kind::Array;
}

bool is_active(const JsonNode& table) {
  if (text_in(table, "TableStatus") != "ACTIVE") return false;
  const JsonNode* const indexes = table.find("GlobalSecondaryIndexes");
  if (!is_array(indexes)) return true;
  for (const JsonNode& index : indexes->elements()) {
    // DynamoDB Local leaves out what it has no notion of.
    const std::string_view status = text_in(index, "IndexStatus");
    if (!status.empty() && status != "ACTIVE") return false;
  }
  return true;
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
  info.size_bytes = number_in(*described, "TableSizeBytes");
  info.item_count = number_in(*described, "ItemCount");
  return info;
}

tl::expected<void, Failure> wait_active(DynamodbClient& client, std::string_view table,
                                        std::chrono::milliseconds patience) {
  const auto began = std::chrono::steady_clock::now();
  for (;;) {
    const auto answer = client.call("DescribeTable", table_body(table));
    // A table that was made a moment ago may be unknown yet.
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

std::string create_body(std::string_view table, std::string_view key) {
  std::string definitions;
  std::string schema;
  int count = 0;
  for (std::string_view rest = key; ++count <= 2;) {
    const std::string_view part = rest.substr(0, rest.find(','));
    const std::size_t colon = part.rfind(':');
    const std::string_view type = colon == std::string_view::npos ? "" : part.substr(colon + 1);
    if (colon == 0 || (type != "S" && type != "N" && type != "B")) return {};
    std::string name;
    append_json_string(name, part.substr(0, colon));
    if (count == 2) {
      definitions += ',';
      schema += ',';
    }
    definitions.append("{\"AttributeName\":").append(name).append(",\"AttributeType\":\"");
    definitions.append(type).append("\"}");
    schema.append("{\"AttributeName\":").append(name).append(",\"KeyType\":\"");
    schema.append(count == 1 ? "HASH" : "RANGE").append("\"}");
    if (part.size() == rest.size()) {
      std::string body = table_body(table);
      body.pop_back();
      body.append(R"(,"BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[)")
          .append(definitions);
      return body.append("],\"KeySchema\":[").append(schema).append("]}");
    }
    rest.remove_prefix(part.size() + 1);
  }
  return {};
}

}  // namespace stator::data
