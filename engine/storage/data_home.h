// Where the data lies: a folder on disk that this process has to itself, or two memfds. Internal to
// this folder.
//
// LMDB opens its files by name. For data in memory a fresh folder holds the names data.mdb and
// lock.mdb as symbolic links to the memfds; it can lie in any writable place, needs no room, and is
// removed as soon as LMDB has opened the files.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "engine/storage/descriptor.h"

namespace stator::storage {

// Two locks: of the folder itself, which nobody can remove and make anew, and of a file in it,
// where the holder's number stands.
struct FolderLock {
  Descriptor folder;
  Descriptor file;
};

// Creates `folder` when missing, for its owner alone, and takes its lock for this process; the lock
// goes with the descriptors, and with the process in whatever way it ends. The end of another
// process that holds the lock is waited for, for `patience` at most. The error says why not,
// without naming the folder.
tl::expected<FolderLock, std::string> lock_data_folder(const std::filesystem::path& folder,
                                                       std::chrono::milliseconds patience);

// What a compaction writes, to become data.mdb.
inline constexpr const char* kCompactedFileName = "data.mdb.compact";

// Before LMDB opens the files of a locked folder: refuses what is no file of its own there, removes
// what a compaction that was cut off has left, and takes the space of LMDB's table of readers,
// which is written through a map where a full disk would end the process.
tl::expected<void, std::string> prepare_files(const std::filesystem::path& folder);

// Makes names created in `folder`, and the folder's own name, survive a power cut.
tl::expected<void, std::string> sync_folder_entries(const std::filesystem::path& folder);

// The links to the memfds, gone with the object.
class MemoryFiles {
 public:
  // Tries each of `parents` in turn. The error says why the last one failed.
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
