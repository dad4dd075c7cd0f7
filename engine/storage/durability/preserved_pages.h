// PreservedPages: preserved pages of the last synced state, so that LMDB may overwrite them before
// the next sync. Internal to this folder; engine/storage/FORMAT.md draws the file `kept`.
//
// A page that a commit frees is soon reused while still cached. If it had to wait for the next
// sync, a new page would replace it, which costs the kernel a page and the disk a write. Most freed
// pages were written since the last sync, so no persisted state needs them. The synced state's list
// of free pages and its last page show which; LMDB does not know. The other freed pages are first
// copied to `kept`, once per state, and synced there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "engine/storage/durability/descriptor.h"
#include "engine/storage/durability/synced_file.h"
#include "engine/storage/lmdb/lmdb_meta.h"

struct MDB_txn;
struct iovec;

namespace stator::storage {

// While a state is being synced, pages of that state and of the one before are preserved, each in
// its own file.
inline constexpr std::array<const char*, 2> kKeptFileNames = {"kept", "kept2"};

class PreservedPages {
 public:
  PreservedPages() = default;  // without a file: preserves nothing
  // Opens a file of the folder, or creates it. The error is for the user.
  static tl::expected<PreservedPages, std::string> open(const std::filesystem::path& folder,
                                                        const char* name);

  // From now on a recovery restores the state of `mark`, which `reader` holds; pages preserved for
  // the previous state no longer count. Returns 0, or an LMDB code or errno; then no pages are
  // preserved for this state.
  int begin(MDB_txn* reader, const SyncedState& mark);

  enum class Outcome : std::uint8_t {
    Kept,    // LMDB may overwrite pages freed before the state of `reader`
    Full,    // the limit is reached: LMDB may not before the next sync
    NoRoom,  // as Full, but because the disk lacks space or failed
  };
  // Preserves, on disk, pages of the state that were freed up to the state of `reader`. REQUIRES: a
  // reader is open on the state of the last call, or on an earlier one.
  Outcome keep(MDB_txn* reader);
  // Whether a sync should start now, so that it ends before keep() returns Full.
  bool is_almost_full() const;

 private:
  Outcome write(const std::vector<std::uint64_t>& pages, const char* map);
  bool write_batch(const std::uint64_t* pages, std::size_t count, const char* map);
  bool write_out(const iovec* parts, int count, std::size_t size);
  bool may_reach(std::uint64_t end) const;
  bool has_room() const;

  Descriptor file_;
  std::string of_;  // identity of the state; empty: preserve nothing
  std::uint64_t page_bytes_ = 0;
  std::vector<bool> is_spare_;  // by number: not in the state, or preserved
  std::uint64_t seen_ = 0;      // the last transaction whose freed pages were processed
  std::uint64_t kept_ = 0;      // number of preserved pages
  std::uint64_t end_ = 0;       // end of the batches in the file
};

// Writes the preserved pages of the state of `mark` back to data.mdb and waits for the disk.
// REQUIRES: no process has data.mdb open with LMDB. The error is for the user.
tl::expected<void, std::string> put_back_kept_pages(const std::filesystem::path& folder,
                                                    int data_file, const SyncedState& mark);

// Call after a clean shutdown, with all data on disk.
void remove_kept_pages(const std::filesystem::path& folder);

}  // namespace stator::storage
