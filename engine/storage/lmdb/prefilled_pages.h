// PrefilledPages: prefilled pages, which data.mdb is about to grow by, written one by one as zeros.
// Internal to this folder.
//
// Some kernels (ext4 since Linux 6.16) cache a write after the end of a file in folios as large as
// the write; a later write of one page then visits all blocks of its folio. LMDB grows a file by
// many pages at once and later writes single pages all over it; these visits took as long as all
// other kernel work for a write. A page that is cached already keeps its own folio.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stator::storage {

class PrefilledPages {
 public:
  PrefilledPages() = default;  // prefills nothing
  // `file` is data.mdb, open for writing while this object lives.
  PrefilledPages(int file, std::size_t page_bytes) : file_(file), page_bytes_(page_bytes) {}

  // Call after a commit that left the file with `used_bytes`, before the next transaction. Prefills
  // pages after these, but not beyond `limit`. Cheap until the file has grown.
  void lay(std::uint64_t used_bytes, std::uint64_t limit);

 private:
  int file_ = -1;
  std::size_t page_bytes_ = 0;
  std::uint64_t laid_until_ = 0;
};

}  // namespace stator::storage
