// A record as the wire's JSON, without building values in between: what answers with items spend
// their time on.
#include "engine/storage/item_codec.h"
#include "engine/storage/record_layout.h"
#include "protocol/json_buffer.h"

namespace stator::storage {
namespace {

void append_value(RecordReader& reader, JsonBuffer& out, std::size_t depth);

void append_members(RecordReader& reader, JsonBuffer& out, std::size_t depth) {
  out.character('{');
  for (std::size_t left = reader.count(); left > 0; --left) {
    out.string(reader.bytes());
    out.character(':');
    append_value(reader, out, depth);
    if (left > 1) out.character(',');
  }
  out.character('}');
}

// The elements behind a length and what is to be done with each.
template <class AppendElement>
void append_elements(RecordReader& reader, JsonBuffer& out, AppendElement append_element) {
  out.character('[');
  reader.length();
  for (std::size_t left = reader.count(); left > 0; --left) {
    append_element();
    if (left > 1) out.character(',');
  }
  out.literal("]}");
}

void append_value(RecordReader& reader, JsonBuffer& out, std::size_t depth) {
  switch (reader.type()) {
    case Type::S:
      out.literal(R"({"S":)");
      out.string(reader.bytes());
      return out.character('}');
    case Type::N:
      out.literal(R"({"N":)");
      out.number(reader.number());
      return out.character('}');
    case Type::B:
      out.literal(R"({"B":)");
      out.base64(reader.bytes());
      return out.character('}');
    case Type::Bool:
      if (reader.truth()) return out.literal(R"({"BOOL":true})");
      return out.literal(R"({"BOOL":false})");
    case Type::Null:
      return out.literal(R"({"NULL":true})");
    case Type::SS:
      out.literal(R"({"SS":)");
      return append_elements(reader, out, [&] { out.string(reader.bytes()); });
    case Type::NS:
      out.literal(R"({"NS":)");
      return append_elements(reader, out, [&] { out.number(reader.number()); });
    case Type::BS:
      out.literal(R"({"BS":)");
      return append_elements(reader, out, [&] { out.base64(reader.bytes()); });
    case Type::L:
      out.literal(R"({"L":)");
      depth = below(depth);
      return append_elements(reader, out, [&] { append_value(reader, out, depth); });
    case Type::M:
      out.literal(R"({"M":)");
      reader.length();
      append_members(reader, out, below(depth));
      return out.character('}');
  }
}

}  // namespace

void EncodedItem::append_json(std::string& out) const {
  RecordReader reader = attributes_of(record_);
  // Names and types in quotes make up for half of the bytes of usual items.
  JsonBuffer buffer(out, record_.size() * 3 / 2 + kNumberTextBytesMax);
  append_members(reader, buffer, /*depth=*/1);
  if (!reader.at_end()) throw_damaged_record();
}

}  // namespace stator::storage
