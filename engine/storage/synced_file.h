// The file `synced` of a data folder: how the folder is being used, and the last state that is
// known to be on the disk whole. Internal to this folder; drawn in FORMAT.md.
//
// It has two slots that are written in turn, each within one sector and with a checksum, so that
// one of them is always whole, and writing needs no space.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "engine/storage/descriptor.h"
#include "engine/storage/lmdb_meta.h"

namespace stator::storage {

inline constexpr const char* kSyncedFileName = "synced";

// Persisted: never change, only append.
enum class FolderState : std::uint8_t {
  Ended = 1,   // nobody uses it, and all of it is on the disk
  Commit = 2,  // in use, every commit is synced
  Lazy = 3,    // in use, the last synced state is told beside
  Failed = 4,  // writing to the disk failed: only the last synced state can be relied on
};

// What a copy of a file does not share with it. Survives a restart of the machine.
struct FileIdentity {
  std::uint64_t inode = 0;
  std::int64_t born_s = 0;  // 0: the file system does not tell
  std::uint32_t born_ns = 0;

  bool operator==(const FileIdentity&) const = default;
};

struct SyncedMark {
  FolderState use{};
  std::string boot;   // read_boot_id() of the machine that wrote it
  FileIdentity data;  // of data.mdb
  MetaPage state{};   // synced; with Commit: at the start
  // In how many files pages of the state may be kept that were written over since, to be put back
  // then (kept_pages.h). Programs that know of fewer refuse such a folder.
  std::uint8_t kept_files = 0;
};

// An identifier of this start of the machine: what `file` holds, or, where a process may not see
// that (a chroot, a unit with ProcSubset=pid), the time at which the machine started.
std::string read_boot_id(const std::filesystem::path& file);
// Whether both name one start of the machine. Times may differ by what a clock that is being
// corrected does; a machine takes longer than that to start twice.
bool is_same_boot(std::string_view one, std::string_view other);

class SyncedFile {
 public:
  // Opens the folder's, or makes one without a mark. The error is for the user.
  static tl::expected<SyncedFile, std::string> open(const std::filesystem::path& folder);

  // What was written last; empty in a new file.
  const std::optional<SyncedMark>& mark() const { return mark_; }
  // Writes the next mark and waits for the disk. 0 or an errno.
  int write(const SyncedMark& mark);

 private:
  Descriptor file_;
  std::uint64_t sequence_ = 0;
  std::optional<SyncedMark> mark_;
};

FileIdentity identity_of(int file);

}  // namespace stator::storage
