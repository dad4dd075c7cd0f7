#include "engine/operations/paging/position_token.h"

#include <algorithm>

namespace stator {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::size_t kNameCharsMax = 255;
constexpr std::size_t kUnitBytesMax = 8;

}  // namespace

std::string position_token(const storage::DescriptionPosition& position, std::size_t unit_bytes) {
  std::string bytes(position.id);
  bytes += position.table_name;
  // No name of a table has such bytes.
  while (bytes.size() % unit_bytes != 0) bytes += '\0';
  std::string token;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    token += {kHexDigits[byte >> 4], kHexDigits[byte & 0xF]};
  }
  return token;
}

Result<storage::DescriptionPosition> read_position_token(std::string_view text, Arena& arena) {
  Error invalid =
      Error::validation("Invalid Request: Provided nextToken is invalid: " + std::string(text));
  const std::size_t size = text.size() / 2;
  if (text.size() % 2 != 0 || size <= storage::kBackupIdBytes ||
      size > storage::kBackupIdBytes + kNameCharsMax + kUnitBytesMax)
    return invalid;
  const auto bytes = arena.allocate_array<char>(size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t high = kHexDigits.find(text[2 * i]);
    const std::size_t low = kHexDigits.find(text[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return invalid;
    bytes[i] = static_cast<char>(high << 4 | low);
  }
  const std::string_view position(bytes.data(), size);
  const std::string_view id = position.substr(0, storage::kBackupIdBytes);
  if (id.find_first_not_of("0123456789abcdef-") != std::string_view::npos) return invalid;
  const std::string_view name = position.substr(id.size());
  return storage::DescriptionPosition{id, name.substr(0, std::min(name.size(), name.find('\0')))};
}

}  // namespace stator
