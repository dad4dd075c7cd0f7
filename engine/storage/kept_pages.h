// KeptPages: pages of the last synced state, put aside so that LMDB may write over them before the
// next sync. Internal to this folder; the file `kept` is drawn in FORMAT.md.
//
// A page that a commit gives up is wanted again soon, and warm; one that has to wait for the next
// sync is replaced by a fresh one, which costs the kernel a new page and the disk a write. Most
// pages that are given up were written since the last sync, so nobody needs them: LMDB cannot tell
// which, but what the state's list of free pages and its last page say does. The others are copied
// to `kept` first, once a state, and synced there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "engine/storage/descriptor.h"
#include "engine/storage/lmdb_meta.h"
#include "engine/storage/synced_file.h"

struct MDB_txn;
struct iovec;

namespace stator::storage {

// While a state is being synced, pages of it and of the one before are kept, each in its own file.
inline constexpr std::array<const char*, 2> kKeptFileNames = {"kept", "kept2"};

class KeptPages {
 public:
  KeptPages() = default;  // without a file: keeps nothing
  // Opens a file of the folder, or makes it. The error is for the user.
  static tl::expected<KeptPages, std::string> open(const std::filesystem::path& folder,
                                                   const char* name);

  // From now on the folder goes back to the state of `mark`, which `reader` is at: what was kept
  // for the one before counts no more. 0, or a code of LMDB or an errno; then nothing is kept for
  // this state.
  int begin(MDB_txn* reader, const SyncedMark& mark);

  enum class Outcome : std::uint8_t {
    Kept,    // LMDB may write over what was given up before the state of `reader`
    Full,    // as much is kept as may be: not before the next sync
    NoRoom,  // the same, for want of room on the disk or because of it
  };
  // Keeps what was given up of the state up to that of `reader`, on the disk.
  // REQUIRES: a reader is open of the state that the last call kept everything up to, or before it.
  Outcome keep(MDB_txn* reader);
  // Whether a sync now would still come before keep() answers Full.
  bool is_almost_full() const;

 private:
  Outcome write(const std::vector<std::uint64_t>& pages, const char* map);
  bool write_batch(const std::uint64_t* pages, std::size_t count, const char* map);
  bool write_out(const iovec* parts, int count, std::size_t size);
  bool may_reach(std::uint64_t end) const;
  bool has_room() const;

  Descriptor file_;
  std::string of_;  // tells the state from all others; empty: nothing may be kept
  std::uint64_t page_bytes_ = 0;
  std::vector<bool> is_spare_;  // by number: not of the state, or kept; behind the end, too
  std::uint64_t seen_ = 0;      // the last transaction whose pages were looked at
  std::uint64_t kept_ = 0;      // pages
  std::uint64_t end_ = 0;       // of the batches in the file
};

// Puts back into data.mdb what was kept of the state of `mark`, and waits for the disk. Nobody has
// data.mdb open with LMDB. The error is for the user.
tl::expected<void, std::string> put_back_kept_pages(const std::filesystem::path& folder,
                                                    int data_file, const SyncedMark& mark);

// After an end at which all is on the disk.
void remove_kept_pages(const std::filesystem::path& folder);

}  // namespace stator::storage
