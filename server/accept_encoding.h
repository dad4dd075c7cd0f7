// Which compression an Accept-Encoding header asks for (conformance/observed/wire.md 7).
#pragma once

#include <cstdint>
#include <string_view>

namespace stator {

enum class Encoding : std::uint8_t { Identity, Gzip, Deflate };

// The service's reading of the header: of gzip and deflate the one with the highest q, on a tie the
// first named; q=0 excludes, q above 1 and one that cannot be read is 1. The first `q=` of an entry
// counts, even as the end of another parameter's name. `*` stands for what is not named, gzip
// before deflate. Every other name is skipped, `identity` too.
Encoding negotiate_encoding(std::string_view accept_encoding);

}  // namespace stator
