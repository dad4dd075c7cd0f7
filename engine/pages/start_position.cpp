#include "engine/pages/start_position.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "engine/items/item_keys.h"
#include "protocol/number/number.h"
#include "protocol/service/limits.h"
#include "protocol/text/base64.h"

namespace stator {
namespace {

constexpr std::string_view kInvalid = "The provided starting key is invalid";

Error invalid() { return Error::validation(std::string(kInvalid)); }

Error mismatch() { return invalid_start_key(key_mismatch()); }

bool has_right_names(const ReadTarget& target, Item key) {
  std::size_t count = 0;
  bool are_present = true;
  target.for_each_key([&](const KeyAttribute& attribute) {
    ++count;
    are_present = are_present && find_attribute(key, attribute.name) != nullptr;
  });
  return are_present && key.size() == count;
}

// Checks types and sizes of an index's own key attributes.
Result<void> check_index_part(std::span<const KeyAttribute> keys, Item key, bool is_partition) {
  std::size_t size_bytes = 0;
  for (const KeyAttribute& attribute : keys) {
    const Value& value = *find_attribute(key, attribute.name);
    if (value.type() != attribute.type) return key_mismatch();
    STATOR_CHECK(check_key_not_empty(attribute, value));
    size_bytes += value.bytes().size();
  }
  if (is_partition && size_bytes > limits::kPartitionKeyBytesMax) return partition_key_too_long();
  if (!is_partition && size_bytes > limits::kSortKeyBytesMax) return sort_key_too_long();
  return {};
}

// Checks the table's part of the key, with the error texts of a starting key.
Result<void> check_table_part(const Table& table, Item key) {
  std::array<Member, 2> members;
  std::size_t count = 0;
  for (const Member& member : key) {
    const bool is_key = member.name == table.partition_key.name ||
                        (table.sort_key && member.name == table.sort_key->name);
    if (is_key) members.at(count++) = member;
  }
  auto checked = key_of_lookup(table, Item(members).first(count));
  if (checked) return {};
  if (checked.error().message().starts_with(kNotValidParameter)) return std::move(checked).error();
  return invalid_start_key(std::move(checked).error());
}

Result<void> check_index_start_key(const ReadTarget& target, Item key) {
  STATOR_CHECK(check_index_part(target.partition_keys(), key, /*is_partition=*/true));
  STATOR_CHECK(check_index_part(target.sort_keys(), key, /*is_partition=*/false));
  return check_table_part(*target.table, key);
}

// A key value as the service shows it: AttributeValue: {S:x}.
std::string shown_value(Type type, std::string_view bytes) {
  std::string text = "AttributeValue: {";
  text.append(type_name(type)).append(":");
  if (type == Type::N) {
    append_number_text(text, bytes);
  } else if (type == Type::B) {
    append_base64(text, bytes);
  } else {
    text.append(bytes);
  }
  return text.append("}");
}

}  // namespace

Error invalid_start_key(Error reason) {
  return std::move(reason)
      .within(std::string(kInvalid).append(": "))
      .with_place("ExclusiveStartKey");
}

Result<void> check_query_start_key(const ReadTarget& target, Item key) {
  if (!has_right_names(target, key)) return invalid();
  if (target.is_index()) return check_index_start_key(target, key);
  STATOR_CHECK(key_of_lookup(*target.table, key));
  return {};
}

namespace {

Result<void> check_scan_start_key(const ReadTarget& target, Item key) {
  const bool has_names = has_right_names(target, key);
  if (!target.is_index()) {
    return has_names ? check_table_part(*target.table, key) : Result<void>(mismatch());
  }
  if (!has_names) return invalid();
  return check_index_start_key(target, key);
}

}  // namespace

Result<void> check_scan_start_key(const ReadTarget& target, Item key, Wording wording) {
  Result<void> checked = check_scan_start_key(target, key);
  // Where Scan has moved, the text has no reason.
  const bool is_mismatch = !checked && checked.error().message() == mismatch().message();
  if (is_mismatch && wording.profile == Profile::Next) return invalid();
  return checked;
}

Result<void> check_start_in_range(const ReadTarget& target, const KeyRange& range,
                                  const storage::StoreKey& place) {
  const Table& table = *target.table;
  if (!target.is_index() && !table.sort_key) {
    return Error::validation("The provided exclusive start key is invalid: ExclusiveStartKey: {" +
                             table.partition_key.name + "=" +
                             shown_value(table.partition_key.type, place.partition) + "}");
  }
  const bool is_other_partition = place.partition != range.partition;
  if (!range.has_sort_condition) {
    if (!is_other_partition) return {};
    return Error::validation(
        "The provided starting key is outside query boundaries based on provided conditions");
  }
  if (!range.contains(place.sort)) {
    return Error::validation("The provided starting key does not match the range key predicate");
  }
  // The service returns this error also for any other partition if there is a condition on the sort
  // key.
  if (range.is_one_item || is_other_partition) {
    return Error::validation("The query can return at most one row and cannot be restarted");
  }
  return {};
}

}  // namespace stator
