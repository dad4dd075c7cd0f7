// Packing: how the bytes of a file or an object are compressed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stator::data {

enum class Packing : std::uint8_t { None, Gzip, Zstd };

// "none", "gzip", "zstd"
std::string_view packing_name(Packing packing);

// The reverse of packing_name(); empty for any other text.
std::optional<Packing> find_packing(std::string_view name);

// The ending of a file's name: "", ".gz", ".zst".
std::string_view packing_ending(Packing packing);

// What the ending of a file's name says.
Packing packing_of_name(std::string_view name);

}  // namespace stator::data
