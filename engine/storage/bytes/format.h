// The version of the bytes on disk. Internal to this folder; engine/storage/FORMAT.md draws the
// format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/storage/bytes/bytes.h"

namespace stator::storage {

// Raised by one with every change that an older or newer program would misread. Persisted.
inline constexpr std::uint32_t kFormatVersion = 10;

inline constexpr std::string_view kFormatMagic = "stator";

// format := "stator" | version:u32be
inline std::string encode_format(std::uint32_t version) {
  std::string text;
  ByteWriter out(text);
  out.raw(kFormatMagic);
  out.be(version);
  return text;
}

// Empty if the bytes are not our format.
inline std::optional<std::uint32_t> decode_format(std::string_view bytes) {
  ByteReader in(bytes);
  const bool is_ours = in.raw(kFormatMagic.size()) == kFormatMagic;
  const auto version = in.be<std::uint32_t>();
  if (!is_ours || in.is_damaged() || !in.at_end()) return {};
  return version;
}

}  // namespace stator::storage
