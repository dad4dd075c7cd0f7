// LMDB's list of free pages: for each transaction, the pages that it freed. LMDB shows it to read
// transactions only. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

struct MDB_txn;

namespace stator::storage {

// The pages that one transaction freed. The memory is inside an LMDB page and has no alignment.
class FreedPages {
 public:
  FreedPages(std::uint64_t transaction, const void* record)
      : transaction_(transaction), record_(static_cast<const char*>(record)) {}

  std::uint64_t transaction() const { return transaction_; }
  std::size_t size() const { return number_at(0); }
  // REQUIRES: index < size()
  std::uint64_t page(std::size_t index) const { return number_at(index + 1); }
  // The address of the file's map, which LMDB does not return: the record is in a page of the map,
  // and a page begins with its number. REQUIRES: `page_bytes` is at most the machine's page size,
  // to which the map is aligned.
  const char* map(std::size_t page_bytes) const {
    const char* const page = record_ - reinterpret_cast<std::uintptr_t>(record_) % page_bytes;
    std::size_t number = 0;
    std::memcpy(&number, page, sizeof number);
    return page - number * page_bytes;
  }

 private:
  // The record is the number of pages, then each page.
  std::size_t number_at(std::size_t place) const {
    std::size_t number = 0;
    std::memcpy(&number, record_ + place * sizeof number, sizeof number);
    return number;
  }

  std::uint64_t transaction_;
  const char* record_;
};

// Calls `visit` for each transaction of the list from `first` on, in order, until it returns false.
// Returns 0 or an LMDB code.
int visit_free_list(MDB_txn* reader, std::uint64_t first,
                    const std::function<bool(const FreedPages& freed)>& visit);

}  // namespace stator::storage
