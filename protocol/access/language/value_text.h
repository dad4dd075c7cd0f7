// Numbers, moments and addresses as the conditions of policies write them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stator::access {

// A number as bytes whose order is that of the numbers. Empty if the text is none, or one that the
// service's numbers cannot hold.
std::optional<std::string> read_number(std::string_view text);

// Microseconds since 1970 of an ISO 8601 date, with or without a time and a zone (UTC if there is
// none), or of whole seconds since 1970. Empty if it is neither.
std::optional<std::int64_t> read_moment(std::string_view text);

// An address, or a block of them.
struct IpBlock {
  std::array<unsigned char, 16> bytes{};
  bool is_v6 = false;
  unsigned prefix_bits = 0;

  bool contains(const IpBlock& address) const;
};
// Reads ADDRESS or ADDRESS/BITS of IPv4 or IPv6.
std::optional<IpBlock> read_ip_block(std::string_view text);

}  // namespace stator::access
