// Headroom: space that only deletions, and the small records of throughput, may use, so that a full
// store can be emptied. Internal to this folder.
//
// A commit writes new pages before old ones become free, so deleting needs space too. In the map, a
// reserve follows the part for ordinary writes (--max-bytes). On disk, a ballast of blocks is
// allocated after the end of data.mdb, where only its growth can use them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

struct MDB_env;
struct MDB_txn;

namespace stator::storage {

// Part of the map after the part for ordinary writes.
inline constexpr std::size_t kReserveBytes = std::size_t{16} << 20;

// The size of the map to request. Ordinary writes may fill `bytes_max`, or `file_bytes` if the file
// is larger already; no file may grow beyond the process's limit (RLIMIT_FSIZE).
std::size_t map_bytes_for(std::size_t bytes_max, std::size_t file_bytes);

class Ballast {
 public:
  static constexpr std::size_t kBytes = std::size_t{4} << 20;

  Ballast() = default;
  // `file` is data.mdb, open for writing while this object lives.
  explicit Ballast(int file) : file_(file) {}

  // Allocates blocks after the first `file_bytes` of the file, the size it is about to have. Cheap
  // until the file has grown by some megabytes.
  void keep(std::uint64_t file_bytes);
  // Bytes after `file_bytes` that the file can certainly use on a full disk; empty if the disk is
  // not full or the file system supports no ballast.
  std::optional<std::uint64_t> left(std::uint64_t file_bytes);
  // End offset of the ballast; 0 if none, or the disk is full.
  std::uint64_t kept_until() const { return is_disk_full_ ? 0 : kept_until_; }

 private:
  void extend(std::uint64_t file_bytes);

  int file_ = -1;
  std::uint64_t kept_until_ = 0;
  bool is_disk_full_ = false;
};

// The part of a map of `map_bytes` that ordinary writes may fill if `bytes` were requested.
std::uint64_t ordinary_bytes_of(std::uint64_t map_bytes, std::uint64_t bytes);

// Pages that an ordinary write may still take of the first `ordinary_bytes`. `counts_free` includes
// the list of free pages, which takes some microseconds.
std::int64_t ordinary_pages(MDB_env* env, std::uint64_t ordinary_bytes, Ballast& ballast,
                            bool counts_free);

// Pages of all databases in the transaction's state: the most that it can copy.
std::int64_t pages_in_use(MDB_txn* txn);

}  // namespace stator::storage
