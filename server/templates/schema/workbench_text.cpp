#include "server/templates/schema/workbench_text.h"

#include <algorithm>
#include <string_view>

#include "protocol/json/json_writer.h"
#include "server/templates/schema/indented_json.h"
#include "server/templates/schema/template_text.h"

namespace stator::templates {

namespace {

void write_key(JsonWriter& json, std::string_view member, const KeyShape& key) {
  json.key(member);
  json.begin_object();
  json.member("AttributeName", key.name);
  json.member("AttributeType", key.type);
  json.end_object();
}

// A model has one key of each kind; lost_in_workbench() names tables with more.
void write_model_keys(JsonWriter& json, const std::vector<KeyShape>& keys) {
  json.key("KeyAttributes");
  json.begin_object();
  for (const bool is_range : {false, true}) {
    const auto key = std::find_if(keys.begin(), keys.end(), [is_range](const KeyShape& one) {
      return one.is_range == is_range;
    });
    if (key != keys.end()) write_key(json, is_range ? "SortKey" : "PartitionKey", *key);
  }
  json.end_object();
}

void write_settings(JsonWriter& json, UnitsShape throughput) {
  json.key("ProvisionedCapacitySettings");
  json.begin_object();
  json.key("ProvisionedThroughput");
  json.begin_object();
  json.member("ReadCapacityUnits", throughput.read);
  json.member("WriteCapacityUnits", throughput.write);
  json.end_object();
  json.end_object();
}

void write_model_indexes(JsonWriter& json, std::string_view member, const IndexShapes& indexes,
                         bool has_throughput) {
  if (indexes.empty()) return;
  json.key(member);
  json.begin_array();
  for (const auto& [name, index] : indexes) {
    json.begin_object();
    json.member("IndexName", name);
    write_model_keys(json, index.keys);
    json.key("Projection");
    json.begin_object();
    json.member("ProjectionType", index.projection);
    if (!index.attributes.empty()) {
      json.key("NonKeyAttributes");
      json.begin_array();
      for (const std::string& attribute : index.attributes) json.string(attribute);
      json.end_array();
    }
    json.end_object();
    if (has_throughput) write_settings(json, index.throughput);
    json.end_object();
  }
  json.end_array();
}

void write_model_table(JsonWriter& json, const TableShape& table) {
  json.begin_object();
  json.member("TableName", table.name);
  write_model_keys(json, table.keys);
  for (const std::string_view empty : {"NonKeyAttributes", "TableFacets"}) {
    json.key(empty);
    json.begin_array();
    json.end_array();
  }
  write_model_indexes(json, "GlobalSecondaryIndexes", table.global_indexes, !table.is_on_demand);
  write_model_indexes(json, "LocalSecondaryIndexes", table.local_indexes, false);
  json.key("DataAccess");
  json.begin_object();
  json.key("MySql");
  json.begin_object();
  json.end_object();
  json.end_object();
  json.member("BillingMode", table.is_on_demand ? "PAY_PER_REQUEST" : "PROVISIONED");
  if (!table.is_on_demand) write_settings(json, table.throughput);
  json.end_object();
}

bool has_several_keys(const std::vector<KeyShape>& keys) {
  const auto ranges =
      std::count_if(keys.begin(), keys.end(), [](const KeyShape& key) { return key.is_range; });
  return ranges > 1 || static_cast<std::ptrdiff_t>(keys.size()) - ranges > 1;
}

bool has_limit(const TableShape& table) {
  return table.limit != kNoLimit ||
         std::any_of(table.global_indexes.begin(), table.global_indexes.end(),
                     [](const auto& index) { return index.second.limit != kNoLimit; });
}

bool is_warm(const TableShape& table) {
  return raised_warm(table) ||
         std::any_of(table.global_indexes.begin(), table.global_indexes.end(),
                     [&](const auto& index) {
                       return raised_warm(index.second, table.is_on_demand).has_value();
                     });
}

}  // namespace

std::string lost_in_workbench(const TableShape& table) {
  const bool has_recovery = table.recovery && table.recovery->is_enabled;
  const bool has_several =
      std::any_of(table.global_indexes.begin(), table.global_indexes.end(),
                  [](const auto& index) { return has_several_keys(index.second.keys); });
  const std::pair<bool, std::string_view> parts[] = {
      {!table.stream.empty(), "stream"},
      {!table.ttl_attribute.empty(), "time to live"},
      {!table.tags.empty(), "tags"},
      {table.table_class != TableShape{}.table_class, "table class"},
      {table.is_protected, "deletion protection"},
      {table.is_encrypted, "encryption"},
      {has_limit(table), "on-demand limit"},
      {is_warm(table), "warm throughput"},
      {!table.policy.empty(), "policy"},
      {has_recovery, "recovery"},
      {table.kinesis && !table.kinesis->stream_arn.empty(), "Kinesis destination"},
      {has_several, "index with several keys of one kind"}};
  std::string lost;
  for (const auto& [is_there, name] : parts)
    if (is_there) lost.append(lost.empty() ? "" : ", ").append(name);
  return lost;
}

std::string workbench_text(const std::vector<TableShape>& tables) {
  std::string text;
  JsonWriter json{text};
  json.begin_object();
  json.member("ModelName", "stator");
  json.key("ModelMetadata");
  json.begin_object();
  for (const std::string_view member : {"Author", "Description", "AWSService"})
    json.member(member, member == "AWSService" ? "Amazon DynamoDB" : "");
  json.member("Version", "3.0");
  json.end_object();
  json.key("DataModel");
  json.begin_array();
  for (const TableShape& table : tables) write_model_table(json, table);
  json.end_array();
  json.end_object();
  return indented_json(text);
}

}  // namespace stator::templates
