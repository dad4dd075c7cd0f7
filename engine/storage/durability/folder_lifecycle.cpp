#include "engine/storage/durability/folder_lifecycle.h"

#include <fcntl.h>
#include <lmdb.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "engine/storage/durability/data_home.h"
#include "engine/storage/durability/store_options.h"
#include "engine/storage/lmdb/tree_check.h"

namespace stator::storage {
namespace {

// Before LMDB opens the folder's data: rejects data that is no whole state, and restores the last
// synced state if the previous process ended in a way that left nothing else reliable. The error is
// for the user.
tl::expected<void, std::string> recover(const std::filesystem::path& folder,
                                        const SyncedFile& synced, int data_file,
                                        const std::string& boot) {
  const auto refuse = [](std::string why) { return tl::unexpected(std::move(why)); };
  if (!synced.mark()) return {};
  const SyncedState& mark = *synced.mark();
  const bool is_ended = mark.use == FolderState::Ended;
  if (!is_ended && mark.data != identity_of(data_file))
    return refuse(
        "it is a copy of a folder that was in use and may be torn; `stator backup` makes "
        "copies that are whole");
  const bool is_restored = mark.use == FolderState::Failed ||
                           (mark.use == FolderState::Lazy && !is_same_boot(boot, mark.boot));
  if (!is_restored) {
    const auto newest = newest_meta_page(data_file);
    if (!newest) return refuse(std::string(newest.error()));
    const bool is_whole = is_ended ? newest->transaction == mark.state.transaction
                                   : newest->transaction >= mark.state.transaction;
    if (is_whole) return {};
    return refuse(
        "its data.mdb and its file synced are of different moments; `stator backup` "
        "makes copies that are whole");
  }
  struct stat data {};
  if (::fstat(data_file, &data) != 0) return refuse(lmdb_error_text(errno));
  if (static_cast<std::uint64_t>(data.st_size) < mark.state.file_bytes())
    return refuse("its data.mdb lost a part that was on the disk");
  if (mark.kept_files > 0)
    if (auto put_back = put_back_kept_pages(folder, data_file, mark); !put_back) return put_back;
  if (const int code = restore_meta_page(data_file, mark.state); code != 0)
    return refuse("cannot go back to its last synced state: " + lmdb_error_text(code));
  return {};
}

}  // namespace

FolderLifecycle::FolderLifecycle(const EnvironmentOptions& options, SyncedFile synced,
                                 std::string boot)
    : folder_(*options.folder),
      sync_(options.sync),
      interval_(options.sync_interval),
      synced_(std::move(synced)),
      boot_(std::move(boot)) {}

tl::expected<std::unique_ptr<FolderLifecycle>, std::string> FolderLifecycle::prepare(
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
    // An interrupted first start. LMDB initialises only an empty file.
    if (::ftruncate(data.fd(), 0) != 0)
      return tl::unexpected("cannot begin it anew: " + lmdb_error_text(errno));
  } else if (data) {
    if (auto recovered = recover(*options.folder, *synced, data.fd(), boot); !recovered)
      return tl::unexpected(std::move(recovered).error());
    if (auto sound = check_layout(data.fd()); !sound)
      return tl::unexpected(std::move(sound).error());
  }
  // The constructor is private.
  return std::unique_ptr<FolderLifecycle>(
      new FolderLifecycle(options, *std::move(synced), std::move(boot)));
}

tl::expected<void, std::string> FolderLifecycle::begin(const std::shared_ptr<LmdbHandle>& handle,
                                                       int data_file, Syncer::Failed failed) {
  handle_ = handle;
  data_file_ = data_file;
  if (sync_ == Sync::Lazy) {
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      auto kept = PreservedPages::open(folder_, kKeptFileNames[i]);
      if (!kept) return tl::unexpected(kept.error());
      kept_[i] = *std::move(kept);
    }
  }
  // Syncs the files' names before anything relies on their content.
  if (auto synced = sync_folder_entries(folder_); !synced) return synced;
  int code = MDB_SUCCESS;
  if (sync_ == Sync::Lazy) {
    syncer_ = std::make_unique<Syncer>(handle_, data_file_, synced_, kept_, boot_, interval_,
                                       std::move(failed));
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

void FolderLifecycle::end() {
  if (!handle_) return;
  syncer_.reset();
  if (synced_.mark() && synced_.mark()->use == FolderState::Failed) return;
  if (mdb_env_sync(handle_->env(), 1) != MDB_SUCCESS) return;
  const auto newest = newest_meta_page(data_file_);
  if (!newest) return;
  const int code = synced_.write({FolderState::Ended, boot_, identity_of(data_file_), *newest});
  if (code == 0) remove_kept_pages(folder_);
}

}  // namespace stator::storage
