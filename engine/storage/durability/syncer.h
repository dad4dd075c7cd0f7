// Syncer: makes commits without a sync survive a power failure after an interval. Internal to this
// folder.
//
// A state is on disk once all its pages are and its meta page is stored in the file `synced`. LMDB
// never overwrites a page of the last synced state unless a copy is in the file `kept`. For that,
// an LMDB reader stays open on the state, or on a later one up to which every freed page of the
// state is preserved (preserved_pages.h); LMDB never writes to pages that a reader may use. So the
// disk always holds one whole state whose meta page is known, in whatever order the kernel writes
// the rest.
//
// The price: freed pages are not reused for some milliseconds, or, once no more can be preserved,
// until the next sync. Meanwhile the file grows by the pages overwritten. If that is much, a sync
// starts early; if the disk is too slow, writing waits for it.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "engine/storage/durability/preserved_pages.h"
#include "engine/storage/durability/synced_file.h"
#include "engine/storage/lmdb/lmdb_handle.h"

struct MDB_txn;

namespace stator::storage {

// When a sync is to begin, so that the oldest write that is not on the disk, which came at `since`
// (while another sync was on its way, perhaps), is there when it is an interval old. `takes`: how
// long a sync takes.
std::chrono::steady_clock::time_point sync_begins_at(std::chrono::steady_clock::time_point since,
                                                     std::chrono::milliseconds interval,
                                                     std::chrono::milliseconds takes);

class Syncer {
 public:
  // Called once, on the syncer's thread, if the disk failed; no sync follows.
  using Failed = std::function<void(std::string why)>;

  // Preserved pages of the state on disk and of the state being synced; they alternate.
  using Kept = std::array<PreservedPages, kKeptFileNames.size()>;

  // `data_file` is data.mdb, open for reading; `synced` and `kept` must outlive the syncer. `boot`
  // is read_boot_id(). REQUIRES: no write to the environment since it was opened.
  Syncer(std::shared_ptr<LmdbHandle> handle, int data_file, SyncedFile& synced, Kept& kept,
         std::string boot, std::chrono::milliseconds interval, Failed failed);
  // Does not sync.
  ~Syncer();
  Syncer(const Syncer&) = delete;
  Syncer& operator=(const Syncer&) = delete;

  // Runs the first sync and starts the thread for the others. Returns 0, or an LMDB code or errno.
  int start();

  // Call after each commit, on its thread, without a write transaction. Waits for a sync if the
  // file, whose `used_bytes` are now in use, has grown much since the last one.
  void committed(std::uint64_t used_bytes);

  // Number of successful syncs. Pages that a sync makes reusable may be reused only after it ends.
  std::uint64_t sync_count() const { return sync_count_.load(std::memory_order_relaxed); }

  // Starts a sync now and waits until more than `count` have succeeded. False if all is synced
  // already or the sync failed. REQUIRES: the caller has no write transaction.
  bool sync_after(std::uint64_t count);

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  void note_sync_took(Clock::duration time);
  void sync_until_stopped();
  void wait_for_sync(std::unique_lock<std::mutex>& lock);
  PreservedPages::Outcome move_pin();
  int sync();
  int flush(const SyncedState& mark);
  int pin_newest_state(MDB_txn** reader, MetaPage& state);

  const std::shared_ptr<LmdbHandle> handle_;
  const int data_file_;
  SyncedFile& synced_;
  Kept& kept_;
  const std::string boot_;
  const std::chrono::milliseconds interval_;
  const Failed failed_;

  // Used by the thread only, after start(): a reader on the last synced state, or on a later one up
  // to which its pages are preserved.
  MDB_txn* pinned_ = nullptr;
  std::size_t kept_of_synced_ = kKeptFileNames.size() - 1;  // the place in kept_; the first is next
  bool is_flushing_ = false;                                // the other one keeps, too
  std::chrono::milliseconds sync_takes_{0};                 // at most, of late
  std::atomic<bool> has_unsynced_{false};
  std::atomic<bool> is_urgent_{false};
  std::atomic<std::uint64_t> used_bytes_synced_{0};

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable synced_or_ended_;
  Clock::time_point unsynced_since_;  // when has_unsynced_ became true; guarded by mutex_
  bool is_stopped_ = false;           // guarded by mutex_, like the next three
  bool has_ended_ = false;            // the thread has, or is about to
  bool is_syncing_ = false;           // a sync of the unsynced commits is in progress
  std::uint64_t tried_count_ = 0;     // by the thread
  std::atomic<std::uint64_t> sync_count_{0};
  std::thread thread_;
};

}  // namespace stator::storage
