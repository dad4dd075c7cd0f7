// LmdbHandle: one open MDB_env, closed by its last owner. Internal to this folder.
//
// A process normally has exactly one. If LMDB declares its environment unusable (a meta page could
// not be written), a second one is opened on the same file, for reading only. The first lives until
// the last transaction bound to it ends.
#pragma once

#include <lmdb.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "engine/storage/lmdb/databases.h"
#include "protocol/errors/result.h"

namespace stator::storage {

// Maximum key size of the packaged LMDB; part of our format (key_codec.h).
inline constexpr std::size_t kLmdbKeyBytesMax = 511;

// The databases are opened once, in the order of the enum, so LMDB numbers them from 2 on (0 and 1
// are its own).
constexpr MDB_dbi dbi_of(Database database) { return static_cast<MDB_dbi>(database) + 2; }

// "MDB_MAP_FULL: …", or the system's text for an errno.
std::string lmdb_error_text(int code);

// The error of a failed LMDB call; `action` names the attempt.
Error lmdb_error(std::string_view action, int code);

inline MDB_val to_lmdb(std::string_view bytes) {
  // LMDB takes even keys and values that it only reads as pointers to non-const.
  return {bytes.size(), const_cast<char*>(bytes.data())};
}
inline std::string_view from_lmdb(const MDB_val& bytes) {
  return {static_cast<const char*>(bytes.mv_data), bytes.mv_size};
}

class LmdbHandle {
 public:
  // Opens `folder` (its data.mdb and lock.mdb) with a map of `map_bytes_max`, or the next smaller
  // size that fits the address space. The error is an LMDB code.
  static tl::expected<std::shared_ptr<LmdbHandle>, int> open(const std::filesystem::path& folder,
                                                             unsigned flags,
                                                             std::size_t map_bytes_max);
  explicit LmdbHandle(MDB_env* env) : env_(env) {}
  ~LmdbHandle() { mdb_env_close(env_); }
  LmdbHandle(const LmdbHandle&) = delete;
  LmdbHandle& operator=(const LmdbHandle&) = delete;

  MDB_env* env() const { return env_; }
  std::size_t map_bytes() const;
  std::size_t page_bytes() const;
  // Bytes of the file up to the last used page of the last commit.
  std::size_t used_bytes() const;

 private:
  MDB_env* env_;
};

}  // namespace stator::storage
