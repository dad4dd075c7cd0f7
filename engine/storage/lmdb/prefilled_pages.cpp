#include "engine/storage/lmdb/prefilled_pages.h"

#include <unistd.h>

#include <algorithm>
#include <vector>

namespace stator::storage {
namespace {

// About the size of a large batch, but little for a small store.
constexpr std::uint64_t kAheadBytesMin = std::uint64_t{256} << 10;
constexpr std::uint64_t kAheadBytesMax = std::uint64_t{2} << 20;
constexpr std::uint64_t kStepBytes = std::uint64_t{128} << 10;  // most commits write none

}  // namespace

void PrefilledPages::lay(std::uint64_t used_bytes, std::uint64_t limit) {
  const std::uint64_t ahead = std::clamp(used_bytes / 8, kAheadBytesMin, kAheadBytesMax);
  if (file_ < 0 || used_bytes + ahead <= laid_until_) return;
  const std::vector<char> zeros(page_bytes_);
  std::uint64_t at = std::max(laid_until_, used_bytes);
  const std::uint64_t until = std::min(used_bytes + ahead + kStepBytes, limit);
  while (at + page_bytes_ <= until) {
    const ssize_t written = ::pwrite(file_, zeros.data(), page_bytes_, static_cast<off_t>(at));
    if (written != static_cast<ssize_t>(page_bytes_)) return;  // LMDB will get the same error
    at += page_bytes_;
  }
  laid_until_ = std::max(laid_until_, at);
}

}  // namespace stator::storage
