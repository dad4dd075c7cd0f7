#include "server/templates/plan/table_shape.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "protocol/json/json_reader.h"
#include "protocol/json/json_writer.h"
#include "server/data/transfer/json_text.h"
#include "server/data/transfer/table_schema.h"

namespace stator::templates {

namespace {

using Kind = JsonNode::Kind;
using Types = std::map<std::string, std::string, std::less<>>;

// Deeper than any policy; above it texts are compared as they are.
constexpr std::size_t kCanonicalLevelsMax = 64;

// The elements that are objects.
std::vector<JsonNode> objects_in(const JsonNode& object, std::string_view name) {
  std::vector<JsonNode> found;
  const JsonNode* const list = data::member_in(object, name, Kind::Array);
  if (list == nullptr) return found;
  for (const JsonNode& element : list->elements())
    if (element.kind() == Kind::Object) found.push_back(element);
  return found;
}

Types types_of(const JsonNode& table) {
  Types types;
  for (const JsonNode& definition : objects_in(table, "AttributeDefinitions")) {
    types.insert_or_assign(std::string(data::text_in(definition, "AttributeName")),
                           std::string(data::text_in(definition, "AttributeType")));
  }
  return types;
}

// Partition keys first; the order among keys of one kind has a meaning.
std::vector<KeyShape> keys_of(const JsonNode& node, const Types& types) {
  std::vector<KeyShape> keys;
  for (const JsonNode& element : objects_in(node, "KeySchema")) {
    KeyShape& key = keys.emplace_back();
    key.name = data::text_in(element, "AttributeName");
    key.is_range = data::text_in(element, "KeyType") == "RANGE";
    if (const auto type = types.find(key.name); type != types.end()) key.type = type->second;
  }
  std::stable_partition(keys.begin(), keys.end(),
                        [](const KeyShape& key) { return !key.is_range; });
  return keys;
}

UnitsShape units_in(const JsonNode& node, std::string_view member, const char* read_name,
                    const char* write_name, UnitsShape absent) {
  const JsonNode* const units = data::member_in(node, member, Kind::Object);
  return units == nullptr ? absent : read_units(*units, read_name, write_name, absent);
}

UnitsShape throughput_in(const JsonNode& node) {
  return units_in(node, "ProvisionedThroughput", "ReadCapacityUnits", "WriteCapacityUnits", {});
}

UnitsShape limit_in(const JsonNode& node) {
  return units_in(node, "OnDemandThroughput", "MaxReadRequestUnits", "MaxWriteRequestUnits",
                  kNoLimit);
}

std::optional<UnitsShape> warm_in(const JsonNode& node) {
  if (data::member_in(node, "WarmThroughput", Kind::Object) == nullptr) return std::nullopt;
  return units_in(node, "WarmThroughput", "ReadUnitsPerSecond", "WriteUnitsPerSecond", {});
}

IndexShapes indexes_in(const JsonNode& table, std::string_view member, const Types& types,
                       bool is_on_demand) {
  IndexShapes indexes;
  for (const JsonNode& node : objects_in(table, member)) {
    IndexShape& index = indexes[std::string(data::text_in(node, "IndexName"))];
    index = IndexShape{};
    index.keys = keys_of(node, types);
    if (const JsonNode* const projection = data::member_in(node, "Projection", Kind::Object)) {
      index.projection = data::text_in(*projection, "ProjectionType");
      if (const JsonNode* const names =
              data::member_in(*projection, "NonKeyAttributes", Kind::Array)) {
        for (const JsonNode& name : names->elements())
          if (name.kind() == Kind::String) index.attributes.emplace(name.text());
      }
    }
    if (!is_on_demand) index.throughput = throughput_in(node);
    if (is_on_demand) index.limit = limit_in(node);
    index.warm = warm_in(node);
  }
  return indexes;
}

void read_settings(const JsonNode& table, TableShape& shape) {
  shape.is_on_demand = data::text_in(table, "BillingMode") == "PAY_PER_REQUEST";
  if (!shape.is_on_demand) shape.throughput = throughput_in(table);
  if (shape.is_on_demand) shape.limit = limit_in(table);
  shape.warm = warm_in(table);
  const JsonNode* const stream = data::member_in(table, "StreamSpecification", Kind::Object);
  if (stream != nullptr && data::is_true(*stream, "StreamEnabled"))
    shape.stream = data::text_in(*stream, "StreamViewType");
  if (const std::string_view told = data::text_in(table, "TableClass"); !told.empty())
    shape.table_class = told;
  shape.is_protected = data::is_true(table, "DeletionProtectionEnabled");
  const JsonNode* const encryption = data::member_in(table, "SSESpecification", Kind::Object);
  shape.is_encrypted = encryption != nullptr && data::is_true(*encryption, "Enabled");
  shape.policy = data::text_in(table, "ResourcePolicy");
  if (!shape.policy.empty()) shape.policy = canonical_json(shape.policy);
  for (const JsonNode& tag : objects_in(table, "Tags")) {
    const std::string_view key = data::text_in(tag, "Key");
    if (key.starts_with("aws:") || key == data::kSeedingTag) continue;
    shape.tags.insert_or_assign(std::string(key), std::string(data::text_in(tag, "Value")));
  }
}

// REQUIRES: the tree is at most kCanonicalLevelsMax deep, which bounds the recursion.
void append_canonical(std::string& out, const JsonNode& node) {
  if (node.kind() == Kind::Array) {
    out += '[';
    bool is_first = true;
    for (const JsonNode& element : node.elements()) {
      if (!std::exchange(is_first, false)) out += ',';
      append_canonical(out, element);
    }
    out += ']';
  } else if (node.kind() == Kind::Object) {
    std::map<std::string_view, const JsonNode*> members;
    for (const JsonMember& member : node.members()) members[member.name] = &member.value;
    out += '{';
    bool is_first = true;
    for (const auto& [name, value] : members) {
      if (!std::exchange(is_first, false)) out += ',';
      append_json_string(out, name);
      out += ':';
      append_canonical(out, *value);
    }
    out += '}';
  } else {
    append_node_json(out, node);
  }
}

}  // namespace

UnitsShape read_units(const JsonNode& units, const char* read_name, const char* write_name,
                      UnitsShape absent) {
  const auto number = [&units](const char* name, std::int64_t otherwise) {
    const std::string_view text = data::number_text_in(units, name);
    std::int64_t value = otherwise;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  return {number(read_name, absent.read), number(write_name, absent.write)};
}

tl::expected<TableShape, std::string> read_shape(std::string create_body) {
  Arena arena;
  const auto table = read_json(create_body, arena);
  if (!table || table->kind() != Kind::Object)
    return tl::unexpected(std::string("it is no JSON object"));
  TableShape shape;
  shape.name = data::text_in(*table, "TableName");
  if (shape.name.empty()) return tl::unexpected(std::string("it has no TableName"));
  const Types types = types_of(*table);
  shape.keys = keys_of(*table, types);
  read_settings(*table, shape);
  shape.global_indexes = indexes_in(*table, "GlobalSecondaryIndexes", types, shape.is_on_demand);
  // Local indexes have no throughput of their own.
  shape.local_indexes = indexes_in(*table, "LocalSecondaryIndexes", types, true);
  return shape;
}

tl::expected<TableShape, std::string> shape_of(const DesiredTable& table) {
  auto shape = read_shape(table.create_body);
  if (!shape) return shape;
  shape->ttl_attribute = table.ttl_attribute;
  shape->recovery = table.recovery;
  shape->kinesis = table.kinesis;
  shape->unsaid = table.unsaid;
  for (const DesiredInsights& told : table.insights)
    shape->insights.try_emplace(told.index, InsightsShape{told.is_enabled, told.mode});
  return shape;
}

TableShape completed(TableShape table, const TableShape& there) {
  const UnsaidMembers& unsaid = table.unsaid;
  if (unsaid.time_to_live) table.ttl_attribute = there.ttl_attribute;
  if (unsaid.tags) table.tags = there.tags;
  if (unsaid.stream) table.stream = there.stream;
  if (unsaid.table_class) table.table_class = there.table_class;
  if (unsaid.protection) table.is_protected = there.is_protected;
  if (unsaid.encryption) table.is_encrypted = there.is_encrypted;
  return table;
}

std::string canonical_json(const std::string& text) {
  Arena arena;
  std::string copy = text;
  const auto node = read_json(copy, arena);
  if (!node || is_deeper_than(*node, kCanonicalLevelsMax)) return text;
  std::string canonical;
  append_canonical(canonical, *node);
  return canonical;
}

}  // namespace stator::templates
