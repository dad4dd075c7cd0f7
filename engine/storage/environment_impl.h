// What Environment is made of. Internal to this folder: transactions need it too.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "engine/storage/data_home.h"
#include "engine/storage/environment.h"
#include "engine/storage/folder_use.h"
#include "engine/storage/headroom.h"
#include "engine/storage/laid_pages.h"
#include "engine/storage/lmdb_handle.h"

namespace stator::storage {

struct Environment::Impl {
  EnvironmentOptions options;
  unsigned lmdb_flags = 0;
  FolderLock folder_lock;  // on disk: held as long as the environment is open
  // On disk: another descriptor of data.mdb, opened before anything is written. The kernel reports
  // an error of writing back once to every descriptor that was open by then, so this one still
  // tells when LMDB's own was told, and LMDB said no more than "EIO".
  Descriptor witness;
  std::unique_ptr<FolderUse> use;  // on disk

  // The writer's.
  Ballast ballast;
  LaidPages laid_pages;              // with Sync::Lazy
  Room room = Room::Enough;          // of the last write transaction
  std::uint64_t sync_count = 0;      // of `use`, when it began
  std::uint64_t ordinary_bytes = 0;  // of the map
  std::uint32_t newest_mark = 0;     // committed; 0: there is none
  std::int64_t ordinary_pages_left(const LmdbHandle& handle, bool counts_free) {
    return ordinary_pages(handle.env(), ordinary_bytes, ballast, counts_free);
  }

  static bool is_want_of_room(int code);
  // After each commit.
  void committed(const LmdbHandle& handle);
  // Ends writing when data.mdb has been removed: nobody would see what is written. Looks now and
  // then; with Sync::Commit before each commit.
  void look_for_data();
  std::atomic<bool> is_removed{false};
  std::chrono::steady_clock::time_point next_look{};

  // The handle for new transactions.
  std::shared_ptr<LmdbHandle> handle() const;

  // The handle for reads instead of `failed`, which LMDB declared unusable: read only, without
  // locks, since nobody writes any more. Empty when it cannot be opened.
  std::shared_ptr<LmdbHandle> handle_after(const std::shared_ptr<LmdbHandle>& failed);

  // After a commit that LMDB gave up with `code`: ends writing unless only the transaction is lost.
  void commit_failed(const LmdbHandle& failed, int code);
  void end_writing(std::string why);
  // Empty: writing goes on.
  std::string why_writing_ended() const;

  // Thread sanitizer cannot look into LMDB. This tells it what LMDB guarantees: a snapshot happens
  // after the commits it sees, and pages are used again only after the snapshots that need them.
  void tell_thread_sanitizer() {
#if defined(__SANITIZE_THREAD__)
    transaction_order_.fetch_add(1, std::memory_order_acq_rel);
#endif
  }

 private:
  friend class Environment;
  mutable std::mutex mutex_;
  std::shared_ptr<LmdbHandle> current_;
  std::string writing_ended_because_;
#if defined(__SANITIZE_THREAD__)
  std::atomic<std::uint64_t> transaction_order_{0};
#endif
};

}  // namespace stator::storage
