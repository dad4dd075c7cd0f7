// Location of the data: a folder on disk that this process locks, or two memfds. Internal to this
// folder.
//
// LMDB opens its files by name. For data in memory a new folder has the names data.mdb and lock.mdb
// as symbolic links to the memfds. It may be in any writable place, needs no space, and is removed
// once LMDB has opened the files.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "engine/storage/durability/descriptor.h"

namespace stator::storage {

// Two locks: on the folder itself, which cannot be removed and created again unnoticed, and on a
// file in it that contains the holder's process id.
struct FolderLock {
  Descriptor folder;
  Descriptor file;
};

// Creates `folder` if missing, accessible to its owner only, and locks it for this process. Closing
// the descriptors, or any end of the process, releases the lock. If another process holds the lock,
// waits at most `patience` for its end. The error gives the reason, without the folder's name.
tl::expected<FolderLock, std::string> lock_data_folder(const std::filesystem::path& folder,
                                                       std::chrono::milliseconds patience);

// File that a compaction writes before it becomes data.mdb.
inline constexpr const char* kCompactedFileName = "data.mdb.compact";

// Call before LMDB opens the files of a locked folder. Rejects a folder where one of these names is
// no regular file of its own; removes the file of an interrupted compaction; allocates LMDB's table
// of readers, because it is written through a map, where a full disk would kill the process.
tl::expected<void, std::string> prepare_files(const std::filesystem::path& folder);

// Syncs the names created in `folder`, and the folder's own name, so that they survive a power
// failure.
tl::expected<void, std::string> sync_folder_entries(const std::filesystem::path& folder);

// The links to the memfds; removed with the object.
class MemoryFiles {
 public:
  // Tries each of `parents` in turn. The error is the reason why the last one failed.
  static tl::expected<MemoryFiles, std::string> create(
      const std::vector<std::filesystem::path>& parents);
  // /dev/shm, the usual temporary folders, the working folder, the home folder.
  static std::vector<std::filesystem::path> usual_parents();

  MemoryFiles(MemoryFiles&& other) noexcept
      : folder_(std::exchange(other.folder_, {})),
        data_(std::move(other.data_)),
        lock_(std::move(other.lock_)) {}
  MemoryFiles& operator=(MemoryFiles&&) = delete;
  ~MemoryFiles();

  const std::filesystem::path& folder() const { return folder_; }

 private:
  MemoryFiles() = default;
  std::string link_in(const std::filesystem::path& parent);

  std::filesystem::path folder_;
  Descriptor data_;
  Descriptor lock_;
};

}  // namespace stator::storage
