// Which compression an Accept-Encoding header asks for (conformance/observed/wire.md 7).
#pragma once

#include <cstdint>
#include <string_view>

namespace stator {

enum class Encoding : std::uint8_t { Identity, Gzip, Deflate };

// The service's reading of the header: of gzip and deflate the one with the highest q, on a tie the
// first named; q=0 excludes, q above 1 is 1; `*` alone means gzip; every other name is skipped. A
// part that cannot be read is skipped too.
Encoding negotiate_encoding(std::string_view accept_encoding);

}  // namespace stator
