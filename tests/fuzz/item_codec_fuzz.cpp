// Any bytes: is_valid_record() must not fall over them, and what it lets through must read back in
// every way and have no second encoding.
#include "engine/storage/records/item_codec.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "protocol/memory/arena.h"
#include "protocol/values/item_size.h"
#include "protocol/values/value.h"

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view record(reinterpret_cast<const char*>(data), size);
  if (!stator::storage::is_valid_record(record)) return 0;

  stator::Arena arena;
  const stator::storage::EncodedItem encoded(record);
  const stator::Item item = encoded.decode(arena);
  demand(encoded.attribute_count() == item.size());
  demand(encoded.size_bytes() == stator::item_size_bytes(item));

  std::string again;
  stator::storage::encode_item(item, encoded.size_bytes(), encoded.written(), again);
  demand(again == record);

  std::string json;
  std::string json_of_values;
  encoded.append_json(json);
  stator::append_item_json(json_of_values, item);
  demand(json == json_of_values);

  for (const stator::Member& member : item) {
    const auto found = encoded.find(member.name, arena);
    demand(found.has_value() && *found == member.value);
  }
  return 0;
}
