// Selects a compression from an Accept-Encoding header (conformance/observed/wire.md 7).
#pragma once

#include <cstdint>
#include <string_view>

namespace stator {

enum class Encoding : std::uint8_t { Identity, Gzip, Deflate };

// Reads the header as the service does. Of gzip and deflate, the higher q wins; on a tie the first
// named. q=0 excludes; a q above 1 or unreadable is 1. The first `q=` in an entry counts, even as
// the end of another parameter's name. `*` stands for codings that are not named, gzip before
// deflate. All other names are ignored, `identity` too.
Encoding negotiate_encoding(std::string_view accept_encoding);

}  // namespace stator
