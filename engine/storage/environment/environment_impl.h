// The state of an Environment. Internal to this folder: transactions need it too.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "engine/storage/durability/data_home.h"
#include "engine/storage/durability/folder_lifecycle.h"
#include "engine/storage/environment/environment.h"
#include "engine/storage/lmdb/headroom.h"
#include "engine/storage/lmdb/lmdb_handle.h"
#include "engine/storage/lmdb/prefilled_pages.h"

#if defined(__SANITIZE_THREAD__)
#define STATOR_THREAD_SANITIZER  // GCC's way to tell
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define STATOR_THREAD_SANITIZER
#endif
#endif

namespace stator::storage {

struct Environment::Impl {
  EnvironmentOptions options;
  unsigned lmdb_flags = 0;
  FolderLock folder_lock;  // on disk: held while the environment is open
  // On disk: a second descriptor of data.mdb, opened before any write. The kernel reports a
  // write-back error once to every descriptor open at that time. So this one still reports an error
  // that LMDB's own descriptor consumed and returned only as "EIO".
  Descriptor witness;
  std::unique_ptr<FolderLifecycle> use;  // on disk

  // For the writer only.
  Ballast ballast;
  PrefilledPages laid_pages;           // with Sync::Lazy
  FreeSpace room = FreeSpace::Enough;  // in the last write transaction
  std::uint64_t sync_count = 0;        // of `use`, at the beginning of the last write transaction
  std::uint64_t ordinary_bytes = 0;    // part of the map for ordinary writes
  std::uint32_t newest_mark = 0;       // committed; 0 if none
  std::int64_t ordinary_pages_left(const LmdbHandle& handle, bool counts_free) {
    return ordinary_pages(handle.env(), ordinary_bytes, ballast, counts_free);
  }

  static bool is_out_of_space(int code);
  // After each commit.
  void committed(const LmdbHandle& handle);
  // Ends writing if data.mdb was removed, because such writes would be lost. Checks at intervals;
  // with Sync::Commit before each commit.
  void look_for_data();
  std::atomic<bool> is_removed{false};
  std::chrono::steady_clock::time_point next_look{};

  // The handle for new transactions.
  std::shared_ptr<LmdbHandle> handle() const;

  // A handle for reads that replaces `failed`, which LMDB declared unusable. Read-only and without
  // locks, because writing has ended. Null if it cannot be opened.
  std::shared_ptr<LmdbHandle> handle_after(const std::shared_ptr<LmdbHandle>& failed);

  // After LMDB failed a commit with `code`: ends writing unless only the transaction is lost.
  void commit_failed(const LmdbHandle& failed, int code);
  void end_writing(std::string why);
  // Empty while writing is possible.
  std::string why_writing_ended() const;

  // Thread sanitizer cannot see into LMDB. This models LMDB's guarantees: a snapshot happens after
  // the commits it contains, and pages are reused only after the snapshots that need them.
  void tell_thread_sanitizer() {
#if defined(STATOR_THREAD_SANITIZER)
    transaction_order_.fetch_add(1, std::memory_order_acq_rel);
#endif
  }

 private:
  friend class Environment;
  mutable std::mutex mutex_;
  std::shared_ptr<LmdbHandle> current_;
  std::string writing_ended_because_;
#if defined(STATOR_THREAD_SANITIZER)
  std::atomic<std::uint64_t> transaction_order_{0};
#endif
};

}  // namespace stator::storage
