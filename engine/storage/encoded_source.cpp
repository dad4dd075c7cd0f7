#include "engine/storage/encoded_source.h"

#include <cstddef>
#include <cstdint>

#include "engine/storage/item_codec.h"
#include "engine/storage/record_layout.h"
#include "protocol/expression/paths.h"

namespace stator::storage {
namespace {

constexpr std::size_t kWalkedBytesMax = 64 * 1024;

// From a list's length to its element; whether there is one.
bool go_to_element(RecordReader& reader, std::uint64_t index) {
  reader.length();
  if (index >= reader.varint()) return false;
  for (; index > 0; --index) reader.skip_payload(reader.type());
  return true;
}

}  // namespace

std::optional<Value> EncodedSource::find(expr::Path path) const {
  if (record_.empty()) return {};
  if (walked_bytes_ >= kWalkedBytesMax) {
    if (!item_) item_ = EncodedItem(record_).decode(scratch_);
    const Value* const value = expr::find_value_at(*item_, path);
    return value != nullptr ? std::optional<Value>(*value) : std::nullopt;
  }
  walked_bytes_ += record_.size();
  RecordReader reader = attributes_of(record_);
  if (!go_to_attribute(reader, path.front().name)) return {};
  for (const expr::PathElement& step : path.subspan(1)) {
    const Type type = reader.type();
    if (step.is_index) {
      if (type != Type::L || !go_to_element(reader, step.index)) return {};
    } else {
      if (type != Type::M) return {};
      reader.length();
      if (!go_to_attribute(reader, step.name)) return {};
    }
  }
  return read_value(reader, scratch_);
}

}  // namespace stator::storage
