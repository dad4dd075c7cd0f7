// The file `synced` of a data folder: how the folder is used, and the last state known to be
// completely on disk. Internal to this folder; engine/storage/FORMAT.md draws it.
//
// Two slots are written in turn, each within one sector and with a checksum. So one of them is
// always whole, and writing needs no new space.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "engine/storage/durability/descriptor.h"
#include "engine/storage/lmdb/lmdb_meta.h"

namespace stator::storage {

inline constexpr const char* kSyncedFileName = "synced";

// Persisted: never change, only append.
enum class FolderState : std::uint8_t {
  Ended = 1,   // not in use; all data is on disk
  Commit = 2,  // in use; every commit is synced
  Lazy = 3,    // in use; the last synced state is in the same slot
  Failed = 4,  // a disk write failed: only the last synced state is reliable
};

// Tells a file from a copy of it, across reboots.
struct FileIdentity {
  std::uint64_t inode = 0;
  std::int64_t born_s = 0;  // 0 if the file system does not report it
  std::uint32_t born_ns = 0;

  bool operator==(const FileIdentity&) const = default;
};

struct SyncedState {
  FolderState use{};
  std::string boot;   // read_boot_id() of the machine that wrote this
  FileIdentity data;  // of data.mdb
  MetaPage state{};   // the synced state; with Commit: the state at the start
  // Number of files that may hold preserved pages of the state, to restore if it is recovered
  // (preserved_pages.h). A program that supports fewer files rejects the folder.
  std::uint8_t kept_files = 0;
};

// An identifier of this start of the machine: the content of `file`, or, if the process cannot read
// it (a chroot, a unit with ProcSubset=pid), the time at which the machine started.
std::string read_boot_id(const std::filesystem::path& file);
// Whether both identify the same start of the machine. Times may differ by a correction of the
// clock, which is less than a machine takes to start twice.
bool is_same_boot(std::string_view one, std::string_view other);

class SyncedFile {
 public:
  // Opens the folder's file, or creates one without an entry. The error is for the user.
  static tl::expected<SyncedFile, std::string> open(const std::filesystem::path& folder);

  // The entry written last; empty in a new file.
  const std::optional<SyncedState>& mark() const { return mark_; }
  // Writes the next entry and waits for the disk. Returns 0 or an errno.
  int write(const SyncedState& mark);

 private:
  Descriptor file_;
  std::uint64_t sequence_ = 0;
  std::optional<SyncedState> mark_;
};

FileIdentity identity_of(int file);

}  // namespace stator::storage
