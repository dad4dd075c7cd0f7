// Checks that the pages of a state have the layout that LMDB assumes. LMDB follows page numbers,
// offsets and sizes in the file without checks, and moves bytes by them when it writes. So a
// damaged page makes it read or write beyond a page, lose records, or overwrite a page that other
// records use. Hence this check runs before LMDB opens a file, and in `stator check`. It reads the
// file instead of mapping it: bytes that the disk cannot read are a finding, not a signal.
//
// Checks all of the layout: headers of pages and nodes, page numbers, counts, the order of keys
// across pages, the owner of each page, the lists of free pages, the meta pages. Does not detect
// changes inside a value, or inside a key whose order stays right. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "engine/storage/lmdb/lmdb_meta.h"

namespace stator::storage {

enum class CheckDepth : std::uint8_t {
  Layout,  // what LMDB relies on; about a microsecond per page that is not part of a value
  All,     // also that every byte can be read and no page is lost
};

// Appends the problems of `state` in an open file, one line each, at most `findings_max`. REQUIRES:
// the state stays: no process writes, or a reader pins it.
void check_trees(int data_file, const MetaPage& state, CheckDepth depth, std::size_t findings_max,
                 std::vector<std::string>& findings);

// Checks whether LMDB may open the file. An empty file is valid: LMDB will initialise it. The error
// is for the user. REQUIRES: no process writes it.
tl::expected<void, std::string> check_layout(int data_file);

}  // namespace stator::storage
