#include "engine/storage/durability/syncer.h"

#include <lmdb.h>

#include <algorithm>
#include <cerrno>
#include <future>
#include <system_error>
#include <utility>

namespace stator::storage {
namespace {

// How much the file may grow before the next sync comes early, and before writing waits for it.
constexpr std::uint64_t kEarlyBytes = 128 << 20;
constexpr std::uint64_t kWaitBytes = 2 * kEarlyBytes;

// Minimum part of an interval reserved for the sync, because disks stall now and then.
constexpr std::chrono::milliseconds kSyncTimeMin{400};

// Minimum delay before freed pages are reused. Each move of the pin costs some ten microseconds,
// and a sync of preserved pages if any.
constexpr std::chrono::milliseconds kPinTime{5};

// Whether the error is not the disk's, so the next sync may succeed.
bool will_pass(int code) {
  return code == MDB_READERS_FULL || code == ENOMEM || code == ENOSPC || code == EDQUOT;
}

}  // namespace

// The rest of the interval is for the sync itself: three times as long as one takes.
std::chrono::steady_clock::time_point sync_begins_at(std::chrono::steady_clock::time_point since,
                                                     std::chrono::milliseconds interval,
                                                     std::chrono::milliseconds takes) {
  const auto rest = std::max({3 * takes, interval / 4, kSyncTimeMin});
  return since + interval - std::min(rest, interval * 3 / 4);
}

Syncer::Syncer(std::shared_ptr<LmdbHandle> handle, int data_file, SyncedFile& synced, Kept& kept,
               std::string boot, std::chrono::milliseconds interval, Failed failed)
    : handle_(std::move(handle)),
      data_file_(data_file),
      synced_(synced),
      kept_(kept),
      boot_(std::move(boot)),
      interval_(interval),
      failed_(std::move(failed)) {}

Syncer::~Syncer() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopped_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
  if (pinned_ != nullptr) mdb_txn_abort(pinned_);
}

int Syncer::start() {
  const int code = sync();
  if (code == MDB_SUCCESS) thread_ = std::thread([this] { run(); });
  return code;
}

void Syncer::committed(std::uint64_t used_bytes) {
  const std::uint64_t grown = used_bytes - used_bytes_synced_.load(std::memory_order_relaxed);
  const bool is_much = grown > kEarlyBytes;
  const bool is_too_much = grown > kWaitBytes;
  const bool is_known = has_unsynced_.load(std::memory_order_relaxed) &&
                        (!is_much || is_urgent_.load(std::memory_order_relaxed));
  if (is_known && !is_too_much) return;
  {
    const std::scoped_lock lock(mutex_);
    if (!has_unsynced_) unsynced_since_ = Clock::now();
    has_unsynced_ = true;
    if (is_much) is_urgent_ = true;
  }
  wake_.notify_one();
  if (is_too_much) sync_after(sync_count());
}

bool Syncer::sync_after(std::uint64_t count) {
  std::unique_lock lock(mutex_);
  if (sync_count() > count) return true;
  if (has_ended_ || (!has_unsynced_ && !is_syncing_)) return false;
  if (has_unsynced_) is_urgent_ = true;
  wake_.notify_one();
  const std::uint64_t tried = tried_count_;
  synced_or_ended_.wait(lock, [&] { return has_ended_ || tried_count_ != tried; });
  return sync_count() > count;
}

void Syncer::run() {
  sync_until_stopped();
  const std::scoped_lock lock(mutex_);
  has_ended_ = true;
  synced_or_ended_.notify_all();
}

void Syncer::sync_until_stopped() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return is_stopped_ || has_unsynced_; });
    wait_for_sync(lock);
    if (is_stopped_) return;
    const auto begun = Clock::now();
    is_syncing_ = true;
    lock.unlock();
    const int code = sync();
    note_sync_took(Clock::now() - begun);
    if (will_pass(code)) {
      const std::scoped_lock again(mutex_);
      unsynced_since_ = Clock::now();
      has_unsynced_ = true;
    } else if (code != MDB_SUCCESS) {
      // The kernel may from now on treat data that it failed to write as written.
      SyncedState mark = synced_.mark().value_or(SyncedState{});
      mark.use = FolderState::Failed;
      synced_.write(mark);
      return failed_("a sync failed: " + lmdb_error_text(code));
    }
    lock.lock();
    is_syncing_ = false;
    ++tried_count_;
    if (code == MDB_SUCCESS) ++sync_count_;
    synced_or_ended_.notify_all();
  }
}

// A slow one is remembered for a while: disks that stalled stall again.
void Syncer::note_sync_took(Clock::duration time) {
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(time);
  sync_takes_ = std::max(took, sync_takes_ * 9 / 10);
}

void Syncer::wait_for_sync(std::unique_lock<std::mutex>& lock) {
  const auto is_due = [this] { return is_stopped_ || is_urgent_; };
  const Clock::time_point due = sync_begins_at(unsynced_since_, interval_, sync_takes_);
  while (!wake_.wait_until(lock, std::min(due, Clock::now() + kPinTime), is_due)) {
    if (Clock::now() >= due) return;
    lock.unlock();
    const bool is_full = move_pin() == PreservedPages::Outcome::Full;
    lock.lock();
    if (is_full || kept_[kept_of_synced_].is_almost_full()) return;
  }
}

// Moves the pin to the newest state, after preserving the pages that LMDB may then overwrite.
PreservedPages::Outcome Syncer::move_pin() {
  auto outcome = PreservedPages::Outcome::Kept;
  MDB_txn* reader = nullptr;
  if (mdb_txn_begin(handle_->env(), nullptr, MDB_RDONLY, &reader) != MDB_SUCCESS) return outcome;
  if (mdb_txn_id(reader) != mdb_txn_id(pinned_)) {
    outcome = kept_[kept_of_synced_].keep(reader);
    if (outcome == PreservedPages::Outcome::Kept && is_flushing_)
      outcome = kept_[1 - kept_of_synced_].keep(reader);
  }
  if (outcome == PreservedPages::Outcome::Kept) std::swap(pinned_, reader);
  mdb_txn_abort(reader);
  return outcome;
}

// Opens a reader on the newest state and reads its meta page. Holding the writer's lock excludes
// commits: the second one from now would overwrite that page.
int Syncer::pin_newest_state(MDB_txn** reader, MetaPage& state) {
  MDB_txn* writer = nullptr;
  int code = mdb_txn_begin(handle_->env(), nullptr, 0, &writer);
  if (code != MDB_SUCCESS) return code;
  has_unsynced_ = false;
  is_urgent_ = false;
  used_bytes_synced_ = handle_->used_bytes();
  code = mdb_txn_begin(handle_->env(), nullptr, MDB_RDONLY, reader);
  if (code == MDB_SUCCESS) {
    const auto newest = newest_meta_page(data_file_);
    if (newest && newest->transaction == mdb_txn_id(*reader)) {
      state = *newest;
    } else {
      mdb_txn_abort(std::exchange(*reader, nullptr));
      code = MDB_CORRUPTED;
    }
  }
  mdb_txn_abort(writer);
  return code;
}

int Syncer::sync() {
  // Readers of killed processes would retain pages forever.
  mdb_reader_check(handle_->env(), nullptr);
  MDB_txn* reader = nullptr;
  SyncedState mark{FolderState::Lazy,
                   boot_,
                   identity_of(data_file_),
                   {},
                   static_cast<std::uint8_t>(kept_.size())};
  int code = pin_newest_state(&reader, mark.state);
  if (code != MDB_SUCCESS) return code;
  // Until this sync ends a power failure leaves the previous state, afterwards this one, so freed
  // pages of both are preserved. If that fails, the pin stays until the sync ends. At the start,
  // the file may have pages that an earlier process preserved for the previous state.
  PreservedPages& next = kept_[1 - kept_of_synced_];
  const bool is_start = pinned_ == nullptr;
  is_flushing_ = !is_start && next.begin(reader, mark) == MDB_SUCCESS &&
                 kept_[kept_of_synced_].keep(reader) == PreservedPages::Outcome::Kept;
  if (is_flushing_) mdb_txn_abort(std::exchange(pinned_, std::exchange(reader, nullptr)));
  code = flush(mark);
  is_flushing_ = false;
  if (code == MDB_SUCCESS) {
    if (is_start) static_cast<void>(next.begin(reader, mark));
    kept_of_synced_ = 1 - kept_of_synced_;
    if (reader != nullptr) std::swap(pinned_, reader);
  }
  if (reader != nullptr) mdb_txn_abort(reader);
  return code;
}

// A separate thread waits for the disk while the pin moves on.
int Syncer::flush(const SyncedState& mark) {
  const auto write = [&] {
    const int code = mdb_env_sync(handle_->env(), 1);
    return code == MDB_SUCCESS ? synced_.write(mark) : code;
  };
  if (!is_flushing_) return write();
  std::future<int> written;
  try {
    written = std::async(std::launch::async, write);
  } catch (const std::system_error&) {
    return write();  // no thread available
  }
  Clock::time_point next = Clock::now() + kPinTime;
  while (written.wait_until(next) != std::future_status::ready) {
    next = Clock::now() + kPinTime;  // preserving pages waits for the same disk
    static_cast<void>(move_pin());
  }
  return written.get();
}

}  // namespace stator::storage
