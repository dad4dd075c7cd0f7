#include "engine/storage/packed_size.h"

#include "engine/storage/record_layout.h"
#include "protocol/number.h"

namespace stator::storage {
namespace {

constexpr std::size_t kChunkBytes = 3072;
constexpr std::size_t kChunkOverheadBytes = 18;
constexpr std::size_t kItemOverheadBytes = 2;
constexpr std::size_t kContainerBytes = 3;

// A number's size is a matter of its length, first and last byte: any bytes have one.
std::size_t number_bytes(std::string_view number) {
  return number.empty() ? 0 : number_size_bytes(number);
}

std::size_t scalar_bytes(Type type, std::string_view bytes) {
  return type == Type::N ? number_bytes(bytes) : bytes.size();
}

std::size_t string_length_bytes(std::size_t size_bytes) {
  return size_bytes < 128 ? 1 : size_bytes < 16384 ? 2 : 3;
}

std::size_t value_bytes(RecordReader& reader, std::size_t depth);

// Elements of a set count one byte more than they hold, those of lists and maps one or two more
// than they take.
std::size_t container_bytes(RecordReader& reader, Type type, std::size_t depth) {
  reader.length();
  const std::size_t count = reader.count();
  if (is_set(type)) {
    std::size_t size_bytes = count + 1;
    for (std::size_t i = 0; i < count; ++i) {
      size_bytes += scalar_bytes(element_type(type), reader.bytes());
    }
    return size_bytes;
  }
  std::size_t size_bytes = kContainerBytes + count;
  for (std::size_t i = 0; i < count; ++i) {
    if (type == Type::M) {
      reader.bytes();
      ++size_bytes;
    }
    size_bytes += value_bytes(reader, below(depth));
  }
  return size_bytes;
}

std::size_t value_bytes(RecordReader& reader, std::size_t depth) {
  const Type type = reader.type();
  switch (type) {
    case Type::S: {
      const std::size_t size_bytes = reader.bytes().size();
      return size_bytes + string_length_bytes(size_bytes);
    }
    case Type::B:
      return reader.bytes().size() + 1;
    case Type::N:
      return number_bytes(reader.bytes()) + 1;
    case Type::Bool:
      reader.truth();
      return 1;
    case Type::Null:
      return 0;
    case Type::SS:
    case Type::NS:
    case Type::BS:
    case Type::L:
    case Type::M:
      return container_bytes(reader, type, depth);
  }
  __builtin_unreachable();
}

}  // namespace

std::size_t packed_size_bytes(std::string_view record, std::string_view sort_key) {
  RecordReader reader = attributes_of(record);
  std::size_t size_bytes = 0;
  std::size_t sort_key_bytes = 0;
  for (std::size_t left = reader.varint(); left > 0; --left) {
    const std::string_view name = reader.bytes();
    if (!sort_key.empty() && name == sort_key) {
      const Type type = reader.type();
      sort_key_bytes = scalar_bytes(type, reader.bytes());
    } else {
      size_bytes += 1 + value_bytes(reader, /*depth=*/1);
    }
  }
  const std::size_t chunks = 1 + (1 + size_bytes) / kChunkBytes;
  return kItemOverheadBytes + size_bytes + chunks * (kChunkOverheadBytes + sort_key_bytes);
}

}  // namespace stator::storage
