#include "engine/storage/lmdb/headroom.h"

#include <fcntl.h>
#include <lmdb.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>

#include "engine/storage/lmdb/databases.h"
#include "engine/storage/lmdb/free_list.h"
#include "engine/storage/lmdb/lmdb_handle.h"

namespace stator::storage {
namespace {

// Number of pages freed before the last transaction. The next transaction cannot use those freed by
// the last one.
std::int64_t free_pages(MDB_env* env, std::size_t last_transaction) {
  MDB_txn* reader = nullptr;
  if (mdb_txn_begin(env, nullptr, MDB_RDONLY, &reader) != MDB_SUCCESS) return 0;
  std::int64_t count = 0;
  visit_free_list(reader, 0, [&](const FreedPages& freed) {
    if (freed.transaction() >= last_transaction) return false;
    count += static_cast<std::int64_t>(freed.size());
    return true;
  });
  mdb_txn_abort(reader);
  return count;
}

}  // namespace

std::size_t map_bytes_for(std::size_t bytes_max, std::size_t file_bytes) {
  std::size_t bytes = std::max(bytes_max, file_bytes) + kReserveBytes;
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    bytes = std::min(bytes, std::max<std::size_t>(limit.rlim_cur, file_bytes));
  return bytes;
}

void Ballast::keep(std::uint64_t file_bytes) {
  if (file_ >= 0 && file_bytes + kBytes > kept_until_) extend(file_bytes);
}

// Allocates twice the need, so that few commits allocate.
void Ballast::extend(std::uint64_t file_bytes) {
  const auto take = [&](std::size_t length) {
    const int code = ::fallocate(file_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(file_bytes),
                                 static_cast<off_t>(length));
    if (code == 0) kept_until_ = file_bytes + length;
    return code == 0;
  };
  is_disk_full_ = !take(2 * kBytes);
  if (!is_disk_full_) return;
  if (errno != ENOSPC && errno != EDQUOT && errno != EFBIG) {
    file_ = -1;  // a file system without fallocate
    is_disk_full_ = false;
  } else if (kept_until_ < file_bytes + kBytes) {
    take(kBytes);
  }
}

std::optional<std::uint64_t> Ballast::left(std::uint64_t file_bytes) {
  if (is_disk_full_) extend(file_bytes);
  if (!is_disk_full_) return std::nullopt;
  return kept_until_ > file_bytes ? kept_until_ - file_bytes : 0;
}

// If the map is smaller than requested, the reserve takes at most a quarter of it.
std::uint64_t ordinary_bytes_of(std::uint64_t map_bytes, std::uint64_t bytes) {
  return std::min(bytes, map_bytes - std::min<std::uint64_t>(kReserveBytes, map_bytes / 4));
}

std::int64_t ordinary_pages(MDB_env* env, std::uint64_t ordinary_bytes, Ballast& ballast,
                            bool counts_free) {
  MDB_envinfo info{};
  MDB_stat stat{};
  mdb_env_info(env, &info);
  mdb_env_stat(env, &stat);
  const auto pages_of = [&](std::uint64_t bytes) {
    return static_cast<std::int64_t>(bytes / stat.ms_psize);
  };
  const auto used = static_cast<std::int64_t>(info.me_last_pgno) + 1;
  std::int64_t pages = pages_of(ordinary_bytes) - used;
  if (const auto left = ballast.left(static_cast<std::uint64_t>(used) * stat.ms_psize))
    pages = std::min(pages, pages_of(*left) - pages_of(Ballast::kBytes));
  return counts_free ? pages + free_pages(env, info.me_last_txnid) : pages;
}

std::int64_t pages_in_use(MDB_txn* txn) {
  std::size_t pages = 0;
  for (std::size_t i = 0; i < kDatabaseCount; ++i) {
    MDB_stat stat{};
    if (mdb_stat(txn, dbi_of(static_cast<Database>(i)), &stat) != MDB_SUCCESS) continue;
    pages += stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages;
  }
  return static_cast<std::int64_t>(pages);
}

}  // namespace stator::storage
