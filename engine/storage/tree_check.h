// Whether the pages of a state are laid out as LMDB takes for granted. It follows page numbers,
// offsets and sizes that it finds in the file without a look whether they lead anywhere, and moves
// bytes by them when it writes: a damaged one reads or writes beyond a page, makes records vanish,
// or gives a page of somebody else's records to the next write. So this is looked at before LMDB
// opens a file, and by `stator check`. The file is read, not mapped: bytes that a disk cannot read
// are a finding, no signal.
//
// Seen is all that is layout: headers of pages and nodes, page numbers, counts, the order of keys
// over all pages, who owns each page, the lists of free pages, the meta pages. Not seen is what
// lies inside a key that keeps its place, or inside a value. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "engine/storage/lmdb_meta.h"

namespace stator::storage {

enum class CheckDepth : std::uint8_t {
  Layout,  // what LMDB relies on; about a microsecond for each page that is not part of a value
  All,     // also that every byte can be read, and that no page is lost
};

// Appends what is wrong with `state` of an open file, a line each, `findings_max` at most. The
// state must stay: no process writes, or a reader pins it.
void check_trees(int data_file, const MetaPage& state, CheckDepth depth, std::size_t findings_max,
                 std::vector<std::string>& findings);

// Whether LMDB may open the file, which nobody writes. The error is for the user. An empty file
// is about to be begun.
tl::expected<void, std::string> check_layout(int data_file);

}  // namespace stator::storage
