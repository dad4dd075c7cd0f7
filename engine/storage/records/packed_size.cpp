#include "engine/storage/records/packed_size.h"

#include "engine/storage/records/record_layout.h"

namespace stator::storage {
namespace {

constexpr std::size_t kChunkBytes = 3072;
constexpr std::size_t kChunkOverheadBytes = 18;
constexpr std::size_t kItemOverheadBytes = 2;

void add_value(RecordReader& reader, PackedValues& values, std::size_t depth);

void add_container(RecordReader& reader, Type type, PackedValues& values, std::size_t depth) {
  reader.length();
  const std::size_t count = reader.count();
  if (is_set(type)) {
    values.set(count);
    for (std::size_t i = 0; i < count; ++i) values.set_element(element_type(type), reader.bytes());
    return;
  }
  type == Type::M ? values.map(count) : values.list(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (type == Type::M) reader.bytes();
    add_value(reader, values, below(depth));
  }
}

void add_value(RecordReader& reader, PackedValues& values, std::size_t depth) {
  const Type type = reader.type();
  switch (type) {
    case Type::S:
    case Type::B:
    case Type::N:
      return values.scalar(type, reader.bytes());
    case Type::Bool:
      reader.truth();
      return values.truth();
    case Type::Null:
      return;
    case Type::SS:
    case Type::NS:
    case Type::BS:
    case Type::L:
    case Type::M:
      return add_container(reader, type, values, depth);
  }
}

}  // namespace

std::size_t packed_item_bytes(std::size_t attributes, std::size_t values_bytes,
                              std::size_t sort_key_bytes) {
  const std::size_t size_bytes = attributes + values_bytes;
  const std::size_t chunks = 1 + (1 + size_bytes) / kChunkBytes;
  return kItemOverheadBytes + size_bytes + chunks * (kChunkOverheadBytes + sort_key_bytes);
}

std::size_t packed_size_bytes(std::string_view record, std::string_view sort_key) {
  RecordReader reader = attributes_of(record);
  PackedValues values;
  std::size_t attributes = 0;
  std::size_t sort_key_bytes = 0;
  for (std::size_t left = reader.varint(); left > 0; --left) {
    const std::string_view name = reader.bytes();
    if (!sort_key.empty() && name == sort_key) {
      const Type type = reader.type();
      sort_key_bytes = PackedValues::scalar_bytes(type, reader.bytes());
    } else {
      ++attributes;
      add_value(reader, values, /*depth=*/1);
    }
  }
  return packed_item_bytes(attributes, values.bytes(), sort_key_bytes);
}

}  // namespace stator::storage
