// gzip and deflate (zlib format) for request and response bodies. Only the .cpp includes zlib.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/http/accept_encoding.h"

namespace stator {

enum class Inflated : std::uint8_t { Ok, Broken, TooLarge };

// Unpacks a whole body into `out`, which is replaced: one or more gzip members, or one zlib stream.
// Returns Broken for empty, damaged or truncated input and for trailing bytes. `out` never exceeds
// `bytes_max`. REQUIRES: not Identity.
Inflated inflate_body(std::string_view packed, Encoding encoding, std::size_t bytes_max,
                      std::string& out);

// Packs `body` into `out`, which is replaced. REQUIRES: not Identity. Throws std::bad_alloc.
void deflate_body(std::string_view body, Encoding encoding, std::string& out);

// CRC-32 (IEEE) of the bytes, for x-amz-crc32.
std::uint32_t crc32_of(std::string_view bytes);

}  // namespace stator
