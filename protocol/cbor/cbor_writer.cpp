// The writer of CBOR, from JSON.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "protocol/cbor/cbor.h"
#include "protocol/memory/arena.h"
#include "protocol/text/base64.h"

namespace stator {

namespace {

// First bytes: the kind of an item in the three upper bits.
constexpr unsigned kHeadUnsigned = 0x00;
constexpr unsigned kHeadNegative = 0x20;
constexpr unsigned kHeadBytes = 0x40;
constexpr unsigned kHeadText = 0x60;
constexpr unsigned kHeadArray = 0x80;
constexpr unsigned kHeadMap = 0xA0;
constexpr unsigned kHeadTime = 0xC1;
constexpr unsigned kHeadFalse = 0xF4;
constexpr unsigned kHeadTrue = 0xF5;
constexpr unsigned kHeadNull = 0xF6;
constexpr unsigned kHeadDouble = 0xFB;

void append_big_endian(std::string& out, std::uint64_t value, unsigned size_bytes) {
  for (unsigned i = size_bytes; i-- > 0;) out += static_cast<char>(value >> (8 * i) & 0xFFU);
}

// The shortest form.
void append_head(std::string& out, unsigned kind, std::uint64_t value) {
  if (value < 24) {
    out += static_cast<char>(kind | value);
    return;
  }
  const unsigned size_log2 = value <= 0xFFU         ? 0U
                             : value <= 0xFFFFU     ? 1U
                             : value <= 0xFFFFFFFFU ? 2U
                                                    : 3U;
  out += static_cast<char>(kind | (24U + size_log2));
  append_big_endian(out, value, 1U << size_log2);
}

void append_string(std::string& out, unsigned kind, std::string_view text) {
  append_head(out, kind, text.size());
  out += text;
}

void append_integer(std::string& out, std::int64_t value) {
  if (value >= 0) {
    append_head(out, kHeadUnsigned, static_cast<std::uint64_t>(value));
  } else {
    append_head(out, kHeadNegative, static_cast<std::uint64_t>(-1 - value));
  }
}

double double_of(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// An integer of 64 bits, or else a double.
void append_number(std::string& out, const JsonNode& node) {
  const std::string_view text = node.text();
  std::int64_t whole = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), whole);
  const bool is_whole = node.kind() == JsonNode::Kind::Integer && read.ec == std::errc{};
  if (is_whole) return append_integer(out, whole);
  out += static_cast<char>(kHeadDouble);
  append_big_endian(out, std::bit_cast<std::uint64_t>(double_of(text)), 8);
}

bool is_in(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void append_member(std::string& out, const JsonMember& member, const CborNames& names) {
  append_string(out, kHeadText, member.name);
  const JsonNode& value = member.value;
  if (value.kind() == JsonNode::Kind::String && is_in(names.blobs, member.name)) {
    Arena arena;
    return append_string(out, kHeadBytes, decode_base64(value.text(), arena));
  }
  const bool is_number =
      value.kind() == JsonNode::Kind::Integer || value.kind() == JsonNode::Kind::Decimal;
  if (is_number && is_in(names.times, member.name)) {
    constexpr double kMsPerS = 1000;
    out += static_cast<char>(kHeadTime);
    return append_integer(out, std::llround(double_of(value.text()) * kMsPerS));
  }
  append_cbor(out, value, names);
}

}  // namespace

void append_cbor(std::string& out, const JsonNode& document, const CborNames& names) {
  switch (document.kind()) {
    case JsonNode::Kind::Null:
      out += static_cast<char>(kHeadNull);
      return;
    case JsonNode::Kind::False:
      out += static_cast<char>(kHeadFalse);
      return;
    case JsonNode::Kind::True:
      out += static_cast<char>(kHeadTrue);
      return;
    case JsonNode::Kind::Integer:
    case JsonNode::Kind::Decimal:
      return append_number(out, document);
    case JsonNode::Kind::String:
      return append_string(out, kHeadText, document.text());
    case JsonNode::Kind::Array:
      append_head(out, kHeadArray, document.elements().size());
      for (const JsonNode& element : document.elements()) append_cbor(out, element, names);
      return;
    case JsonNode::Kind::Object:
      break;
  }
  append_head(out, kHeadMap, document.members().size());
  for (const JsonMember& member : document.members()) append_member(out, member, names);
}

}  // namespace stator
