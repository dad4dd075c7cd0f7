// What a process does to a data folder around LMDB, so that the next one knows what to make of it:
// recovery before, syncs during, a mark at the end. Internal to this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "engine/storage/environment.h"
#include "engine/storage/kept_pages.h"
#include "engine/storage/lmdb_handle.h"
#include "engine/storage/synced_file.h"
#include "engine/storage/syncer.h"

namespace stator::storage {

class FolderUse {
 public:
  // The folder is locked and LMDB has not opened it yet. Errors are for the user.
  static tl::expected<std::unique_ptr<FolderUse>, std::string> prepare(
      const EnvironmentOptions& options);
  // LMDB has opened it, nothing is written yet. What earlier runs left to the kernel is synced.
  // `data_file` is data.mdb, open for reading as long as this lives.
  tl::expected<void, std::string> begin(const std::shared_ptr<LmdbHandle>& handle, int data_file,
                                        Syncer::Failed failed);
  // After each commit, on its thread; data.mdb uses `used_bytes` now.
  void committed(std::uint64_t used_bytes) {
    if (syncer_) syncer_->committed(used_bytes);
  }
  // How many times what was committed has been synced by now.
  std::uint64_t sync_count() const { return syncer_ ? syncer_->sync_count() : 0; }
  // Between transactions: waits until that is more than `count`, so that pages freed before can be
  // used again. Returns whether it is.
  bool sync_after(std::uint64_t count) { return syncer_ && syncer_->sync_after(count); }
  // Nobody has a transaction any more: syncs everything and says so. Without it, or when that
  // fails, the next process finds a folder that was in use.
  void end();

 private:
  FolderUse(const EnvironmentOptions& options, SyncedFile synced, std::string boot);

  const std::filesystem::path folder_;
  const Sync sync_;
  const std::chrono::milliseconds interval_;
  SyncedFile synced_;
  Syncer::Kept kept_;  // with Sync::Lazy
  const std::string boot_;
  std::shared_ptr<LmdbHandle> handle_;
  int data_file_ = -1;
  std::unique_ptr<Syncer> syncer_;
};

}  // namespace stator::storage
