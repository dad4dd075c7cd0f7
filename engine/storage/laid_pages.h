// LaidPages: pages that data.mdb is about to grow by, written as zeros beforehand, one by one.
// Internal to this folder.
//
// Some kernels (ext4 since Linux 6.16) cache what is written behind the end of a file in folios as
// large as the write, and a later write of one page walks over all blocks of its folio. LMDB grows
// a file by many pages at once and writes single ones, all over it, from then on: these walks took
// as long as all else that the kernel does for a write. A page that is cached already stays as it
// is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stator::storage {

class LaidPages {
 public:
  LaidPages() = default;  // lays nothing
  // `file` is data.mdb, open for writing as long as this lives.
  LaidPages(int file, std::size_t page_bytes) : file_(file), page_bytes_(page_bytes) {}

  // After a commit that left the file with `used_bytes`, before the next transaction: pages behind
  // these, but none behind `limit`. Cheap until the file has grown.
  void lay(std::uint64_t used_bytes, std::uint64_t limit);

 private:
  int file_ = -1;
  std::size_t page_bytes_ = 0;
  std::uint64_t laid_until_ = 0;
};

}  // namespace stator::storage
