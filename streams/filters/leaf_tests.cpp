#include "streams/filters/leaf_tests.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "protocol/number/number.h"

namespace stator::filters {
namespace {

constexpr std::uint8_t kBitsOfV4 = 32;
constexpr std::uint8_t kBitsOfV6 = 128;

// The whole block of one address.
std::optional<AddressBlock> parse_address(std::string_view text) {
  // inet_pton() reads up to a NUL.
  constexpr std::size_t kAddressCharsMax = 45;
  if (text.size() > kAddressCharsMax || text.find('\0') != std::string_view::npos)
    return std::nullopt;
  const std::string terminated(text);
  AddressBlock block;
  block.bits = kBitsOfV4;
  if (inet_pton(AF_INET, terminated.c_str(), block.bytes.data()) == 1) return block;
  block.is_v6 = true;
  block.bits = kBitsOfV6;
  if (inet_pton(AF_INET6, terminated.c_str(), block.bytes.data()) == 1) return block;
  return std::nullopt;
}

bool is_in_block(const AddressBlock& block, std::string_view text) {
  const auto address = parse_address(text);
  if (!address || address->is_v6 != block.is_v6) return false;
  const std::size_t whole = block.bits / 8U;
  if (std::memcmp(address->bytes.data(), block.bytes.data(), whole) != 0) return false;
  const unsigned rest = block.bits % 8U;
  if (rest == 0) return true;
  const unsigned differing =
      static_cast<unsigned>(address->bytes.at(whole)) ^ block.bytes.at(whole);
  return (differing >> (8U - rest)) == 0;
}

// Matches the text from the left, and goes back to the last star alone, so the time is at most the
// product of both lengths.
bool matches_wildcard(std::string_view pattern, std::string_view text) {
  std::size_t at = 0;
  std::size_t read = 0;
  std::optional<std::size_t> behind_star;
  std::size_t taken_by_star = 0;
  while (read < text.size()) {
    const bool is_escaped = at + 1 < pattern.size() && pattern[at] == '\\';
    if (at < pattern.size() && !is_escaped && pattern[at] == '*') {
      behind_star = ++at;
      taken_by_star = read;
    } else if (at < pattern.size() && pattern[at + (is_escaped ? 1 : 0)] == text[read]) {
      at += is_escaped ? 2 : 1;
      ++read;
    } else if (behind_star) {
      at = *behind_star;
      read = ++taken_by_star;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

bool passes_text(const LeafTest& test, std::string_view text) {
  switch (test.kind) {
    case TestKind::String:
      return text == test.text;
    case TestKind::Prefix:
      return text.starts_with(test.text);
    case TestKind::Suffix:
      return text.ends_with(test.text);
    case TestKind::EqualsIgnoringCase:
      return text.size() == test.text.size() && ascii_lower(text) == test.text;
    case TestKind::PrefixIgnoringCase:
      return ascii_lower(text.substr(0, test.text.size())) == test.text;
    case TestKind::SuffixIgnoringCase:
      return text.size() >= test.text.size() &&
             ascii_lower(text.substr(text.size() - test.text.size())) == test.text;
    case TestKind::Wildcard:
      return matches_wildcard(test.text, text);
    case TestKind::Cidr:
      return is_in_block(test.block, text);
    default:
      return false;
  }
}

bool passes_number(const LeafTest& test, std::string_view text) {
  if (test.kind != TestKind::Number && test.kind != TestKind::Numeric) return false;
  const auto number = ordered_number(text);
  if (!number) return false;
  if (test.kind == TestKind::Number) return *number == test.text;
  if (test.low &&
      (*number < test.low->number || (*number == test.low->number && !test.low->is_inclusive)))
    return false;
  return !test.high || *number < test.high->number ||
         (*number == test.high->number && test.high->is_inclusive);
}

}  // namespace

bool passes(const LeafTest& test, const JsonNode& scalar) {
  if (test.kind == TestKind::Exists) return true;
  if (test.kind == TestKind::AnythingBut) {
    return std::none_of(test.none_of.begin(), test.none_of.end(),
                        [&](const LeafTest& other) { return passes(other, scalar); });
  }
  switch (scalar.kind()) {
    case JsonNode::Kind::Null:
      return test.kind == TestKind::Null;
    case JsonNode::Kind::True:
      return test.kind == TestKind::True;
    case JsonNode::Kind::False:
      return test.kind == TestKind::False;
    case JsonNode::Kind::String:
      return passes_text(test, scalar.text());
    case JsonNode::Kind::Integer:
    case JsonNode::Kind::Decimal:
      return passes_number(test, scalar.text());
    case JsonNode::Kind::Array:
    case JsonNode::Kind::Object:
      break;
  }
  return false;
}

std::optional<std::string> ordered_number(std::string_view text) {
  Number number;
  if (parse_number(text, NumberRules::Current, number) != NumberError::None) return std::nullopt;
  std::array<char, Number::kOrderedBytesMax> bytes{};
  const std::size_t size = encode_number(number, bytes.data());
  return std::string(bytes.data(), size);
}

std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return lower;
}

bool is_wildcard(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (text[i] == '*' && next == '*') return false;
    if (text[i] != '\\') continue;
    if (next != '*' && next != '\\') return false;
    ++i;
  }
  return true;
}

std::optional<AddressBlock> parse_block(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  auto block = parse_address(text.substr(0, slash));
  const std::string_view digits = text.substr(slash + 1);
  unsigned bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  const bool is_read = error == std::errc() && end == digits.data() + digits.size();
  if (!block || !is_read || bits > block->bits) return std::nullopt;
  block->bits = static_cast<std::uint8_t>(bits);
  return block;
}

}  // namespace stator::filters
