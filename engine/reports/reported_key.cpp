#include "engine/reports/reported_key.h"

#include <optional>
#include <vector>

#include "engine/storage/keys/tuple_key.h"
#include "engine/storage/records/item_codec.h"
#include "engine/throughput/throughput_values.h"
#include "protocol/json/json_writer.h"
#include "protocol/number/number.h"
#include "protocol/text/utf8.h"
#include "protocol/values/shown_value.h"

namespace stator {

namespace {

std::string_view whole_characters(std::string_view text) {
  while (!is_valid_utf8(text)) text.remove_suffix(1);
  return text;
}

// Nothing for a number of which a part is missing.
std::optional<Value> value_of(Type type, std::string_view bytes, bool is_cut) {
  if (type == Type::S && is_cut) return Value::string(whole_characters(bytes));
  const bool is_lost = type == Type::N && (is_cut || !is_valid_number_encoding(bytes));
  return is_lost ? std::nullopt : std::optional(Value::scalar(type, bytes));
}

}  // namespace

ReportedKey reported_key(std::span<const Type> types, std::string_view bytes, bool is_cut,
                         Arena& arena) {
  if (types.size() == 1) {
    const auto value = value_of(types.front(), bytes, is_cut);
    return {value.value_or(Value::binary(bytes)), is_cut};
  }
  std::vector<Value> values;
  for (const Type type : types) {
    if (bytes.empty() && is_cut) break;
    const TupleElement element = take_tuple_element(bytes, arena);
    const auto value = value_of(type, element.ordered_bytes, !element.is_whole);
    if (!value) break;
    values.push_back(*value);
  }
  return {Value::list(arena.copy(std::span<const Value>(values))), is_cut};
}

ReportedKey reported_partition_key(std::span<const Type> types, std::string_view bytes,
                                   Arena& arena) {
  const bool is_cut = bytes.size() > capacity::kShownKeyBytes;
  return reported_key(types, bytes.substr(0, capacity::kShownKeyBytes), is_cut, arena);
}

std::string shown_partition_key(std::span<const Type> types, std::string_view bytes) {
  Arena arena;
  const ReportedKey key = reported_partition_key(types, bytes, arena);
  return shown_key(key.value, key.is_cut);
}

std::string item_key_json(const KeyAttribute& partition_key,
                          const std::optional<KeyAttribute>& sort_key, std::string_view partition,
                          std::string_view sort) {
  std::string text;
  JsonWriter json(text);
  const auto add = [&](const KeyAttribute& attribute, std::string_view bytes) {
    json.key(attribute.name);
    json.before_value();
    append_value_json(json.out(), Value::scalar(attribute.type, bytes));
  };
  json.begin_object();
  add(partition_key, partition);
  if (sort_key) add(*sort_key, sort);
  json.end_object();
  return text;
}

std::string item_key_json(const Table& table, std::string_view record, Arena& arena) {
  const storage::EncodedItem item(record);
  std::string text;
  JsonWriter json(text);
  const auto add = [&](const std::string& name) {
    const auto value = item.find(name, arena);
    if (!value) return;
    json.key(name);
    json.before_value();
    append_value_json(json.out(), *value);
  };
  json.begin_object();
  add(table.partition_key.name);
  if (table.sort_key) add(table.sort_key->name);
  json.end_object();
  return text;
}

}  // namespace stator
