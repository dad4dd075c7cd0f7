// The version of the bytes on disk and the keys of the Meta database. Internal to this folder;
// FORMAT.md draws all of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/storage/big_endian.h"

namespace stator::storage {

// Raised by one with every change that an older or newer program would misread. Persisted.
inline constexpr std::uint32_t kFormatVersion = 2;

// Meta keys. Persisted.
inline constexpr std::string_view kFormatKey = "format";
inline constexpr std::string_view kNextNodeKey = "next-node";

inline constexpr std::string_view kFormatMagic = "stator";

// format := "stator" | version:u32be
inline std::string encode_format(std::uint32_t version) {
  std::string text(kFormatMagic);
  append_u32_be(text, version);
  return text;
}

// Empty: not a format of ours at all.
inline std::optional<std::uint32_t> decode_format(std::string_view bytes) {
  if (bytes.size() != kFormatMagic.size() + 4 || !bytes.starts_with(kFormatMagic)) return {};
  return read_u32_be(bytes.data() + kFormatMagic.size());
}

}  // namespace stator::storage
