// Item codec: an item as one run of bytes, readable without decoding it.
//
// engine/storage/FORMAT.md draws the layout. A record contains its billed size and the length of
// every value of variable size, so a reader can skip. EncodedItem throws DamagedData (damage.h) if
// the bytes are no record; is_valid_record() checks every rule.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "engine/storage/bytes/stamp.h"
#include "protocol/memory/arena.h"
#include "protocol/values/value.h"

namespace stator {
class JsonBuffer;
}

namespace stator::storage {

// Appends the record of `item`. `size_bytes` is its billed size (protocol/values/item_size.h).
// REQUIRES: `item` is sorted, as Value's invariants say.
void encode_item(Item item, std::size_t size_bytes, const Stamp& written, std::string& out);
// Computes the size and writes no stamp, for records that are not stored.
void encode_item(Item item, std::string& out);

// A view of a record; valid as long as the record's bytes.
class EncodedItem {
 public:
  explicit EncodedItem(std::string_view record);

  // Billed bytes (protocol/values/item_size.h).
  std::size_t size_bytes() const;
  Stamp written() const;
  std::size_t attribute_count() const;

  // Appends the wire's JSON object of all attributes: {"pk":{"S":"x"},…}.
  void append_json(std::string& out) const;
  void append_json(JsonBuffer& out) const;
  // append_json() for a page, which counts packed sizes: returns the record's packed_size_bytes().
  std::size_t append_json_of_page(std::string& out, std::string_view sort_key) const;

  // The attribute of this name as a value in the arena; empty if absent. Strings point into the
  // record.
  std::optional<Value> find(std::string_view name, Arena& arena) const;
  // The ordered bytes of the attribute of this name, pointing into the record; empty if it is
  // absent or no number.
  std::optional<std::string_view> find_number(std::string_view name) const;
  // All attributes, sorted.
  Item decode(Arena& arena) const;

 private:
  std::string_view record_;
};

// Space for the JSON of most items.
std::size_t usual_json_bytes(std::string_view record);

// Whether two values have the same encoding; either may hold runs (value.h).
bool is_same_value(const Value& value, const Value& other);
// Whether two records are of equal items, whatever their stamps.
bool is_same_item(std::string_view record, std::string_view other);

// Whether `record` is a well-formed encoding: lengths add up, names are sorted, numbers canonical,
// UTF-8 valid, depth bounded.
bool is_valid_record(std::string_view record);

}  // namespace stator::storage
