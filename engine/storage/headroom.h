// Headroom: room that only what makes room may use, and the records of throughput, which stay
// small: so that a full store can be emptied. Internal to this folder.
//
// A commit writes new pages before old ones become free, so deleting needs room too. In the map a
// reserve lies behind what ordinary writes may fill (--max-bytes); on the disk, a ballast of blocks
// is allocated behind the end of data.mdb, where only its growth can take them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

struct MDB_env;
struct MDB_txn;

namespace stator::storage {

// Of the map, behind what ordinary writes may fill.
inline constexpr std::size_t kReserveBytes = std::size_t{16} << 20;

// What becomes of a write transaction's want of room.
enum class Room : std::uint8_t {
  Enough,
  None,  // it failed for want of room
  Made,  // the same, but room was made since: it may be tried again
};

// The map to be asked for: ordinary writes may fill `bytes_max`, unless the file `file_bytes` are
// more than that already, and no file may grow beyond the process's limit (RLIMIT_FSIZE).
std::size_t map_bytes_for(std::size_t bytes_max, std::size_t file_bytes);

class Ballast {
 public:
  static constexpr std::size_t kBytes = std::size_t{4} << 20;

  Ballast() = default;
  // `file` is data.mdb, open for writing as long as this lives.
  explicit Ballast(int file) : file_(file) {}

  // Keeps blocks behind the first `file_bytes` of the file, which it is about to have. Cheap until
  // the file has grown by some megabytes.
  void keep(std::uint64_t file_bytes);
  // Bytes behind `file_bytes` that the file can take for sure on a full disk; empty: it is not
  // full, or the file system knows no ballast.
  std::optional<std::uint64_t> left(std::uint64_t file_bytes);
  // Where the blocks end that are kept; 0: none are, or the disk is full.
  std::uint64_t kept_until() const { return is_disk_full_ ? 0 : kept_until_; }

 private:
  void extend(std::uint64_t file_bytes);

  int file_ = -1;
  std::uint64_t kept_until_ = 0;
  bool is_disk_full_ = false;
};

// What of the map `map_bytes` ordinary writes may fill, when `bytes` were wanted.
std::uint64_t ordinary_bytes_of(std::uint64_t map_bytes, std::uint64_t bytes);

// Pages that an ordinary write may still take of the first `ordinary_bytes`. `counts_free` looks
// into the list of free pages too, which takes some microseconds.
std::int64_t ordinary_pages(MDB_env* env, std::uint64_t ordinary_bytes, Ballast& ballast,
                            bool counts_free);

// Pages of all databases as the transaction sees them: it cannot copy more than these.
std::int64_t pages_in_use(MDB_txn* txn);

}  // namespace stator::storage
