// Item codec: an item as one run of bytes, readable without building anything.
//
// The layout is drawn in FORMAT.md. Encoded items carry their billed size, and every value its
// length, so a reader can skip. EncodedItem throws DamagedData (damage.h) where bytes are no
// record; is_valid_record() looks at everything that makes one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "engine/storage/stamp.h"
#include "protocol/arena.h"
#include "protocol/value.h"

namespace stator {
class JsonBuffer;
}

namespace stator::storage {

// Appends the record of `item`, whose billed size (protocol/item_size.h) is given. `item` is
// sorted, as Value's invariants say.
void encode_item(Item item, std::size_t size_bytes, const Stamp& written, std::string& out);
// The same with the size computed and no stamp, for records that are not stored.
void encode_item(Item item, std::string& out);

// A view of a record; lives as long as the bytes it was made from.
class EncodedItem {
 public:
  explicit EncodedItem(std::string_view record);

  // Billed bytes (protocol/item_size.h).
  std::size_t size_bytes() const;
  Stamp written() const;
  std::size_t attribute_count() const;

  // Appends the wire's JSON object of all attributes: {"pk":{"S":"x"},…}.
  void append_json(std::string& out) const;
  void append_json(JsonBuffer& out) const;
  // The same for a page, which counts packed sizes: returns packed_size_bytes() of the record.
  std::size_t append_json_of_page(std::string& out, std::string_view sort_key) const;

  // The attribute of that name as a value in the arena, or empty. Strings keep pointing into the
  // record.
  std::optional<Value> find(std::string_view name, Arena& arena) const;
  // The ordered bytes of the attribute of that name when it is a number, or empty; into the record.
  std::optional<std::string_view> find_number(std::string_view name) const;
  // All attributes, sorted.
  Item decode(Arena& arena) const;

 private:
  std::string_view record_;
};

// What the JSON of most items fits into.
std::size_t usual_json_bytes(std::string_view record);

// Whether two values are stored as the same, some elements of which may stand in runs (value.h).
bool is_same_value(const Value& value, const Value& other);
// Whether two records are of equal items, whoever wrote them and when.
bool is_same_item(std::string_view record, std::string_view other);

// Whether `record` is a well-formed encoding: lengths add up, names sorted, numbers canonical,
// UTF-8 valid, depth bounded.
bool is_valid_record(std::string_view record);

}  // namespace stator::storage
