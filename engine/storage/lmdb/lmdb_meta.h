// The meta page of LMDB 0.9, which names the root of a state and thereby all its pages. LMDB has no
// call to read it or to return to an older one, so its layout is repeated and checked here.
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
  std::uint32_t page_bytes;  // in the first tree only
  std::uint16_t flags;
  std::uint16_t depth;
  std::uint64_t branch_pages;
  std::uint64_t leaf_pages;
  std::uint64_t overflow_pages;
  std::uint64_t entries;
  std::uint64_t root;
};

// The first bytes of a meta page, as in the file; the rest is unused.
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

  // Bytes of the file up to its last used page.
  std::uint64_t file_bytes() const { return (last_page + 1) * trees[0].page_bytes; }
  bool operator==(const MetaPage& other) const;
};
static_assert(sizeof(LmdbTree) == 48 && sizeof(MetaPage) == 152);
static_assert(offsetof(MetaPage, magic) == 16 && offsetof(MetaPage, trees) == 40);
static_assert(offsetof(MetaPage, transaction) == 144);

std::string_view bytes_of(const MetaPage& page);
// Errors are for the user; an empty or foreign `data.mdb` is one.
tl::expected<MetaPage, std::string_view> meta_page_of(std::string_view bytes);

// Both meta pages of the open file, in order.
tl::expected<std::pair<MetaPage, MetaPage>, std::string_view> both_meta_pages(int data_file);

// The meta page of the newest state in the open file, by LMDB's rule.
tl::expected<MetaPage, std::string_view> newest_meta_page(int data_file);

// Whether the open file has at most what LMDB writes before the first commit: two meta pages of
// transaction 0, whole, partial or missing.
bool has_no_commit(int data_file);

// Makes `page` the newest state and waits for the disk. REQUIRES: no process has the file open with
// LMDB. Returns 0 or an errno.
int restore_meta_page(int data_file, MetaPage page);

}  // namespace stator::storage
