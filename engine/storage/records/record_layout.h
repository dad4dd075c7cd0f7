// The bytes of an encoded item, shared by its writer, reader and checker. Internal to this folder;
// engine/storage/FORMAT.md draws it.
//
//   record    := header | count:varint | attribute*                      sorted by name
//   header    := 02 | size_bytes:u32le | time:u64le | origin:u8
//   size_bytes is the billed size, time and origin tell of the last write (stamp.h)
//   attribute := name:bytes | value
//   bytes     := length:varint | byte*
//   value     := type:u8 | payload
//   payload   := bytes                                     S, B, N (ordered bytes of
//   protocol/number/number.h)
//              | 00 or 01                                  BOOL
//              | nothing                                   NULL
//              | length:u32le | count:varint | bytes*      SS, NS, BS: sorted by bytes
//              | length:u32le | count:varint | value*      L
//              | length:u32le | count:varint | attribute*  M: sorted by name
//   varint    := 7 bits a byte, lowest first, bit 7 set on all but the last; never longer than
//   needed
//
// `length` counts the bytes after it. Each item has exactly one encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/storage/bytes/bytes.h"
#include "engine/storage/bytes/damage.h"
#include "engine/storage/bytes/stamp.h"
#include "protocol/memory/arena.h"
#include "protocol/number/number.h"
#include "protocol/service/limits.h"
#include "protocol/values/value.h"

namespace stator::storage {

inline constexpr char kRecordFormat = 0x02;
inline constexpr std::size_t kRecordHeaderBytes = 1 + 4 + 8 + 1;
inline constexpr std::size_t kSizeAt = 1;
inline constexpr std::size_t kTimeAt = 5;
inline constexpr std::size_t kOriginAt = 13;

// Persisted: never change, only append.
enum class TypeCode : std::uint8_t {
  S = 1,
  N = 2,
  B = 3,
  Bool = 4,
  Null = 5,
  SS = 6,
  NS = 7,
  BS = 8,
  L = 9,
  M = 10,
};

constexpr TypeCode code_of(Type type) {
  switch (type) {
    case Type::S:
      return TypeCode::S;
    case Type::N:
      return TypeCode::N;
    case Type::B:
      return TypeCode::B;
    case Type::Bool:
      return TypeCode::Bool;
    case Type::Null:
      return TypeCode::Null;
    case Type::SS:
      return TypeCode::SS;
    case Type::NS:
      return TypeCode::NS;
    case Type::BS:
      return TypeCode::BS;
    case Type::L:
      return TypeCode::L;
    case Type::M:
      return TypeCode::M;
  }
  __builtin_unreachable();
}

constexpr std::optional<Type> type_of(TypeCode code) {
  switch (code) {
    case TypeCode::S:
      return Type::S;
    case TypeCode::N:
      return Type::N;
    case TypeCode::B:
      return Type::B;
    case TypeCode::Bool:
      return Type::Bool;
    case TypeCode::Null:
      return Type::Null;
    case TypeCode::SS:
      return Type::SS;
    case TypeCode::NS:
      return Type::NS;
    case TypeCode::BS:
      return Type::BS;
    case TypeCode::L:
      return Type::L;
    case TypeCode::M:
      return Type::M;
  }
  return {};
}

constexpr Type element_type(Type set) {
  return set == Type::SS ? Type::S : set == Type::NS ? Type::N : Type::B;
}

inline void write_record_header(ByteWriter& out, std::uint32_t size_bytes, const Stamp& written) {
  out.u8(static_cast<std::uint8_t>(kRecordFormat));
  out.le(size_bytes);
  out.le(static_cast<std::uint64_t>(written.time.unix_us));
  out.u8(static_cast<std::uint8_t>(written.origin));
}

// Reads stored records from front to back, for speed. Throws DamagedData if the bytes are no
// record. Damaged bytes never cause a view beyond the record, nor unbounded recursion or memory.
class RecordReader {
 public:
  explicit RecordReader(std::string_view bytes) : next_(bytes.data()), end_(next_ + bytes.size()) {}

  std::size_t varint() {
    const std::size_t first = byte();
    if (first < 0x80) [[likely]]
      return first;
    std::size_t value = first & 0x7F;
    for (unsigned shift = 7;; shift += 7) {
      if (shift >= 35) [[unlikely]]
        throw_damaged_record();
      const std::size_t more = byte();
      value |= (more & 0x7F) << shift;
      if (more < 0x80) return value;
    }
  }
  std::string_view bytes() { return take(varint()); }
  // A number of entries that follow, each of at least one byte.
  std::size_t count() {
    const std::size_t count = varint();
    if (count > static_cast<std::size_t>(end_ - next_)) [[unlikely]]
      throw_damaged_record();
    return count;
  }
  // The payload of an N, or an element of an NS.
  std::string_view number() {
    const std::string_view number = bytes();
    if (!is_valid_number_encoding(number)) [[unlikely]]
      throw_damaged_record();
    return number;
  }
  Type type() {
    const auto type = type_of(static_cast<TypeCode>(byte()));
    if (!type) [[unlikely]]
      throw_damaged_record();
    return *type;
  }
  bool truth() { return byte() != 0; }
  // The length before a set, list or map.
  std::size_t length() { return load_le<std::uint32_t>(take(4).data()); }
  void skip_payload(Type type) {
    if (type == Type::Null) return;
    if (type == Type::Bool) {
      take(1);
    } else if (is_key_type(type)) {
      bytes();
    } else {
      take(length());
    }
  }
  bool at_end() const { return next_ == end_; }
  // The bytes not read yet, for callers that read several values at once.
  std::string_view rest() const { return {next_, end_}; }
  // Continues at `next`. REQUIRES: `next` is in rest() or at its end.
  void go_on_at(const char* next) { next_ = next; }

 private:
  std::size_t byte() { return static_cast<unsigned char>(take(1).front()); }
  std::string_view take(std::size_t count) {
    if (count > static_cast<std::size_t>(end_ - next_)) [[unlikely]]
      throw_damaged_record();
    const char* start = next_;
    next_ += count;
    return {start, count};
  }

  const char* next_;
  const char* end_;
};

// A reader positioned after the header of a record. Throws DamagedData, as the reader does.
inline RecordReader attributes_of(std::string_view record) {
  if (record.size() <= kRecordHeaderBytes || record.front() != kRecordFormat) [[unlikely]]
    throw_damaged_record();
  return RecordReader(record.substr(kRecordHeaderBytes));
}

// The level below `depth`, the level of a list or a map.
inline std::size_t below(std::size_t depth) {
  if (depth > limits::kValueDepthMax) [[unlikely]]
    throw_damaged_record();
  return depth + 1;
}

// Moves from the count before attributes to the value of the attribute `name`; returns whether it
// exists.
inline bool go_to_attribute(RecordReader& reader, std::string_view name) {
  for (std::size_t left = reader.varint(); left > 0; --left) {
    const std::string_view met = reader.bytes();
    if (met == name) return true;
    // The first byte suffices to stop early.
    if (!met.empty() && !name.empty() &&
        static_cast<unsigned char>(met[0]) > static_cast<unsigned char>(name[0])) {
      return false;
    }
    reader.skip_payload(reader.type());
  }
  return false;
}

// Reads a value; strings point into the record. `depth` is the value's level: 1 for an attribute.
// In item_codec.cpp.
Value read_value(RecordReader& reader, Arena& arena, std::size_t depth = 1);
// In item_codec.cpp.
void encode_value(const Value& value, ByteWriter& out);

}  // namespace stator::storage
