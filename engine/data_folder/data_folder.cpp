#include "engine/data_folder/data_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/data_folder/data_check.h"
#include "engine/data_folder/unnamed_file.h"
#include "engine/storage/bytes/damage.h"
#include "engine/storage/durability/data_home.h"
#include "engine/storage/durability/descriptor.h"
#include "engine/storage/durability/preserved_pages.h"
#include "engine/storage/durability/synced_file.h"
#include "engine/storage/environment/environment.h"
#include "engine/storage/lmdb/lmdb_meta.h"
#include "engine/storage/migration/open_store.h"

namespace stator {
namespace {

constexpr const char* kDataFileName = "data.mdb";

// A folder or file that is removed at the end unless keep_as() succeeded.
class TemporaryPath {
 public:
  TemporaryPath() = default;
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;
  ~TemporaryPath() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  // Creates a private folder beside `target`. Returns 0 or an errno.
  int make_beside(const std::filesystem::path& target) {
    std::string name = target.string() + ".partial-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) return errno;
    path_ = name;
    return 0;
  }
  // Call before creating `path`.
  void own(std::filesystem::path path) { path_ = std::move(path); }
  // Renames to `target`, which must be missing or, for a folder, empty. Returns 0 or an errno.
  int keep_as(const std::filesystem::path& target) {
    if (::rename(path_.c_str(), target.c_str()) != 0) return errno;
    path_.clear();
    return 0;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

tl::expected<void, std::string> copy_to(const storage::Descriptor& file,
                                        const storage::Environment& data, storage::Copy kind) {
  if (!file) return tl::unexpected(storage::errno_text());
  if (auto copied = data.copy_to(file.fd(), kind); !copied) return copied;
  if (::fsync(file.fd()) != 0) return tl::unexpected(storage::errno_text());
  return {};
}

storage::Descriptor new_file(const std::filesystem::path& path) {
  return storage::Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
}

// Copies the data file into `made`, a folder beside `target`. If the file system allows, the file
// has no name until it is complete.
tl::expected<void, std::string> copy_beside(TemporaryPath& made,
                                            const std::filesystem::path& target,
                                            const storage::Environment& data) {
  const storage::Descriptor unnamed(open_unnamed_file(target.parent_path(), 0600));
  if (unnamed) {
    if (auto copied = copy_to(unnamed, data, storage::Copy::Whole); !copied) return copied;
  }
  if (made.make_beside(target) != 0) return tl::unexpected(storage::errno_text());
  const auto path = made.path() / kDataFileName;
  if (!unnamed) return copy_to(new_file(path), data, storage::Copy::Whole);
  const int failed = name_file(unnamed.fd(), path);
  if (failed != 0) return tl::unexpected(storage::errno_text(failed));
  return {};
}

// The number of the folder's last commit.
tl::expected<std::uint64_t, std::string> last_commit(const std::filesystem::path& folder) {
  const storage::Descriptor file(::open((folder / kDataFileName).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return tl::unexpected(storage::errno_text());
  const auto newest = storage::newest_meta_page(file.fd());
  if (!newest) return tl::unexpected(std::string(newest.error()));
  return newest->transaction;
}

// Replaces the folder's data with `compacted`, unless a commit after `commit` changed it. First
// removes the file `synced`, which describes the old data; either data file is complete without it.
tl::expected<void, std::string> put_in_place(TemporaryPath& compacted,
                                             const std::filesystem::path& folder,
                                             std::uint64_t commit) {
  const auto lock = storage::lock_data_folder(folder, std::chrono::milliseconds(0));
  if (!lock) return tl::unexpected(lock.error());
  const auto last = last_commit(folder);
  if (!last) return tl::unexpected(last.error());
  if (*last != commit) return tl::unexpected(std::string("it was written to meanwhile"));
  std::error_code failure;
  std::filesystem::remove(folder / storage::kSyncedFileName, failure);
  if (failure) return tl::unexpected(failure.message());
  storage::remove_kept_pages(folder);
  if (auto synced = storage::sync_folder_entries(folder); !synced) return synced;
  if (compacted.keep_as(folder / kDataFileName) != 0) return tl::unexpected(storage::errno_text());
  return storage::sync_folder_entries(folder);
}

}  // namespace

std::optional<std::string> find_foreign_data(const std::filesystem::path& folder) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  constexpr int kFilesMax = 1000;
  std::error_code error;
  if (std::filesystem::exists(folder / kDataFileName, error)) return std::nullopt;
  int count = 0;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (++count > kFilesMax) break;
    if (entry->path().extension() != ".db" || !entry->is_regular_file(error)) continue;
    std::ifstream file(entry->path(), std::ios::binary);
    std::array<char, kMagic.size()> head{};
    file.read(head.data(), head.size());
    if (file && std::string_view(head.data(), head.size()) == kMagic)
      return entry->path().filename().string();
  }
  return std::nullopt;
}

tl::expected<DataReport, std::string> check_data_folder(const std::filesystem::path& folder,
                                                        const CheckDocument& check_document) {
  try {
    auto data = storage::Environment::open_to_read(folder);
    if (!data) return tl::unexpected(std::move(data).error());
    DataReport report;
    if (auto checked = check_data(**data, check_document, report); !checked)
      report.findings.push_back(checked.error().message());
    return report;
  } catch (const storage::DamagedData& damage) {
    return tl::unexpected("cannot read the data folder " + folder.string() + ": " + damage.what());
  }
}

tl::expected<void, std::string> back_up_data_folder(const std::filesystem::path& source,
                                                    const std::filesystem::path& target) {
  const auto failed = [&](const std::string& why) {
    return tl::unexpected("cannot make the backup " + target.string() + ": " + why);
  };
  std::error_code failure;
  const auto absolute = std::filesystem::absolute(target, failure).lexically_normal();
  const auto named = absolute.has_filename() ? absolute : absolute.parent_path();
  if (std::filesystem::exists(named, failure) && !std::filesystem::is_empty(named, failure))
    return failed("it exists and is not an empty folder");
  try {
    const auto data = storage::Environment::open_to_read(source);
    if (!data) return tl::unexpected(data.error());
    TemporaryPath made;
    if (auto copied = copy_beside(made, named, **data); !copied) return failed(copied.error());
    if (auto synced = storage::sync_folder_entries(made.path()); !synced)
      return failed(synced.error());
    if (made.keep_as(named) != 0) return failed(storage::errno_text());
    if (auto synced = storage::sync_folder_entries(named); !synced) return failed(synced.error());
  } catch (const storage::DamagedData& damage) {
    return failed(damage.what());
  }
  return {};
}

tl::expected<Compaction, std::string> compact_data_folder(const std::filesystem::path& folder) {
  const auto failed = [&](const std::string& why) {
    return tl::unexpected("cannot compact the data folder " + folder.string() + ": " + why);
  };
  const auto data_file = folder / kDataFileName;
  Compaction made;
  std::error_code failure;
  made.bytes_before = std::filesystem::file_size(data_file, failure);
  if (failure) return failed("there is no data.mdb in it");
  try {
    TemporaryPath compacted;
    std::uint64_t commit = 0;
    {
      storage::EnvironmentOptions options;
      options.folder = folder;
      options.sync = storage::Sync::Commit;
      const auto data = storage::open_store(options);
      if (!data) return tl::unexpected(data.error());
      compacted.own(folder / storage::kCompactedFileName);
      if (auto copied = copy_to(new_file(compacted.path()), **data, storage::Copy::Compact);
          !copied)
        return failed(copied.error());
      const auto last = last_commit(folder);
      if (!last) return failed(last.error());
      commit = *last;
    }
    if (auto placed = put_in_place(compacted, folder, commit); !placed)
      return failed(placed.error());
  } catch (const storage::DamagedData& damage) {
    return failed(damage.what());
  }
  made.bytes_after = std::filesystem::file_size(data_file, failure);
  return made;
}

}  // namespace stator
