#include "engine/storage/records/item_codec.h"

#include <cassert>

#include "engine/storage/records/record_layout.h"
#include "protocol/values/item_size.h"

namespace stator::storage {
namespace {

// ------------------------------------------------------------------------------------------------
// Writing

void encode_members(std::span<const Member> members, std::size_t count, ByteWriter& out) {
  out.varint(count);
  for (const Member& member : members) {
    if (member.value.is_run()) {
      out.raw(member.value.run().encoded);
      continue;
    }
    out.bytes(member.name);
    encode_value(member.value, out);
  }
}

void encode_payload(const Value& value, ByteWriter& out) {
  if (value.type() == Type::M) {
    encode_members(value.members(), value.member_count(), out);
  } else if (value.type() == Type::L) {
    out.varint(value.element_count());
    for (const Value& element : value.elements()) {
      if (element.is_run()) {
        out.raw(element.run().encoded);
      } else {
        encode_value(element, out);
      }
    }
  } else {
    out.varint(value.set_elements().size());
    for (const std::string_view element : value.set_elements()) out.bytes(element);
  }
}

// ------------------------------------------------------------------------------------------------
// Reading as values

Item read_members(RecordReader& reader, Arena& arena, std::size_t depth) {
  const auto members = arena.allocate_array<Member>(reader.count());
  for (Member& member : members) {
    const std::string_view name = reader.bytes();
    new (&member) Member{name, read_value(reader, arena, depth)};
  }
  return members;
}

}  // namespace

Value read_value(RecordReader& reader, Arena& arena, std::size_t depth) {
  const Type type = reader.type();
  switch (type) {
    case Type::N:
      return Value::scalar(type, reader.number());
    case Type::S:
    case Type::B:
      return Value::scalar(type, reader.bytes());
    case Type::Bool:
      return Value::boolean(reader.truth());
    case Type::Null:
      return Value::null();
    case Type::SS:
    case Type::NS:
    case Type::BS: {
      reader.length();
      const auto elements = arena.allocate_array<std::string_view>(reader.count());
      for (auto& element : elements)
        new (&element) std::string_view(type == Type::NS ? reader.number() : reader.bytes());
      return Value::set(type, elements);
    }
    case Type::L: {
      reader.length();
      const std::size_t inside = below(depth);
      const auto elements = arena.allocate_array<Value>(reader.count());
      for (auto& element : elements) new (&element) Value(read_value(reader, arena, inside));
      return Value::list(elements);
    }
    case Type::M:
      reader.length();
      return Value::map(read_members(reader, arena, below(depth)));
  }
  __builtin_unreachable();
}

void encode_value(const Value& value, ByteWriter& out) {
  out.u8(static_cast<std::uint8_t>(code_of(value.type())));
  switch (value.type()) {
    case Type::S:
    case Type::N:
    case Type::B:
      out.bytes(value.bytes());
      return;
    case Type::Bool:
      out.u8(value.truth() ? 1 : 0);
      return;
    case Type::Null:
      return;
    case Type::SS:
    case Type::NS:
    case Type::BS:
    case Type::L:
    case Type::M: {
      const std::size_t begun = out.begin_block();
      encode_payload(value, out);
      out.end_block(begun);
      return;
    }
  }
}

void encode_item(Item item, std::string& out) {
  encode_item(item, item_size_bytes(item), Stamp{}, out);
}

void encode_item(Item item, std::size_t size_bytes, const Stamp& written, std::string& out) {
  // Names, types and lengths add a few bytes per attribute to the billed size.
  out.reserve(out.size() + kRecordHeaderBytes + size_bytes + 8 * item.size() + 8);
  assert(size_bytes <= UINT32_MAX);
  ByteWriter writer(out);
  write_record_header(writer, static_cast<std::uint32_t>(size_bytes), written);
  encode_members(item, item.size(), writer);
}

EncodedItem::EncodedItem(std::string_view record) : record_(record) {
  if (record.size() <= kRecordHeaderBytes || record.front() != kRecordFormat)
    throw_damaged_record();
}

std::size_t EncodedItem::size_bytes() const {
  return load_le<std::uint32_t>(record_.data() + kSizeAt);
}

Stamp EncodedItem::written() const {
  const auto unix_us = static_cast<std::int64_t>(load_le<std::uint64_t>(record_.data() + kTimeAt));
  return {Timestamp{unix_us}, Origin{static_cast<std::uint8_t>(record_[kOriginAt])}};
}

std::size_t EncodedItem::attribute_count() const { return attributes_of(record_).varint(); }

std::optional<Value> EncodedItem::find(std::string_view name, Arena& arena) const {
  RecordReader reader = attributes_of(record_);
  if (!go_to_attribute(reader, name)) return {};
  return read_value(reader, arena);
}

std::optional<std::string_view> EncodedItem::find_number(std::string_view name) const {
  RecordReader reader = attributes_of(record_);
  if (!go_to_attribute(reader, name) || reader.type() != Type::N) return {};
  return reader.number();
}

Item EncodedItem::decode(Arena& arena) const {
  RecordReader reader = attributes_of(record_);
  const Item item = read_members(reader, arena, /*depth=*/1);
  if (!reader.at_end()) throw_damaged_record();
  return item;
}

bool is_same_value(const Value& value, const Value& other) {
  if (value.type() != other.type()) return false;
  if (value.type() != Type::L && value.type() != Type::M) return value == other;
  std::string bytes;
  std::string other_bytes;
  ByteWriter out(bytes);
  ByteWriter other_out(other_bytes);
  encode_value(value, out);
  encode_value(other, other_out);
  return bytes == other_bytes;
}

bool is_same_item(std::string_view record, std::string_view other) {
  return record.size() == other.size() && record.size() > kRecordHeaderBytes &&
         record.substr(kRecordHeaderBytes) == other.substr(kRecordHeaderBytes);
}

}  // namespace stator::storage
