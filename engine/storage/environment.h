// Environment: the one LMDB environment of a process, in memory or in a folder, and the databases
// inside it.
//
// In memory means two memfds behind symbolic links in a fresh folder that is removed at once:
// nothing is left behind and /dev/shm may be tiny. lmdb.h is included in this folder's .cpp files
// only.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "protocol/result.h"

namespace stator::storage {

enum class Room : std::uint8_t;  // headroom.h

// What a write's answer promises.
enum class Sync : std::uint8_t {
  Commit,  // survives a power cut: one fsync per batch
  Lazy,    // survives a killed process at once, and a power cut an interval later
};

// Before each commit of a migration.
struct MigrationProgress {
  std::uint32_t from_version;
  std::uint64_t records;  // rewritten since the folder was opened
};
using MigrationListener = std::function<void(const MigrationProgress&)>;

// Of the data: Compact leaves out the pages that are free.
enum class Copy : std::uint8_t { Whole, Compact };

struct EnvironmentOptions {
  std::optional<std::filesystem::path> folder;  // empty: in memory
  Sync sync = Sync::Lazy;                       // ignored in memory
  // Sync::Lazy: how old the state may be that a power cut leaves. The disk gets half of it for a
  // sync; one that takes longer makes it that much older.
  std::chrono::milliseconds sync_interval{1000};
  // Tells one start of the machine from another. What follows when it cannot be read: FORMAT.md.
  std::filesystem::path boot_id_file = "/proc/sys/kernel/random/boot_id";
  // Most the data may occupy. Address space is reserved, memory and disk are not; halved until the
  // reservation works.
  std::size_t map_bytes_max = std::size_t{1} << 40;
  // How long the end of another process that holds the folder is waited for.
  std::chrono::milliseconds lock_patience{0};
  // Told while data of an older format version is brought to ours; may be empty.
  MigrationListener on_migration;
};

// The databases. Their keys and values are drawn in FORMAT.md.
enum class Database : std::uint8_t {
  Meta,         // format version, counters
  Tables,       // table descriptions
  Items,        // items and index entries, and pointers to nodes for long sort keys
  Nodes,        // continuation of long sort keys
  Stats,        // item count and bytes of a space
  Collections,  // bytes of an item collection (tables with local indexes)
  Purges,       // spaces whose records are still to be removed
  Journal,      // changes of items, for consumers
  Consumers,    // the consumers of a table's journal and their positions
  Streams,      // what is known of streams beside their records, which are a journal's entries
  Expiries,     // when items expire
  Tokens,       // clients' tokens, by their names
  TokenTimes,   // the same by when their requests finished
  Throughput,   // what tables and indexes can serve, beside their descriptions
  Marks,        // states that may be gone back to (undo_log.h)
  Undo,         // what records were before they were changed, by the mark behind which they were
  // Changes of index entries that format version 2 held back; there only while it is migrated.
  IndexChangesOf2,
};
inline constexpr std::size_t kDatabaseCount = 16;  // without the last one

// Whether marks remember what its records were before they are changed. Counters never go back.
constexpr bool is_remembered(Database database) {
  return database > Database::Meta && database < Database::Marks;
}

class ReadTransaction;
class WriteTransaction;

class Environment {
 public:
  // Opens or creates, and brings data of an older format version to ours. The error is one line for
  // the user: folder not writable, in use by another process, written by another format version, no
  // space.
  static tl::expected<std::unique_ptr<Environment>, std::string> open(
      const EnvironmentOptions& options);
  // Opens a folder only to read it, also beside the process that uses it, or one that nobody uses;
  // then what a crash left is put right first, as open() does. Data of another format version is
  // refused.
  static tl::expected<std::unique_ptr<Environment>, std::string> open_to_read(
      const std::filesystem::path& folder);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  bool in_memory() const;
  // Empty, or why no write will succeed any more: a commit or its sync failed, so what is on the
  // disk is not known. Reads go on; whoever opens the folder next finds the last good commit.
  std::string why_writing_ended() const;
  // Writes the data as of now to an open file, whole, whatever is committed meanwhile. The error is
  // for the user.
  tl::expected<void, std::string> copy_to(int file, Copy kind) const;
  // Visits every page of every database as of now. What is wrong is appended, a line each. A
  // failure, or DamagedData thrown, says that it cannot even be read.
  Result<void> check_pages(std::vector<std::string>& findings) const;
  // Whether that is because data.mdb was removed.
  bool data_is_removed() const;
  // Of the last write transaction; on the thread that had it.
  Room room() const;
  // Whether there are marks (undo_log.h); on the thread that writes.
  bool has_marks() const;
  // Between write transactions: whether there is room for much more than one ordinary write. Takes
  // some microseconds.
  bool has_ample_room() const;
  // After one that failed for want of room, before the next: waits for what keeps pages from being
  // used again. Returns whether it is worth another try.
  bool make_room();
  // Bytes of the map in use (allocated pages, free ones included).
  std::size_t used_bytes() const;

 private:
  friend class ReadTransaction;
  friend class WriteTransaction;
  struct Impl;
  explicit Environment(std::unique_ptr<Impl> impl);
  Result<void> find_newest_mark();
  std::unique_ptr<Impl> impl_;
};

}  // namespace stator::storage
