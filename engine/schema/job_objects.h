// The objects that jobs read and write: their keys and compression.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stator {

// That of the folder of all jobs, below the prefix of a request: "PREFIX/AWSDynamoDB/".
inline std::string job_root_key(const std::optional<std::string>& prefix) {
  std::string key = prefix.value_or("");
  if (!key.empty() && !key.ends_with('/')) key += '/';
  return key += "AWSDynamoDB/";
}

enum class ObjectCompression : std::uint8_t { Gzip, Zstd, None };

// The name on the wire.
constexpr std::string_view to_text(ObjectCompression compression) {
  switch (compression) {
    case ObjectCompression::Gzip:
      return "GZIP";
    case ObjectCompression::Zstd:
      return "ZSTD";
    case ObjectCompression::None:
      break;
  }
  return "NONE";
}

// REQUIRES: a name on the wire.
constexpr ObjectCompression object_compression_of(std::string_view text) {
  if (text == to_text(ObjectCompression::Gzip)) return ObjectCompression::Gzip;
  return text == to_text(ObjectCompression::Zstd) ? ObjectCompression::Zstd
                                                  : ObjectCompression::None;
}

}  // namespace stator
