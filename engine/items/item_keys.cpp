#include "engine/items/item_keys.h"

#include <string>
#include <vector>

#include "engine/items/index_checks.h"
#include "protocol/errors/rule.h"
#include "protocol/service/common_errors.h"
#include "protocol/service/limits.h"
#include "protocol/service/wording.h"

namespace stator {
namespace {

std::string_view empty_kind(Type type) { return type == Type::B ? "binary value" : "string value"; }

Error empty_key(const KeyAttribute& key, Type type) {
  return Error::validation(
             std::string("The AttributeValue for a key attribute cannot contain an empty ")
                 .append(empty_kind(type))
                 .append(". Key: ")
                 .append(key.name))
      .within(kNotValidParameter)
      .with_rule(Rule::KeyNotEmpty, {empty_kind(type), key.name});
}

}  // namespace

bool is_empty_key_value(const Value& value) {
  return (value.type() == Type::S || value.type() == Type::B) && value.bytes().empty();
}

Result<void> check_key_not_empty(const KeyAttribute& key, const Value& value) {
  if (is_empty_key_value(value)) return empty_key(key, key.type);
  return {};
}

Error key_mismatch() {
  return Error::validation("The provided key element does not match the schema")
      .with_rule(Rule::WholeKey);
}

Error index_key_mismatch(const KeyAttribute& key, Type type, std::string_view index_name) {
  return invalid_parameter(std::string("Type mismatch for Index Key ")
                               .append(key.name)
                               .append(" Expected: ")
                               .append(type_name(key.type))
                               .append(" Actual: ")
                               .append(type_name(type))
                               .append(" IndexName: ")
                               .append(index_name))
      .with_rule(Rule::IndexKeyType, {key.name, type_name(key.type), type_name(type), index_name});
}

Error partition_key_too_long() {
  return invalid_parameter("Size of hashkey has exceeded the maximum size limit of" +
                           std::to_string(limits::kPartitionKeyBytesMax) + " bytes")
      .with_rule(Rule::PartitionKeySize);
}

Error sort_key_too_long() {
  return invalid_parameter("Aggregated size of all range keys has exceeded the size limit of " +
                           std::to_string(limits::kSortKeyBytesMax) + " bytes")
      .with_rule(Rule::SortKeySize);
}

namespace {

// Numbers are never too long: their ordered bytes are short.
Result<void> check_key_size(std::string_view bytes, bool is_partition) {
  if (is_partition && bytes.size() > limits::kPartitionKeyBytesMax) return partition_key_too_long();
  if (!is_partition && bytes.size() > limits::kSortKeyBytesMax) return sort_key_too_long();
  return {};
}

Result<std::string_view> key_value_of_item(const KeyAttribute& key, Item item, bool is_partition) {
  const Value* value = find_attribute(item, key.name);
  if (value == nullptr) {
    return invalid_parameter("Missing the key " + key.name + " in the item")
        .with_rule(Rule::KeyPresent, {key.name});
  }
  if (value->type() != key.type) {
    return invalid_parameter(std::string("Type mismatch for key ")
                                 .append(key.name)
                                 .append(" expected: ")
                                 .append(type_name(key.type))
                                 .append(" actual: ")
                                 .append(type_name(value->type())))
        .with_rule(Rule::KeyType, {key.name, type_name(key.type), type_name(value->type())});
  }
  STATOR_CHECK(check_key_not_empty(key, *value));
  STATOR_CHECK(check_key_size(value->bytes(), is_partition));
  return value->bytes();
}

Result<std::string_view> key_value_of_lookup(const KeyAttribute& key, Item item,
                                             bool is_partition) {
  const Value* value = find_attribute(item, key.name);
  if (value == nullptr || value->type() != key.type) return key_mismatch();
  STATOR_CHECK(check_key_not_empty(key, *value));
  STATOR_CHECK(check_key_size(value->bytes(), is_partition));
  return value->bytes();
}

// Ignores an index key attribute of another type.
Result<void> check_index_key_not_empty(const KeyAttribute& key, std::string_view index_name,
                                       Item item) {
  const Value* value = find_attribute(item, key.name);
  if (value == nullptr || value->type() != key.type || !is_empty_key_value(*value)) return {};
  return Error::validation(
             std::string("A value specified for a secondary index key is not supported. The "
                         "AttributeValue for a key attribute cannot contain an empty ")
                 .append(empty_kind(key.type))
                 .append(". IndexName: ")
                 .append(index_name)
                 .append(", IndexKey: ")
                 .append(key.name))
      .within(kNotValidParameter)
      .with_rule(Rule::IndexKeyNotEmpty, {empty_kind(key.type), key.name});
}

Result<void> check_index_key(const KeyAttribute& key, std::string_view index_name, Item item) {
  const Value* value = find_attribute(item, key.name);
  if (value != nullptr && value->type() != key.type)
    return index_key_mismatch(key, value->type(), index_name);
  return check_index_key_not_empty(key, index_name, item);
}

// Of several attributes all are named, with the bytes of all.
Error index_key_too_long(const std::vector<KeyAttribute>& keys, std::size_t size_bytes,
                         std::size_t size_max, std::string_view index_name) {
  std::string names;
  for (const KeyAttribute& key : keys) names.append(names.empty() ? "" : ", ").append(key.name);
  const std::string size = std::to_string(size_bytes) + " bytes";
  const std::string max = std::to_string(size_max) + " bytes";
  return invalid_parameter(std::string("Size limit exceeded for Index Key ")
                               .append(names)
                               .append(" Actual Size: ")
                               .append(size)
                               .append(" Max Size: ")
                               .append(max)
                               .append(" IndexName: ")
                               .append(index_name))
      .with_rule(Rule::IndexKeySize, {names, max, size, index_name});
}

// Several attributes of one kind of key share the limit.
Result<void> check_index_key_sizes(const std::vector<KeyAttribute>& keys,
                                   std::string_view index_name, Item item, std::size_t size_max) {
  std::size_t size_bytes = 0;
  for (const KeyAttribute& key : keys) {
    const Value* value = find_attribute(item, key.name);
    if (value != nullptr) size_bytes += value->bytes().size();
  }
  if (size_bytes <= size_max) return {};
  return index_key_too_long(keys, size_bytes, size_max, index_name);
}

template <class Index>
Result<void> check_index(const Index& index, Item item) {
  for (const KeyAttribute& key : index.partition_keys)
    STATOR_CHECK(check_index_key(key, index.name, item));
  for (const KeyAttribute& key : index.sort_keys)
    STATOR_CHECK(check_index_key(key, index.name, item));
  STATOR_CHECK(
      check_index_key_sizes(index.partition_keys, index.name, item, limits::kPartitionKeyBytesMax));
  return check_index_key_sizes(index.sort_keys, index.name, item, limits::kSortKeyBytesMax);
}

}  // namespace

Result<PrimaryKey> key_of_item(const Table& table, Item item) {
  PrimaryKey key;
  STATOR_TRY(key.partition, key_value_of_item(table.partition_key, item, /*is_partition=*/true));
  if (table.sort_key) {
    STATOR_TRY(key.sort, key_value_of_item(*table.sort_key, item, /*is_partition=*/false));
  }
  return key;
}

Result<PrimaryKey> key_of_batch_item(const Table& table, Item item) {
  PrimaryKey key;
  STATOR_TRY(key.partition, key_value_of_lookup(table.partition_key, item, /*is_partition=*/true));
  if (table.sort_key) {
    STATOR_TRY(key.sort, key_value_of_lookup(*table.sort_key, item, /*is_partition=*/false));
  }
  return key;
}

Result<PrimaryKey> key_of_lookup(const Table& table, Item item) {
  if (item.size() != (table.sort_key ? 2 : 1)) return key_mismatch();
  return key_of_batch_item(table, item);
}

Result<void> check_keys_not_empty(const Table& table, Item item_or_key) {
  const auto check = [&](const KeyAttribute& key) -> Result<void> {
    const Value* value = find_attribute(item_or_key, key.name);
    if (value == nullptr || value->type() != key.type) return {};
    return check_key_not_empty(key, *value);
  };
  STATOR_CHECK(check(table.partition_key));
  return table.sort_key ? check(*table.sort_key) : Result<void>();
}

Result<void> check_index_keys_not_empty(const Table& table, Item item) {
  return check_each_index(table, [&](const auto& index) -> Result<void> {
    for (const KeyAttribute& key : index.partition_keys)
      STATOR_CHECK(check_index_key_not_empty(key, index.name, item));
    for (const KeyAttribute& key : index.sort_keys)
      STATOR_CHECK(check_index_key_not_empty(key, index.name, item));
    return {};
  });
}

Result<void> check_index_keys(const Table& table, Item item) {
  return check_each_index(table, [&](const auto& index) { return check_index(index, item); });
}

}  // namespace stator
