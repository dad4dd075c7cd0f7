// The meta page of LMDB 0.9: what names the root of a state, and with it all its pages. LMDB has no
// call to ask for it or to go back to an older one, so its layout is repeated here, and checked.
// Internal to this folder.
//
// data.mdb begins with two meta pages; transaction N writes page N % 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace stator::storage {

struct LmdbTree {
  std::uint32_t page_bytes;  // of the first tree only
  std::uint16_t flags;
  std::uint16_t depth;
  std::uint64_t branch_pages;
  std::uint64_t leaf_pages;
  std::uint64_t overflow_pages;
  std::uint64_t entries;
  std::uint64_t root;
};

// The bytes that a meta page begins with, as they are in the file; the rest of it is unused.
struct MetaPage {
  std::uint64_t number;
  std::uint16_t unused;
  std::uint16_t page_flags;
  std::uint16_t lower;
  std::uint16_t upper;
  std::uint32_t magic;
  std::uint32_t version;
  std::uint64_t map_address;
  std::uint64_t map_bytes;
  LmdbTree trees[2];
  std::uint64_t last_page;
  std::uint64_t transaction;

  // Of the file, up to its last page in use.
  std::uint64_t file_bytes() const { return (last_page + 1) * trees[0].page_bytes; }
  bool operator==(const MetaPage& other) const;
};
static_assert(sizeof(LmdbTree) == 48 && sizeof(MetaPage) == 152);
static_assert(offsetof(MetaPage, magic) == 16 && offsetof(MetaPage, trees) == 40);
static_assert(offsetof(MetaPage, transaction) == 144);

std::string_view bytes_of(const MetaPage& page);
// Empty `data.mdb`s and foreign ones are errors, for the user.
tl::expected<MetaPage, std::string_view> meta_page_of(std::string_view bytes);

// Both meta pages of the open file, in their order.
tl::expected<std::pair<MetaPage, MetaPage>, std::string_view> both_meta_pages(int data_file);

// The meta page of the newest state in the open file, as LMDB chooses it.
tl::expected<MetaPage, std::string_view> newest_meta_page(int data_file);

// Whether the open file is no more than what LMDB writes before the first commit: two meta pages of
// transaction 0, whole, in part or not at all.
bool has_no_commit(int data_file);

// Makes `page` that of the newest state, and waits for the disk. No process may have the file open
// with LMDB. 0 or an errno.
int restore_meta_page(int data_file, MetaPage page);

}  // namespace stator::storage
