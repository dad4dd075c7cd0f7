#include "engine/storage/records/encoded_source.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/storage/records/item_codec.h"
#include "engine/storage/records/record_layout.h"
#include "protocol/expression/resolution/paths.h"

namespace stator::storage {
namespace {

constexpr std::size_t kWalkedBytesMax = 64 * 1024;
// Smaller records are as fast to decode.
constexpr std::size_t kSearchedBytesMin = 4 * 1024;
constexpr std::size_t kSearchedPathsMax = 8;

// Moves from a list's length to its element; returns whether it exists.
bool go_to_element(RecordReader& reader, std::uint64_t index) {
  reader.length();
  if (index >= reader.varint()) return false;
  for (; index > 0; --index) reader.skip_payload(reader.type());
  return true;
}

// A reader before the value at the path; empty if absent.
std::optional<RecordReader> go_to(std::string_view record, expr::Path path) {
  RecordReader reader = attributes_of(record);
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
  return reader;
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
  auto reader = go_to(record_, path);
  if (!reader) return {};
  return read_value(*reader, scratch_);
}

std::optional<bool> EncodedSource::list_contains(expr::Path path, const Value& wanted) const {
  if (record_.size() < kSearchedBytesMin) return {};
  EncodedList* const list = searched_list(path);
  if (list == nullptr) return {};
  std::string bytes;
  ByteWriter out(bytes);
  encode_value(wanted, out);
  return list->contains(bytes);
}

EncodedList* EncodedSource::searched_list(expr::Path path) const {
  auto known = std::find_if(searched_.begin(), searched_.end(), [path](const ListSearch& searched) {
    return expr::is_same_path(searched.path, path);
  });
  if (known == searched_.end()) {
    if (searched_.size() == kSearchedPathsMax) return nullptr;
    known = searched_.insert(known, ListSearch{path, {}});
    auto reader = go_to(record_, path);
    if (reader && reader->type() == Type::L) {
      const std::size_t size_bytes = reader->length();
      known->list.emplace(reader->rest().substr(0, size_bytes));
    }
  }
  return known->list ? &*known->list : nullptr;
}

}  // namespace stator::storage
