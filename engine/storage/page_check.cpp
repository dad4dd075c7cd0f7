// Whether the trees of a store are what LMDB says they are: for `stator check`.
#include <lmdb.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/storage/environment_impl.h"
#include "engine/storage/lmdb_handle.h"

namespace stator::storage {
namespace {

constexpr MDB_dbi kFreePages = 0;
constexpr MDB_dbi kNamedDatabases = 1;
constexpr std::uint64_t kMetaPages = 2;

struct Abort {
  void operator()(MDB_txn* txn) const { mdb_txn_abort(txn); }
};
struct Close {
  void operator()(MDB_cursor* cursor) const { mdb_cursor_close(cursor); }
};

class PageChecker {
 public:
  PageChecker(MDB_txn* txn, std::vector<std::string>& findings) : txn_(txn), findings_(findings) {}

  std::uint64_t pages() const { return pages_; }

  // Walks all entries of a database: their order, their number, every byte of their values.
  Result<void> walk(MDB_dbi dbi, const std::string& name) {
    MDB_stat stat{};
    int code = mdb_stat(txn_, dbi, &stat);
    if (code != MDB_SUCCESS) return lmdb_error("read the size of " + name, code);
    pages_ += stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages;
    MDB_cursor* opened = nullptr;
    code = mdb_cursor_open(txn_, dbi, &opened);
    if (code != MDB_SUCCESS) return lmdb_error("read " + name, code);
    const std::unique_ptr<MDB_cursor, Close> cursor(opened);
    MDB_val key{};
    MDB_val value{};
    std::uint64_t entries = 0;
    std::string previous;
    while ((code = mdb_cursor_get(opened, &key, &value, MDB_NEXT)) == MDB_SUCCESS) {
      ++entries;
      const std::string_view bytes = from_lmdb(key);
      if (dbi != kFreePages && entries > 1 && bytes <= previous)
        findings_.push_back(name + ": keys are out of order");
      previous = bytes;
      touch(from_lmdb(value));
      if (dbi == kFreePages) count_free(from_lmdb(value));
    }
    if (code != MDB_NOTFOUND) return lmdb_error("read " + name, code);
    if (entries != stat.ms_entries)
      findings_.push_back(name + ": " + std::to_string(entries) + " entries, " +
                          std::to_string(stat.ms_entries) + " are recorded");
    return {};
  }

 private:
  // A page that cannot be read from the disk shows.
  void touch(std::string_view value) {
    for (std::size_t i = 0; i < value.size(); i += 512) sum_ = sum_ ^ value[i];
  }

  // The number of pages, then their numbers.
  void count_free(std::string_view value) {
    std::uint64_t count = 0;
    if (value.size() >= sizeof count) std::memcpy(&count, value.data(), sizeof count);
    if (value.size() / sizeof count <= count) findings_.emplace_back("free pages cannot be read");
    pages_ += count;
  }

  MDB_txn* txn_;
  std::vector<std::string>& findings_;
  std::uint64_t pages_ = kMetaPages;
  volatile int sum_ = 0;
};

}  // namespace

Result<void> Environment::check_pages(std::vector<std::string>& findings) const {
  const auto handle = impl_->handle();
  MDB_txn* txn = nullptr;
  const int code = mdb_txn_begin(handle->env(), nullptr, MDB_RDONLY, &txn);
  if (code != MDB_SUCCESS) return lmdb_error("begin to read", code);
  const std::unique_ptr<MDB_txn, Abort> owner(txn);
  MDB_envinfo info{};
  mdb_env_info(handle->env(), &info);
  const bool is_newest = info.me_last_txnid == mdb_txn_id(txn);
  PageChecker checker(txn, findings);
  STATOR_CHECK(checker.walk(kFreePages, "the list of free pages"));
  STATOR_CHECK(checker.walk(kNamedDatabases, "the list of databases"));
  for (std::size_t i = 0; i < kDatabaseCount; ++i) {
    STATOR_CHECK(checker.walk(dbi_of(static_cast<Database>(i)), "database " + std::to_string(i)));
  }
  // Beside a server that goes on, the file may have grown since.
  if (is_newest && checker.pages() != info.me_last_pgno + 1)
    findings.push_back(std::to_string(checker.pages()) +
                       " pages are in use or free, the file has " +
                       std::to_string(info.me_last_pgno + 1));
  return {};
}

}  // namespace stator::storage
