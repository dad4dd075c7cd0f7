// gzip and deflate (zlib format) for request and answer bodies. zlib.h is included in the .cpp
// only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/accept_encoding.h"

namespace stator {

enum class Inflated : std::uint8_t { Ok, Broken, TooLarge };

// Unpacks a whole body into `out`, which is replaced: several gzip members in a row, or one zlib
// stream. Broken when it is empty, damaged, cut short or followed by other bytes. `out` never holds
// more than `bytes_max`. REQUIRES: not Identity.
Inflated inflate_body(std::string_view packed, Encoding encoding, std::size_t bytes_max,
                      std::string& out);

// Packs `body` into `out`, which is replaced. REQUIRES: not Identity. Throws std::bad_alloc.
void deflate_body(std::string_view body, Encoding encoding, std::string& out);

// CRC-32 (IEEE) of the bytes, as x-amz-crc32 has it.
std::uint32_t crc32_of(std::string_view bytes);

}  // namespace stator
