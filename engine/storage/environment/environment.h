// Environment: the process's LMDB environment, in memory or in a folder, and its databases.
//
// In memory means two memfds behind symbolic links in a new folder that is removed at once: nothing
// remains after the process, and /dev/shm may be tiny. Only this folder's .cpp files include
// lmdb.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "engine/storage/durability/store_options.h"
#include "engine/storage/lmdb/databases.h"
#include "protocol/errors/result.h"

namespace stator::storage {

// Whether a write transaction failed for lack of space.
enum class FreeSpace : std::uint8_t {
  Enough,
  None,  // it failed for lack of space
  Made,  // it failed, but space was freed since: a retry may succeed
};

// How to copy the data; Compact omits free pages.
enum class Copy : std::uint8_t { Whole, Compact };

class ReadTransaction;
class WriteTransaction;

class Environment {
 public:
  // Opens or creates the data. Older data may still await its migration, and marks are not in
  // effect: open_store() does the rest. The error is one line for the user: folder not writable, in
  // use by another process, written by another format version, no space.
  static tl::expected<std::unique_ptr<Environment>, std::string> open(
      const EnvironmentOptions& options);
  // Opens a folder for reading only, even while another process uses it. If none does, first
  // repairs the result of a crash as open() does. Rejects data of another format version.
  static tl::expected<std::unique_ptr<Environment>, std::string> open_to_read(
      const std::filesystem::path& folder);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  bool in_memory() const;
  // Empty, or why no write can succeed any more: a commit or its sync failed, so the state on disk
  // is unknown. Reads continue; the next process to open the folder finds the last good commit.
  std::string why_writing_ended() const;
  // Writes a whole copy of the current data to an open file, regardless of concurrent commits. The
  // error is for the user.
  tl::expected<void, std::string> copy_to(int file, Copy kind) const;
  // Reads every page of every database in the current state. Appends one line to `findings` per
  // problem. A failure, or DamagedData thrown, means that the data cannot even be read.
  Result<void> check_pages(std::vector<std::string>& findings) const;
  // Whether writes ended because data.mdb was removed.
  bool data_is_removed() const;
  // Free space during the last write transaction. Call on the thread that ran it.
  FreeSpace room() const;
  // From now on transactions store old values for this mark (undo_log.h); 0 for none. Before the
  // first of them.
  void remember_changes_after(std::uint32_t mark);
  // Whether there are marks. Call on the writing thread.
  bool has_marks() const;
  // Between write transactions: whether there is space for much more than one ordinary write. Takes
  // some microseconds.
  bool has_ample_space() const;
  // After a transaction that failed for lack of space, before the next one: waits until pages that
  // must not be reused yet can be. Returns whether another attempt may succeed.
  bool reclaim_space();
  // Bytes of the map in use: allocated pages, free ones included.
  std::size_t used_bytes() const;

 private:
  friend class ReadTransaction;
  friend class WriteTransaction;
  struct Impl;
  explicit Environment(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace stator::storage
