// Tables as resources of Terraform.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "server/templates/schema/template_text.h"

namespace stator::templates {

namespace {

// A string of HCL: its templates ${…} and %{…} are escaped by doubling the sign.
std::string hcl_text(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_template = (c == '$' || c == '%') && i + 1 < text.size() && text[i + 1] == '{';
    if (c == '"' || c == '\\') out += '\\';
    if (is_template) out += c;
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\r')
      out += "\\r";
    else
      out += c;
  }
  return out += '"';
}

// Lines of nested blocks.
class Blocks {
 public:
  void open(std::string_view head) {
    line(head, " {");
    ++level_;
  }
  void close() {
    --level_;
    line("}", "");
  }
  void set(std::string_view name, std::string_view value) {
    line(std::string(name).append(" = ").append(value), "");
  }
  void text(std::string_view name, std::string_view value) { set(name, hcl_text(value)); }
  void number(std::string_view name, std::int64_t value) { set(name, std::to_string(value)); }
  void limit(std::string_view name, std::int64_t value) {
    if (value >= 0) number(name, value);
  }

  std::string take() { return std::move(out_); }

 private:
  void line(std::string_view first, std::string_view rest) {
    out_.append(2 * level_, ' ').append(first).append(rest).append("\n");
  }

  std::string out_;
  std::size_t level_ = 0;
};

// "orders_by_day": a name of a resource begins with a letter or underscore.
std::string resource_name_of(const std::string& table, std::set<std::string>& used) {
  std::string name;
  for (const char c : table) name += c == '.' ? '_' : c;
  const bool has_letter = !name.empty() && (std::isalpha(static_cast<unsigned char>(name[0])) != 0);
  if (!has_letter) name.insert(0, "_");
  std::string unique = name;
  for (int number = 2; !used.insert(unique).second; ++number)
    unique = std::string(name).append("_").append(std::to_string(number));
  return unique;
}

bool has_plain_keys(const std::vector<KeyShape>& keys) {
  const auto ranges =
      std::count_if(keys.begin(), keys.end(), [](const KeyShape& key) { return key.is_range; });
  const auto size = static_cast<std::ptrdiff_t>(keys.size());
  return ranges <= 1 && size - ranges == 1;
}

void write_hcl_keys(Blocks& out, const std::vector<KeyShape>& keys) {
  for (const KeyShape& key : keys) out.text(key.is_range ? "range_key" : "hash_key", key.name);
}

void write_hcl_limit(Blocks& out, UnitsShape limit) {
  if (limit == kNoLimit) return;
  out.open("on_demand_throughput");
  out.limit("max_read_request_units", limit.read);
  out.limit("max_write_request_units", limit.write);
  out.close();
}

void write_hcl_warm(Blocks& out, const std::optional<UnitsShape>& warm) {
  if (!warm) return;
  out.open("warm_throughput");
  out.number("read_units_per_second", warm->read);
  out.number("write_units_per_second", warm->write);
  out.close();
}

void write_hcl_projection(Blocks& out, const IndexShape& index) {
  out.text("projection_type", index.projection);
  if (index.attributes.empty()) return;
  std::string list;
  for (const std::string& attribute : index.attributes)
    list.append(list.empty() ? "[" : ", ").append(hcl_text(attribute));
  out.set("non_key_attributes", list.append("]"));
}

void write_hcl_indexes(Blocks& out, const TableShape& table) {
  for (const auto& [name, index] : table.local_indexes) {
    out.open("local_secondary_index");
    out.text("name", name);
    for (const KeyShape& key : index.keys)
      if (key.is_range) out.text("range_key", key.name);
    write_hcl_projection(out, index);
    out.close();
  }
  for (const auto& [name, index] : table.global_indexes) {
    out.open("global_secondary_index");
    out.text("name", name);
    write_hcl_keys(out, index.keys);
    write_hcl_projection(out, index);
    if (!table.is_on_demand) {
      out.number("read_capacity", index.throughput.read);
      out.number("write_capacity", index.throughput.write);
    }
    if (table.is_on_demand) write_hcl_limit(out, index.limit);
    write_hcl_warm(out, raised_warm(index, table.is_on_demand));
    out.close();
  }
}

void write_hcl_settings(Blocks& out, const TableShape& table) {
  if (!table.stream.empty()) {
    out.set("stream_enabled", "true");
    out.text("stream_view_type", table.stream);
  }
  if (table.table_class != TableShape{}.table_class) out.text("table_class", table.table_class);
  if (table.is_protected) out.set("deletion_protection_enabled", "true");
  if (!table.ttl_attribute.empty()) {
    out.open("ttl");
    out.text("attribute_name", table.ttl_attribute);
    out.set("enabled", "true");
    out.close();
  }
  if (table.is_encrypted) {
    out.open("server_side_encryption");
    out.set("enabled", "true");
    out.close();
  }
  if (table.recovery && table.recovery->is_enabled) {
    out.open("point_in_time_recovery");
    out.set("enabled", "true");
    if (table.recovery->period_days.value_or(kPeriodDaysDefault) != kPeriodDaysDefault)
      out.number("recovery_period_in_days", *table.recovery->period_days);
    out.close();
  }
  if (table.tags.empty()) return;
  out.open("tags =");
  for (const auto& [key, value] : table.tags) out.text(hcl_text(key), value);
  out.close();
}

void write_hcl_table(Blocks& out, const TableShape& table) {
  out.text("name", table.name);
  out.text("billing_mode", table.is_on_demand ? "PAY_PER_REQUEST" : "PROVISIONED");
  if (!table.is_on_demand) {
    out.number("read_capacity", table.throughput.read);
    out.number("write_capacity", table.throughput.write);
  }
  write_hcl_keys(out, table.keys);
  for (const auto& [name, type] : attribute_types(table)) {
    out.open("attribute");
    out.text("name", name);
    out.text("type", type);
    out.close();
  }
  if (table.is_on_demand) write_hcl_limit(out, table.limit);
  write_hcl_warm(out, raised_warm(table));
  write_hcl_indexes(out, table);
  write_hcl_settings(out, table);
}

void write_hcl_kinesis(Blocks& out, const TableShape& table, const std::string& resource) {
  if (!table.kinesis || table.kinesis->stream_arn.empty()) return;
  out.open(std::string("resource \"aws_dynamodb_kinesis_streaming_destination\" ")
               .append(hcl_text(resource)));
  out.set("table_name", std::string("aws_dynamodb_table.").append(resource).append(".name"));
  out.text("stream_arn", table.kinesis->stream_arn);
  if (has_other_precision(*table.kinesis))
    out.text("approximate_creation_date_time_precision", table.kinesis->precision);
  out.close();
}

}  // namespace

bool has_other_precision(const DesiredKinesis& kinesis) {
  return !kinesis.precision.empty() && kinesis.precision != kPrecisionDefault;
}

std::map<std::string, std::string> attribute_types(const TableShape& table) {
  std::map<std::string, std::string> types;
  const auto add = [&types](const std::vector<KeyShape>& keys) {
    for (const KeyShape& key : keys) types[key.name] = key.type;
  };
  add(table.keys);
  for (const IndexShapes* const indexes : {&table.local_indexes, &table.global_indexes})
    for (const auto& [name, index] : *indexes) add(index.keys);
  return types;
}

tl::expected<std::string, std::string> terraform_text(const std::vector<TableShape>& tables) {
  Blocks out;
  std::set<std::string> names;
  for (const TableShape& table : tables) {
    for (const auto& [name, index] : table.global_indexes) {
      if (has_plain_keys(index.keys)) continue;
      return tl::unexpected(
          std::string("index ")
              .append(name)
              .append(" of table ")
              .append(table.name)
              .append(" has several keys of one kind, which hash_key and range_key cannot "
                      "say"));
    }
    const std::string resource = resource_name_of(table.name, names);
    out.open(std::string("resource \"aws_dynamodb_table\" ").append(hcl_text(resource)));
    write_hcl_table(out, table);
    out.close();
    write_hcl_kinesis(out, table, resource);
  }
  return out.take();
}

}  // namespace stator::templates
