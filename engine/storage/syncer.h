// Syncer: makes what was committed without a sync survive a power cut, an interval later. Internal
// to this folder.
//
// A state is on the disk when all its pages are and its meta page is kept in the file `synced`. Its
// pages stay as they are, or on the disk in a file `kept`, until a later state is there: a reader
// of LMDB is open on it, or on one behind it up to which every page of it that was given up is kept
// (kept_pages.h), and LMDB never writes into pages that a reader may look at. So at every moment
// the disk holds one whole state whose meta page is known, in whatever order the kernel writes the
// rest.
//
// The price: pages that are given up are not used again for some milliseconds, or, where no more
// can be kept, until the next sync, so the file grows by what is overwritten in between. A sync
// comes early when that is much, and writing waits for it when the disk is too slow for that.
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

#include "engine/storage/kept_pages.h"
#include "engine/storage/lmdb_handle.h"
#include "engine/storage/synced_file.h"

struct MDB_txn;

namespace stator::storage {

class Syncer {
 public:
  // Called once, on the syncer's thread, when the disk failed; no sync follows.
  using Failed = std::function<void(std::string why)>;

  // Of the state that is on the disk, and of the one that is being synced, in turns.
  using Kept = std::array<KeptPages, kKeptFileNames.size()>;

  // `data_file` is data.mdb, open for reading; `synced` and `kept` outlive the syncer. Nobody may
  // have written to the environment since it was opened. `boot` is read_boot_id().
  Syncer(std::shared_ptr<LmdbHandle> handle, int data_file, SyncedFile& synced, Kept& kept,
         std::string boot, std::chrono::milliseconds interval, Failed failed);
  // Without a last sync.
  ~Syncer();
  Syncer(const Syncer&) = delete;
  Syncer& operator=(const Syncer&) = delete;

  // The first sync, and the thread that does the others. 0, or a code of LMDB or an errno.
  int start();

  // After each commit, on its thread, without a write transaction. Waits for a sync when the file,
  // of which `used_bytes` are in use now, has grown by much since the last one.
  void committed(std::uint64_t used_bytes);

  // How many syncs have succeeded. What one makes usable again may be so only from its end on.
  std::uint64_t sync_count() const { return sync_count_.load(std::memory_order_relaxed); }

  // Waits until more than `count` syncs have succeeded, and has the next one come now; false: all
  // is synced, or the next one failed. The caller has no write transaction.
  bool sync_after(std::uint64_t count);

 private:
  void run();
  void sync_until_stopped();
  void wait_for_sync(std::unique_lock<std::mutex>& lock);
  KeptPages::Outcome move_pin();
  int sync();
  int flush(const SyncedMark& mark);
  int pin_newest_state(MDB_txn** reader, MetaPage& state);

  const std::shared_ptr<LmdbHandle> handle_;
  const int data_file_;
  SyncedFile& synced_;
  Kept& kept_;
  const std::string boot_;
  const std::chrono::milliseconds interval_;
  const Failed failed_;

  // The thread's, after start(): a reader of the last synced state, or of one up to which its pages
  // are kept.
  MDB_txn* pinned_ = nullptr;
  std::size_t kept_of_synced_ = kKeptFileNames.size() - 1;  // the place in kept_; the first is next
  bool is_flushing_ = false;                                // the other one keeps, too
  std::chrono::milliseconds last_sync_took_{0};
  std::atomic<bool> has_unsynced_{false};
  std::atomic<bool> is_urgent_{false};
  std::atomic<std::uint64_t> used_bytes_synced_{0};

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable synced_or_ended_;
  bool is_stopped_ = false;        // guarded by mutex_, like the next three
  bool has_ended_ = false;         // the thread has, or is about to
  bool is_syncing_ = false;        // what was unsynced is no more, but not yet synced either
  std::uint64_t tried_count_ = 0;  // by the thread
  std::atomic<std::uint64_t> sync_count_{0};
  std::thread thread_;
};

}  // namespace stator::storage
