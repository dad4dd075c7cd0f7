#include "server/data/transfer/table_schema.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "protocol/json/json_mistake.h"
#include "protocol/json/json_reader.h"
#include "protocol/json/json_writer.h"
#include "server/data/transfer/json_text.h"
#include "server/data/transfer/page_cycle.h"
#include "server/data/transfer/table_info.h"

namespace stator::data {

namespace {

using Kind = JsonNode::Kind;
using Names = std::initializer_list<std::string_view>;

constexpr std::size_t kTagsMax = 50;

// Whether the endpoint lacks the operation.
bool is_unknown_there(const Failure& failure) {
  return failure.code == "UnknownOperationException" || failure.code == "AccessDeniedException";
}

bool is_on_demand_limit(const JsonMember& member) {
  return (member.name == "MaxReadRequestUnits" || member.name == "MaxWriteRequestUnits") &&
         member.value.kind() == Kind::Integer;
}

// -1 in a description means no limit. CreateTable refuses it.
bool is_no_limit(const JsonMember& member) {
  if (is_on_demand_limit(member)) return member.value.text() == "-1";
  if (member.name != "OnDemandThroughput" || member.value.kind() != Kind::Object) return false;
  const auto limits = member.value.members();
  return !limits.empty() && std::all_of(limits.begin(), limits.end(), is_no_limit);
}

// Appends the node without limits of -1, also in indexes.
void append_limited(std::string& out, const JsonNode& node) {
  if (node.kind() == Kind::Array) {
    out += '[';
    for (const JsonNode& element : node.elements()) {
      if (out.back() != '[') out += ',';
      append_limited(out, element);
    }
    out += ']';
    return;
  }
  if (node.kind() != Kind::Object) return append_node_json(out, node);
  out += '{';
  for (const JsonMember& member : node.members()) {
    if (is_no_limit(member)) continue;
    if (out.back() != '{') out += ',';
    append_json_string(out, member.name);
    out += ':';
    append_limited(out, member.value);
  }
  out += '}';
}

// Copies members of an object by name, without limits of -1.
void copy_members(JsonWriter& json, const JsonNode& object, const Names names) {
  for (const std::string_view name : names) {
    const JsonNode* const member = object.find(name);
    if (member == nullptr || is_no_limit({name, *member})) continue;
    std::string text;
    append_limited(text, *member);
    json.key(name);
    json.raw(text);
  }
}

// Provisioned throughput without read-only members.
void write_throughput(JsonWriter& json, const JsonNode& object) {
  const JsonNode* const throughput = object.find("ProvisionedThroughput");
  if (throughput == nullptr) return;
  json.key("ProvisionedThroughput");
  json.begin_object();
  copy_members(json, *throughput, {"ReadCapacityUnits", "WriteCapacityUnits"});
  json.end_object();
}

void write_indexes(JsonWriter& json, const JsonNode& table, std::string_view name,
                   bool has_throughput) {
  const JsonNode* const indexes = table.find(name);
  if (indexes == nullptr || indexes->kind() != Kind::Array || indexes->elements().empty()) return;
  json.key(name);
  json.begin_array();
  for (const JsonNode& index : indexes->elements()) {
    json.begin_object();
    copy_members(json, index, {"IndexName", "KeySchema", "Projection"});
    if (has_throughput) write_throughput(json, index);
    if (!has_throughput) copy_members(json, index, {"OnDemandThroughput"});
    json.end_object();
  }
  json.end_array();
}

// `name` is the new table's; empty: the name in the description.
std::string create_body_of(const JsonNode& table, const std::string& tags,
                           std::string_view name = {}) {
  std::string body;
  JsonWriter json{body};
  json.begin_object();
  json.member("TableName", name.empty() ? text_in(table, "TableName") : name);
  copy_members(json, table, {"AttributeDefinitions", "KeySchema"});
  const JsonNode* const billing = table.find("BillingModeSummary");
  const bool is_provisioned =
      billing == nullptr || text_in(*billing, "BillingMode") != "PAY_PER_REQUEST";
  json.member("BillingMode", is_provisioned ? "PROVISIONED" : "PAY_PER_REQUEST");
  if (is_provisioned) write_throughput(json, table);
  if (!is_provisioned) copy_members(json, table, {"OnDemandThroughput"});
  // Local indexes have no throughput of their own.
  write_indexes(json, table, "LocalSecondaryIndexes", false);
  write_indexes(json, table, "GlobalSecondaryIndexes", is_provisioned);
  const JsonNode* const stream = table.find("StreamSpecification");
  const JsonNode* const enabled = stream != nullptr ? stream->find("StreamEnabled") : nullptr;
  if (enabled != nullptr && enabled->kind() == Kind::True)
    copy_members(json, table, {"StreamSpecification"});
  const JsonNode* const table_class = table.find("TableClassSummary");
  if (table_class != nullptr) copy_members(json, *table_class, {"TableClass"});
  copy_members(json, table, {"DeletionProtectionEnabled"});
  if (!tags.empty()) {
    json.key("Tags");
    json.raw("[" + tags + "]");
  }
  json.end_object();
  return body;
}

struct Tags {
  std::string json;  // the elements of Tags
  bool are_known = true;
  bool has_seeding_tag = false;
};

// Omits tags of AWS, which cannot be set, and the seed's.
tl::expected<Tags, Failure> read_tags(const Ask& ask, const std::string& arn) {
  Tags tags;
  const auto read = each_tag(ask, arn, [&tags](const JsonNode& tag) {
    const std::string_view key = text_in(tag, "Key");
    if (key == kSeedingTag) tags.has_seeding_tag = true;
    if (key.starts_with("aws:") || key == kSeedingTag) return;
    if (!tags.json.empty()) tags.json += ',';
    append_node_json(tags.json, tag);
  });
  if (!read) return tl::unexpected(read.error());
  tags.are_known = *read;
  return tags;
}

struct TimeToLive {
  std::string attribute;  // empty: off
  bool is_known = true;
};

tl::expected<TimeToLive, Failure> read_ttl(const Ask& ask, std::string_view table) {
  const auto answer = ask("DescribeTimeToLive", table_body(table));
  if (!answer && is_unknown_there(answer.error())) return TimeToLive{"", false};
  if (!answer) return tl::unexpected(answer.error());
  const JsonNode* const told = answer->find("TimeToLiveDescription");
  if (told == nullptr || !text_in(*told, "TimeToLiveStatus").starts_with("ENABL"))
    return TimeToLive{};
  return TimeToLive{std::string(text_in(*told, "AttributeName"))};
}

}  // namespace

Ask asking(DynamodbClient& client) {
  return [&client](std::string_view operation, std::string_view body) {
    return client.call(operation, body);
  };
}

tl::expected<bool, Failure> each_tag(const Ask& ask, const std::string& arn,
                                     const std::function<void(const JsonNode&)>& show) {
  PageCycle cycle;
  std::string token;
  do {
    std::string body;
    JsonWriter json{body};
    json.begin_object();
    json.member("ResourceArn", arn);
    if (!token.empty()) json.member("NextToken", token);
    json.end_object();
    const auto answer = ask("ListTagsOfResource", body);
    if (!answer && is_unknown_there(answer.error())) return false;
    if (!answer) return tl::unexpected(answer.error());
    const JsonNode* const found = answer->find("Tags");
    if (found != nullptr && found->kind() == Kind::Array)
      for (const JsonNode& tag : found->elements()) show(tag);
    token = text_in(*answer, "NextToken");
    if (!token.empty() && cycle.returns_to(token))
      return tl::unexpected(Failure{"", kEndlessPages});
  } while (!token.empty());
  return true;
}

tl::expected<std::string, std::string> with_tag(const std::string& create_body,
                                                std::string_view key) {
  Arena arena;
  std::string text = create_body;
  const auto read = read_json(text, arena);
  if (!read || read->kind() != Kind::Object)
    return tl::unexpected(std::string("it is no JSON object"));
  const JsonNode* const tags = read->find("Tags");
  const bool has_tags = tags != nullptr && tags->kind() == Kind::Array;
  if (has_tags && tags->elements().size() >= kTagsMax)
    return tl::unexpected("it has more than " + std::to_string(kTagsMax - 1) + " tags");
  // Leaves errors to the endpoint.
  if (tags != nullptr && !has_tags && !tags->is_null()) return create_body;
  std::string body;
  JsonWriter json{body};
  json.begin_object();
  for (const JsonMember& member : read->members())
    if (member.name != "Tags") copy_members(json, *read, {member.name});
  json.key("Tags");
  json.begin_array();
  json.begin_object();
  json.member("Key", key);
  json.member("Value", "");
  json.end_object();
  if (has_tags) {
    for (const JsonNode& tag : tags->elements()) {
      std::string element;
      append_node_json(element, tag);
      json.raw(element);
    }
  }
  json.end_array();
  json.end_object();
  return body;
}

tl::expected<TableSchema, Failure> read_schema(DynamodbClient& client, std::string_view table,
                                               std::string_view new_name) {
  const auto info = describe_table(client, table);
  if (!info) return tl::unexpected(info.error());
  return read_schema(asking(client), table, info->arn, new_name);
}

tl::expected<TableSchema, Failure> read_schema(const Ask& ask, std::string_view table,
                                               const std::string& arn, std::string_view new_name) {
  auto tags = read_tags(ask, arn);
  if (!tags) return tl::unexpected(std::move(tags).error());
  auto ttl = read_ttl(ask, table);
  if (!ttl) return tl::unexpected(std::move(ttl).error());
  const auto answer = ask("DescribeTable", table_body(table));
  if (!answer) return tl::unexpected(answer.error());
  const JsonNode* const whole = answer->find("Table");
  if (whole == nullptr || whole->kind() != Kind::Object)
    return tl::unexpected(Failure{"", "the endpoint's answer to DescribeTable has no table"});
  return TableSchema{create_body_of(*whole, tags->json, new_name), std::move(ttl->attribute),
                     tags->are_known, ttl->is_known, tags->has_seeding_tag};
}

tl::expected<TableSchema, std::string> parse_schema(const std::string& text,
                                                    std::string_view name) {
  Arena arena;
  std::string unescaped = text;
  std::size_t error_at = 0;
  const auto read = read_json(unescaped, arena, &error_at);
  if (!read) return tl::unexpected("it is no JSON" + json_mistake_at(text, error_at));
  if (read->kind() != Kind::Object) return tl::unexpected(std::string("it is no JSON object"));
  const JsonNode* const described = read->find("Table");
  const JsonNode& table = described != nullptr ? *described : *read;
  const std::string_view told = text_in(table, "TableName");
  if (!told.empty() && told != name)
    return tl::unexpected("it is of table '" + std::string(told) + "', its name is of another");
  TableSchema schema;
  if (described != nullptr) {
    schema.create_body = create_body_of(table, {});
    return schema;
  }
  JsonWriter json{schema.create_body};
  json.begin_object();
  json.member("TableName", std::string(name));
  for (const JsonMember& member : table.members()) {
    const bool is_apart = member.name == "TableName" || member.name == "TimeToLiveSpecification" ||
                          member.name == "PointInTimeRecoverySpecification" ||
                          member.name == "KinesisStreamSpecification";
    if (!is_apart) copy_members(json, table, {member.name});
  }
  json.end_object();
  const JsonNode* const ttl = table.find("TimeToLiveSpecification");
  const JsonNode* const enabled = ttl != nullptr ? ttl->find("Enabled") : nullptr;
  if (enabled != nullptr && enabled->kind() == Kind::True)
    schema.ttl_attribute = text_in(*ttl, "AttributeName");
  if (const JsonNode* const recovery = table.find("PointInTimeRecoverySpecification"))
    append_node_json(schema.recovery, *recovery);
  if (const JsonNode* const kinesis = table.find("KinesisStreamSpecification"))
    append_node_json(schema.kinesis, *kinesis);
  return schema;
}

tl::expected<void, Failure> make_table(DynamodbClient& client, std::string_view table,
                                       const TableSchema& schema) {
  const auto made = client.call("CreateTable", schema.create_body);
  if (!made) return tl::unexpected(made.error());
  return wait_active(client, table, active_patience(client));
}

tl::expected<void, Failure> enable_ttl(DynamodbClient& client, std::string_view table,
                                       std::string_view attribute) {
  if (attribute.empty()) return {};
  const auto before = read_ttl(asking(client), table);
  if (!before) return tl::unexpected(before.error());
  if (before->attribute == attribute) return {};
  std::string body;
  JsonWriter json{body};
  json.begin_object();
  json.member("TableName", table);
  json.key("TimeToLiveSpecification");
  json.begin_object();
  json.member("AttributeName", attribute);
  json.member("Enabled", true);
  json.end_object();
  json.end_object();
  const auto done = client.call("UpdateTimeToLive", body);
  if (!done) return tl::unexpected(done.error());
  return {};
}

tl::expected<std::vector<std::string>, Failure> list_tables(DynamodbClient& client) {
  std::vector<std::string> names;
  PageCycle cycle;
  std::string last;
  do {
    std::string body = "{}";
    if (!last.empty()) {
      body = "{\"ExclusiveStartTableName\":";
      append_json_string(body, last);
      body += '}';
    }
    const auto answer = client.call("ListTables", body);
    if (!answer) return tl::unexpected(answer.error());
    const JsonNode* const found = answer->find("TableNames");
    if (found != nullptr && found->kind() == Kind::Array)
      for (const JsonNode& name : found->elements()) names.emplace_back(name.text());
    last = text_in(*answer, "LastEvaluatedTableName");
    if (!last.empty() && cycle.returns_to(last)) return tl::unexpected(Failure{"", kEndlessPages});
  } while (!last.empty());
  return names;
}

}  // namespace stator::data
