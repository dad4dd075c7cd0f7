// Base64 (RFC 4648, standard alphabet, padding required) with the service's two errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/memory/arena.h"

namespace stator {

enum class Base64Error : std::uint8_t {
  None,
  BadLength,  // not a multiple of four characters
  BadText,    // foreign character, padding inside, or unused bits set
};

// Checks without decoding.
Base64Error check_base64(std::string_view text);
// Decodes text that check_base64 accepts; the result lives in the arena.
std::string_view decode_base64(std::string_view text, Arena& arena);
// Appends the encoding of `bytes`.
void append_base64(std::string& out, std::string_view bytes);

// Writes the encoding to `out`, which has space for base64_size(bytes.size()); returns the end.
constexpr std::size_t base64_size(std::size_t size_bytes) { return (size_bytes + 2) / 3 * 4; }
char* write_base64(char* out, std::string_view bytes);

}  // namespace stator
