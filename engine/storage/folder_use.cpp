#include "engine/storage/folder_use.h"

#include <fcntl.h>
#include <lmdb.h>

#include <cerrno>
#include <utility>

#include "engine/storage/tree_check.h"

namespace stator::storage {

FolderUse::FolderUse(const EnvironmentOptions& options, SyncedFile synced, std::string boot)
    : folder_(*options.folder),
      sync_(options.sync),
      interval_(options.sync_interval),
      synced_(std::move(synced)),
      boot_(std::move(boot)) {}

tl::expected<std::unique_ptr<FolderUse>, std::string> FolderUse::prepare(
    const EnvironmentOptions& options) {
  auto synced = SyncedFile::open(*options.folder);
  if (!synced) return tl::unexpected(std::move(synced).error());
  std::string boot = read_boot_id(options.boot_id_file);
  const Descriptor data(
      ::open((*options.folder / "data.mdb").c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!data && errno != ENOENT)
    return tl::unexpected("cannot open its data.mdb: " + lmdb_error_text(errno));
  const bool was_used = synced->mark() && synced->mark()->state.transaction > 0;
  if (data && !was_used && has_no_commit(data.fd())) {
    // A first start that was cut off. LMDB begins an empty file, and only that.
    if (::ftruncate(data.fd(), 0) != 0)
      return tl::unexpected("cannot begin it anew: " + lmdb_error_text(errno));
  } else if (data) {
    if (auto recovered = recover(*synced, data.fd(), boot); !recovered)
      return tl::unexpected(std::move(recovered).error());
    if (auto sound = check_layout(data.fd()); !sound)
      return tl::unexpected(std::move(sound).error());
  }
  // The constructor is private.
  return std::unique_ptr<FolderUse>(new FolderUse(options, *std::move(synced), std::move(boot)));
}

tl::expected<void, std::string> FolderUse::begin(const std::shared_ptr<LmdbHandle>& handle,
                                                 int data_file, Syncer::Failed failed) {
  handle_ = handle;
  data_file_ = data_file;
  // The names of the files, before anything relies on what is in them.
  if (auto synced = sync_folder_entries(folder_); !synced) return synced;
  int code = MDB_SUCCESS;
  if (sync_ == Sync::Lazy) {
    syncer_ =
        std::make_unique<Syncer>(handle_, data_file_, synced_, boot_, interval_, std::move(failed));
    code = syncer_->start();
  } else {
    const auto newest = newest_meta_page(data_file_);
    if (!newest) return tl::unexpected(std::string(newest.error()));
    code = mdb_env_sync(handle_->env(), 1);
    if (code == MDB_SUCCESS)
      code = synced_.write({FolderState::Commit, boot_, identity_of(data_file_), *newest});
  }
  if (code != MDB_SUCCESS) return tl::unexpected("cannot sync it: " + lmdb_error_text(code));
  return {};
}

void FolderUse::end() {
  if (!handle_) return;
  syncer_.reset();
  if (synced_.mark() && synced_.mark()->use == FolderState::Failed) return;
  if (mdb_env_sync(handle_->env(), 1) != MDB_SUCCESS) return;
  const auto newest = newest_meta_page(data_file_);
  if (newest) synced_.write({FolderState::Ended, boot_, identity_of(data_file_), *newest});
}

}  // namespace stator::storage
