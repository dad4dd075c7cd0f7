// Manages a data folder around LMDB, so that the next process knows its state: recovery at the
// start, syncs during use, an entry at the end. Internal to this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "engine/storage/durability/preserved_pages.h"
#include "engine/storage/durability/store_options.h"
#include "engine/storage/durability/synced_file.h"
#include "engine/storage/durability/syncer.h"
#include "engine/storage/lmdb/lmdb_handle.h"

namespace stator::storage {

class FolderLifecycle {
 public:
  // Call once the folder is locked, before LMDB opens it. Errors are for the user.
  static tl::expected<std::unique_ptr<FolderLifecycle>, std::string> prepare(
      const EnvironmentOptions& options);
  // Call once LMDB has opened the folder, before any write. Syncs what earlier processes left to
  // the kernel. `data_file` is data.mdb, open for reading while this object lives.
  tl::expected<void, std::string> begin(const std::shared_ptr<LmdbHandle>& handle, int data_file,
                                        Syncer::Failed failed);
  // Call after each commit, on its thread. data.mdb now uses `used_bytes`.
  void committed(std::uint64_t used_bytes) {
    if (syncer_) syncer_->committed(used_bytes);
  }
  // How often the committed data has been synced.
  std::uint64_t sync_count() const { return syncer_ ? syncer_->sync_count() : 0; }
  // Between transactions: waits until sync_count() is above `count`, so that pages freed before can
  // be reused. Returns whether it is.
  bool sync_after(std::uint64_t count) { return syncer_ && syncer_->sync_after(count); }
  // Syncs and records a clean shutdown. REQUIRES: no open transaction. Without a successful call
  // the next process treats the folder as in use.
  void end();

 private:
  FolderLifecycle(const EnvironmentOptions& options, SyncedFile synced, std::string boot);

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
