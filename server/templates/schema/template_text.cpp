#include "server/templates/schema/template_text.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <set>
#include <string_view>

#include "protocol/json/json_writer.h"
#include "protocol/service/limits.h"
#include "server/templates/schema/indented_json.h"

namespace stator::templates {

namespace {

enum class Form : std::uint8_t { CloudFormation, CommandLine };

void write_pair(JsonWriter& json, std::string_view first, std::string_view first_value,
                std::string_view second, std::string_view second_value) {
  json.begin_object();
  json.member(first, first_value);
  json.member(second, second_value);
  json.end_object();
}

void write_two_numbers(JsonWriter& json, std::string_view member, std::string_view read_name,
                       std::string_view write_name, UnitsShape units) {
  json.key(member);
  json.begin_object();
  json.member(read_name, units.read);
  json.member(write_name, units.write);
  json.end_object();
}

void write_capacity(JsonWriter& json, UnitsShape units) {
  write_two_numbers(json, "ProvisionedThroughput", "ReadCapacityUnits", "WriteCapacityUnits",
                    units);
}

// Without the number that has no limit.
void write_limit(JsonWriter& json, UnitsShape limit) {
  if (limit == kNoLimit) return;
  json.key("OnDemandThroughput");
  json.begin_object();
  if (limit.read != kNoLimit.read) json.member("MaxReadRequestUnits", limit.read);
  if (limit.write != kNoLimit.write) json.member("MaxWriteRequestUnits", limit.write);
  json.end_object();
}

void write_warm(JsonWriter& json, const std::optional<UnitsShape>& warm) {
  if (!warm) return;
  write_two_numbers(json, "WarmThroughput", "ReadUnitsPerSecond", "WriteUnitsPerSecond", *warm);
}

void write_definitions(JsonWriter& json, const TableShape& table) {
  json.key("AttributeDefinitions");
  json.begin_array();
  for (const auto& [name, type] : attribute_types(table))
    write_pair(json, "AttributeName", name, "AttributeType", type);
  json.end_array();
}

void write_keys(JsonWriter& json, const std::vector<KeyShape>& keys) {
  json.key("KeySchema");
  json.begin_array();
  for (const KeyShape& key : keys)
    write_pair(json, "AttributeName", key.name, "KeyType", key.is_range ? "RANGE" : "HASH");
  json.end_array();
}

void write_indexes(JsonWriter& json, std::string_view member, const IndexShapes& indexes,
                   bool has_throughput) {
  if (indexes.empty()) return;
  json.key(member);
  json.begin_array();
  for (const auto& [name, index] : indexes) {
    json.begin_object();
    json.member("IndexName", name);
    write_keys(json, index.keys);
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
    if (has_throughput) write_capacity(json, index.throughput);
    if (!has_throughput) write_limit(json, index.limit);
    write_warm(json, raised_warm(index, !has_throughput));
    json.end_object();
  }
  json.end_array();
}

void write_tags(JsonWriter& json, const TableShape& table) {
  if (table.tags.empty()) return;
  json.key("Tags");
  json.begin_array();
  for (const auto& [key, value] : table.tags) write_pair(json, "Key", key, "Value", value);
  json.end_array();
}

void write_stream_and_encryption(JsonWriter& json, const TableShape& table, Form form) {
  const bool is_template = form == Form::CloudFormation;
  if (!table.stream.empty()) {
    json.key("StreamSpecification");
    json.begin_object();
    if (!is_template) json.member("StreamEnabled", true);
    json.member("StreamViewType", table.stream);
    json.end_object();
  }
  if (!table.is_encrypted) return;
  json.key("SSESpecification");
  json.begin_object();
  json.member(is_template ? "SSEEnabled" : "Enabled", true);
  json.member("SSEType", "KMS");
  json.end_object();
}

void write_ttl(JsonWriter& json, const TableShape& table) {
  if (table.ttl_attribute.empty()) return;
  json.key("TimeToLiveSpecification");
  json.begin_object();
  json.member("AttributeName", table.ttl_attribute);
  json.member("Enabled", true);
  json.end_object();
}

// What both forms have.
void write_table(JsonWriter& json, const TableShape& table, Form form) {
  json.member("TableName", table.name);
  write_definitions(json, table);
  write_keys(json, table.keys);
  if (table.is_on_demand) json.member("BillingMode", "PAY_PER_REQUEST");
  if (!table.is_on_demand) write_capacity(json, table.throughput);
  if (table.is_on_demand) write_limit(json, table.limit);
  write_warm(json, raised_warm(table));
  write_indexes(json, "LocalSecondaryIndexes", table.local_indexes, false);
  write_indexes(json, "GlobalSecondaryIndexes", table.global_indexes, !table.is_on_demand);
  write_stream_and_encryption(json, table, form);
  if (table.table_class != TableShape{}.table_class) json.member("TableClass", table.table_class);
  if (table.is_protected) json.member("DeletionProtectionEnabled", true);
  write_ttl(json, table);
  write_tags(json, table);
}

void write_recovery(JsonWriter& json, const TableShape& table) {
  if (!table.recovery || !table.recovery->is_enabled) return;
  json.key("PointInTimeRecoverySpecification");
  json.begin_object();
  json.member("PointInTimeRecoveryEnabled", true);
  if (table.recovery->period_days.value_or(kPeriodDaysDefault) != kPeriodDaysDefault)
    json.member("RecoveryPeriodInDays", static_cast<std::int64_t>(*table.recovery->period_days));
  json.end_object();
}

void write_kinesis(JsonWriter& json, const TableShape& table) {
  if (!table.kinesis || table.kinesis->stream_arn.empty()) return;
  json.key("KinesisStreamSpecification");
  json.begin_object();
  json.member("StreamArn", table.kinesis->stream_arn);
  if (has_other_precision(*table.kinesis))
    json.member("ApproximateCreationDateTimePrecision", table.kinesis->precision);
  json.end_object();
}

std::string command_line_text(const std::vector<TableShape>& tables, bool for_stator) {
  std::string text;
  JsonWriter json{text};
  if (tables.size() != 1) json.begin_array();
  for (const TableShape& table : tables) {
    json.begin_object();
    write_table(json, table, Form::CommandLine);
    if (!table.policy.empty()) json.member("ResourcePolicy", table.policy);
    if (for_stator) write_recovery(json, table);
    if (for_stator) write_kinesis(json, table);
    json.end_object();
  }
  if (tables.size() != 1) json.end_array();
  return indented_json(text);
}

// CreateTable refuses numbers below the initial ones.
std::optional<UnitsShape> above_initial(const std::optional<UnitsShape>& warm, bool is_on_demand,
                                        UnitsShape throughput) {
  constexpr UnitsShape kOnDemand = {limits::kOnDemandReadUnitsPerSecondInitial,
                                    limits::kOnDemandWriteUnitsPerSecondInitial};
  const UnitsShape initial = is_on_demand ? kOnDemand : throughput;
  if (!warm || (warm->read <= initial.read && warm->write <= initial.write)) return std::nullopt;
  return UnitsShape{std::max(warm->read, initial.read), std::max(warm->write, initial.write)};
}

// Logical ids have letters and digits only.
std::string logical_id_of(const std::string& name, std::set<std::string>& used) {
  std::string id;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) id += c;
  if (id.empty()) id = "Table";
  std::string unique = id;
  for (int number = 2; !used.insert(unique).second; ++number)
    unique = std::string(id).append("x").append(std::to_string(number));
  return unique;
}

}  // namespace

std::optional<UnitsShape> raised_warm(const TableShape& table) {
  return above_initial(table.warm, table.is_on_demand, table.throughput);
}

std::optional<UnitsShape> raised_warm(const IndexShape& index, bool is_on_demand) {
  return above_initial(index.warm, is_on_demand, index.throughput);
}

std::string cloudformation_text(const std::vector<TableShape>& tables) {
  std::string text;
  JsonWriter json{text};
  std::set<std::string> ids;
  json.begin_object();
  json.member("AWSTemplateFormatVersion", "2010-09-09");
  json.key("Resources");
  json.begin_object();
  for (const TableShape& table : tables) {
    json.key(logical_id_of(table.name, ids));
    json.begin_object();
    json.member("Type", "AWS::DynamoDB::Table");
    json.key("Properties");
    json.begin_object();
    write_table(json, table, Form::CloudFormation);
    write_recovery(json, table);
    write_kinesis(json, table);
    if (!table.policy.empty()) {
      json.key("ResourcePolicy");
      json.begin_object();
      json.key("PolicyDocument");
      json.raw(table.policy);
      json.end_object();
    }
    json.end_object();
    json.end_object();
  }
  json.end_object();
  json.end_object();
  return indented_json(text);
}

std::string cli_text(const std::vector<TableShape>& tables) {
  return command_line_text(tables, /*for_stator=*/false);
}

std::string stator_text(const std::vector<TableShape>& tables) {
  return command_line_text(tables, /*for_stator=*/true);
}

}  // namespace stator::templates
