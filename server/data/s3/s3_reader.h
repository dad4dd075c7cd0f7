// Reads an object of S3 in ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "server/data/objects/object_store.h"
#include "server/data/s3/s3_client.h"

namespace stator::data {

inline constexpr std::size_t kS3RangeBytes = std::size_t{8} << 20;

// The range that a response has, of "bytes 0-99/1234".
struct ContentRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t total = 0;  // more than `last`
};
std::optional<ContentRange> read_content_range(std::string_view text);

// Has read the first range, which later ones must fit: an object that changes meanwhile is an
// error. `client` must outlive the reader.
tl::expected<std::unique_ptr<ObjectReader>, StoreFailure> open_s3_reader(S3Client& client,
                                                                         std::string bucket,
                                                                         std::string key);

}  // namespace stator::data
