// Seals: tokens given to clients and verified on return.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace stator::storage {

inline constexpr std::size_t kSealBytes = 32;

// HMAC-SHA256 of the text.
std::array<char, kSealBytes> seal_of(std::string_view text, std::string_view secret);

// The payload followed by its seal. `head` is sealed too but not part of the result.
std::string sealed(std::string_view head, std::string_view payload, std::string_view secret);
// The payload; empty if it was not sealed with this head and secret. Takes the same time wherever
// the seal differs.
std::optional<std::string_view> unsealed(std::string_view head, std::string_view bytes,
                                         std::string_view secret);

}  // namespace stator::storage
