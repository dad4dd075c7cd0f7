#include "engine/storage/lmdb/tree_check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace stator::storage {
namespace {

static_assert(std::endian::native == std::endian::little, "nodes are laid out otherwise");

constexpr std::uint64_t kNoPage = ~std::uint64_t{0};
constexpr std::uint64_t kMetaPages = 2;
constexpr unsigned kDepthMax = 31;  // LMDB's cursors hold 32 pages
constexpr std::size_t kKeyBytesMax = 511;
constexpr std::uint16_t kBranchPage = 1;
constexpr std::uint16_t kLeafPage = 2;
constexpr std::uint16_t kOverflowPage = 4;
constexpr std::uint16_t kBigValue = 1;  // flags of a node: its value lies on overflow pages
constexpr std::uint16_t kTreeValue = 2;
constexpr std::uint16_t kIntegerKeys = 8;  // flag of a tree
constexpr std::uint64_t kReadAheadBytesMax = std::uint64_t{1} << 30;

struct PageHeader {
  std::uint64_t number;
  std::uint16_t unused;
  std::uint16_t flags;
  std::uint16_t lower;  // end of the offsets of nodes
  std::uint16_t upper;  // begin of the nodes
  std::uint32_t pages() const {
    return lower | std::uint32_t{upper} << 16;
  }  // of an overflow value
};
constexpr std::size_t kPageHeaderBytes = 16;
static_assert(sizeof(PageHeader) == kPageHeaderBytes);

struct NodeHeader {
  std::uint16_t low;
  std::uint16_t high;
  std::uint16_t flags;
  std::uint16_t key_bytes;
  std::uint32_t value_bytes() const { return low | std::uint32_t{high} << 16; }
  std::uint64_t child() const { return value_bytes() | std::uint64_t{flags} << 32; }
};
constexpr std::size_t kNodeHeaderBytes = 8;
static_assert(sizeof(NodeHeader) == kNodeHeaderBytes);

template <class T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

enum class TreeKind : std::uint8_t { FreePages, Databases, Records };

struct Tree {
  TreeKind kind;
  std::string name;
  LmdbTree recorded;
  LmdbTree counted{};
};

// Bounds of the keys on a page; empty means none.
struct KeyRange {
  std::string_view lower;  // inclusive
  std::string_view upper;  // exclusive
};

// A page's nodes in key order.
struct Node {
  NodeHeader header;
  std::string_view key;
  const char* value;
};

class TreeChecker {
 public:
  TreeChecker(int file, const MetaPage& state, CheckDepth depth, std::size_t findings_max,
              std::vector<std::string>& findings)
      : file_(file),
        state_(state),
        depth_(depth),
        findings_max_(findings_max),
        findings_(findings),
        page_bytes_(state.trees[0].page_bytes),
        size_at_(page_bytes_ / 2) {}

  void run() {
    struct stat file {};
    if (::fstat(file_, &file) != 0) return find("it cannot be read");
    file_pages_ = static_cast<std::uint64_t>(file.st_size) / page_bytes_;
    ::posix_fadvise(file_, 0,
                    static_cast<off_t>(std::min<std::uint64_t>(
                        static_cast<std::uint64_t>(file.st_size), kReadAheadBytesMax)),
                    POSIX_FADV_WILLNEED);
    is_taken_.resize(file_pages_);
    check_tree({TreeKind::FreePages, "the list of free pages", state_.trees[0]});
    check_tree({TreeKind::Databases, "the list of databases", state_.trees[1]});
    for (const auto& [name, tree] : databases_) check_tree({TreeKind::Records, name, tree});
    if (!findings_.empty()) return;
    const std::uint64_t pages = state_.last_page + 1;
    if (pages > file_pages_ + free_behind_end_) return find("the file ends before its last page");
    if (depth_ == CheckDepth::All && pages != pages_)
      find(std::to_string(pages_) + " pages are in use or free, the file has " +
           std::to_string(pages));
  }

 private:
  void find(std::string what) {
    if (findings_.size() < findings_max_) findings_.push_back(std::move(what));
  }
  void find(const Tree& tree, std::uint64_t page, std::string_view what) {
    find("page " + std::to_string(page) + " of " + tree.name + ": " + std::string(what));
  }
  bool is_enough() const { return findings_.size() >= findings_max_; }

  bool read(std::uint64_t page, char* to, std::size_t size_bytes) const {
    auto offset = static_cast<off_t>(page * page_bytes_);
    while (size_bytes > 0) {
      const ssize_t length = ::pread(file_, to, size_bytes, offset);
      if (length < 0 && errno == EINTR) continue;
      if (length <= 0) return false;
      to += length;
      offset += length;
      size_bytes -= static_cast<std::size_t>(length);
    }
    return true;
  }

  // Whether no other tree uses these pages; marks them used.
  bool take(std::uint64_t page, std::uint64_t count) {
    const std::uint64_t end = std::min(file_pages_, state_.last_page + 1);
    if (page < kMetaPages || page >= end || count > end - page) return false;
    for (std::uint64_t i = page; i < page + count; ++i) {
      if (is_taken_[i]) return false;
      is_taken_[i] = true;
    }
    pages_ += count;
    return true;
  }

  void check_tree(Tree tree) {
    if (is_enough()) return;
    const LmdbTree& recorded = tree.recorded;
    const bool is_free_list = tree.kind == TreeKind::FreePages;
    if (recorded.flags != (is_free_list ? kIntegerKeys : 0) || recorded.depth > kDepthMax ||
        (recorded.root == kNoPage) != (recorded.depth == 0))
      return find(tree.name + ": its tree cannot be read");
    if (recorded.depth > 0) {
      while (buffers_.size() < recorded.depth) buffers_.emplace_back(page_bytes_, '\0');
      check_page(tree, recorded.root, 1, {});
    }
    const LmdbTree& counted = tree.counted;
    if (is_enough() ||
        (counted.branch_pages == recorded.branch_pages &&
         counted.leaf_pages == recorded.leaf_pages &&
         counted.overflow_pages == recorded.overflow_pages && counted.entries == recorded.entries))
      return;
    find(tree.name + ": " + std::to_string(counted.entries) + " entries, " +
         std::to_string(recorded.entries) + " are recorded, or pages are missing");
  }

  int compare(const Tree& tree, std::string_view one, std::string_view other) const {
    if (tree.kind != TreeKind::FreePages) return one.compare(other);
    const auto a = load<std::uint64_t>(one.data());
    const auto b = load<std::uint64_t>(other.data());
    return a < b ? -1 : static_cast<int>(a > b);
  }

  // Checks a page and all below it. The tree's depth bounds the recursion.
  void check_page(Tree& tree, std::uint64_t number, unsigned level, const KeyRange& range) {
    if (is_enough()) return;
    if (!take(number, 1)) return find(tree, number, "it is used twice, or there is none");
    char* const page = buffers_[level - 1].data();
    if (!read(number, page, page_bytes_)) return find(tree, number, "it cannot be read");
    const auto header = load<PageHeader>(page);
    const bool is_leaf = level == tree.recorded.depth;
    if (header.number != number || header.flags != (is_leaf ? kLeafPage : kBranchPage))
      return find(tree, number, "its header is of another page");
    if (!are_nodes_sound(page, header, is_leaf)) return find(tree, number, "its nodes are damaged");
    const std::size_t count = (header.lower - kPageHeaderBytes) / sizeof(std::uint16_t);
    const std::size_t count_min = is_leaf || tree.kind == TreeKind::FreePages ? 1 : 2;
    if (count < count_min || !are_keys_sound(tree, page, count, is_leaf, range))
      return find(tree, number, "its keys are damaged or out of order");
    if (is_leaf) {
      ++tree.counted.leaf_pages;
      tree.counted.entries += count;
      for (std::size_t i = 0; i < count; ++i) check_value(tree, number, node(page, i));
      return;
    }
    ++tree.counted.branch_pages;
    for (std::size_t i = 0; i < count; ++i) {
      const KeyRange below{i == 0 ? range.lower : node(page, i).key,
                           i + 1 == count ? range.upper : node(page, i + 1).key};
      check_page(tree, node(page, i).header.child(), level + 1, below);
    }
  }

  static std::size_t offset_of(const char* page, std::size_t index) {
    return load<std::uint16_t>(page + kPageHeaderBytes + index * sizeof(std::uint16_t));
  }

  // REQUIRES: the page's nodes are sound.
  static Node node(const char* page, std::size_t index) {
    const char* const at = page + offset_of(page, index);
    const auto header = load<NodeHeader>(at);
    const char* const key = at + kNodeHeaderBytes;
    return {header, {key, header.key_bytes}, key + header.key_bytes};
  }

  // Whether the nodes fill the page from `upper` to its end, without gaps and each once.
  bool are_nodes_sound(const char* page, const PageHeader& header, bool is_leaf) {
    if (header.lower < kPageHeaderBytes || header.lower % 2 != 0 || header.lower > header.upper ||
        header.upper > page_bytes_)
      return false;
    std::size_t left = (header.lower - kPageHeaderBytes) / sizeof(std::uint16_t);
    bool is_sound = true;
    for (std::size_t i = 0; i < left && is_sound; ++i) {
      const std::size_t offset = offset_of(page, i);
      is_sound =
          offset % 2 == 0 && offset >= header.upper && offset + kNodeHeaderBytes <= page_bytes_;
      if (!is_sound) break;
      const auto found = load<NodeHeader>(page + offset);
      std::uint64_t size_bytes = kNodeHeaderBytes + std::uint64_t{found.key_bytes};
      if (is_leaf)
        size_bytes += (found.flags & kBigValue) != 0 ? sizeof(std::uint64_t) : found.value_bytes();
      size_bytes += size_bytes % 2;
      is_sound = size_bytes <= page_bytes_ - offset;
      if (is_sound) size_at_[offset / 2] = static_cast<std::uint32_t>(size_bytes);
    }
    std::size_t at = header.upper;
    while (is_sound && at < page_bytes_) {
      const std::size_t size_bytes = size_at_[at / 2];
      is_sound = size_bytes > 0 && left > 0;
      size_at_[at / 2] = 0;
      at += size_bytes;
      --left;
    }
    if (is_sound && left == 0) return true;
    std::fill(size_at_.begin(), size_at_.end(), 0);
    return false;
  }

  // Whether keys ascend within the range. The first key of a branch page counts as less than all.
  bool are_keys_sound(const Tree& tree, const char* page, std::size_t count, bool is_leaf,
                      const KeyRange& range) const {
    std::string_view previous;
    for (std::size_t i = is_leaf ? 0 : 1; i < count; ++i) {
      const std::string_view key = node(page, i).key;
      if (key.empty() || key.size() > kKeyBytesMax) return false;
      if (tree.kind == TreeKind::FreePages && key.size() != sizeof(std::uint64_t)) return false;
      if (!previous.empty() && compare(tree, previous, key) >= 0) return false;
      if (previous.empty() && !range.lower.empty() && compare(tree, key, range.lower) < 0)
        return false;
      previous = key;
    }
    return previous.empty() || range.upper.empty() || compare(tree, previous, range.upper) < 0;
  }

  void check_value(Tree& tree, std::uint64_t number, const Node& found) {
    const std::size_t size_bytes = found.header.value_bytes();
    if (tree.kind == TreeKind::Databases) {
      if (found.header.flags != kTreeValue || size_bytes != sizeof(LmdbTree))
        return find(tree, number, "an entry is no database");
      databases_.emplace_back("database " + std::string(found.key), load<LmdbTree>(found.value));
      return;
    }
    if (found.header.flags > kBigValue) return find(tree, number, "an entry is of another kind");
    std::string_view value(found.value, size_bytes);
    if (found.header.flags == kBigValue) {
      const auto first = load<std::uint64_t>(found.value);
      if (!read_overflow(tree, first, size_bytes))
        return find(tree, first, "the value on it cannot be read");
      value = overflow_;
    }
    if (tree.kind == TreeKind::FreePages && !take_free_pages(found.key, value))
      find(tree, number, "a page that is not free stands on it");
  }

  bool read_overflow(Tree& tree, std::uint64_t first, std::size_t size_bytes) {
    std::array<char, kPageHeaderBytes> bytes{};
    if (first > state_.last_page || !read(first, bytes.data(), bytes.size())) return false;
    const auto header = load<PageHeader>(bytes.data());
    // Within a transaction a shorter value may have replaced a longer one.
    const std::uint64_t pages_min = (kPageHeaderBytes - 1 + size_bytes) / page_bytes_ + 1;
    if (header.number != first || header.flags != kOverflowPage || header.pages() < pages_min ||
        !take(first, header.pages()))
      return false;
    tree.counted.overflow_pages += header.pages();
    if (depth_ == CheckDepth::Layout && tree.kind != TreeKind::FreePages) return true;
    overflow_.resize(kPageHeaderBytes + size_bytes);
    if (!read(first, overflow_.data(), overflow_.size())) return false;
    overflow_.erase(0, kPageHeaderBytes);
    return true;
  }

  // A list under the transaction that freed the pages: their number, then each page, descending.
  bool take_free_pages(std::string_view transaction, std::string_view list) {
    if (load<std::uint64_t>(transaction.data()) > state_.transaction) return false;
    const std::size_t words = list.size() / sizeof(std::uint64_t);
    if (words == 0) return false;
    const auto count = load<std::uint64_t>(list.data());
    if (count >= words) return false;
    std::uint64_t previous = state_.last_page + 1;
    for (std::size_t i = 1; i <= count; ++i) {
      const auto page = load<std::uint64_t>(list.data() + i * sizeof(std::uint64_t));
      if (page >= previous || page < kMetaPages) return false;
      previous = page;
      if (page >= file_pages_) {
        ++free_behind_end_;
        ++pages_;
      } else if (!take(page, 1)) {
        return false;
      }
    }
    return true;
  }

  const int file_;
  const MetaPage& state_;
  const CheckDepth depth_;
  const std::size_t findings_max_;
  std::vector<std::string>& findings_;
  const std::size_t page_bytes_;
  std::uint64_t file_pages_ = 0;
  std::vector<bool> is_taken_;
  std::uint64_t pages_ = kMetaPages;   // used or free
  std::uint64_t free_behind_end_ = 0;  // never written
  std::vector<std::pair<std::string, LmdbTree>> databases_;
  std::vector<std::string> buffers_;    // one page per level
  std::vector<std::uint32_t> size_at_;  // for the node at twice that offset; all 0 between pages
  std::string overflow_;
};

// Transaction N writes page N % 2, so the two are consecutive; equal ones were restored or are new.
bool are_neighbours(const MetaPage& first, const MetaPage& second) {
  if (first.trees[0].page_bytes != second.trees[0].page_bytes) return false;
  if (first.transaction == second.transaction) return true;
  const bool is_in_place = first.transaction % 2 == 0;
  return is_in_place && (first.transaction + 1 == second.transaction ||
                         second.transaction + 1 == first.transaction);
}

}  // namespace

void check_trees(int data_file, const MetaPage& state, CheckDepth depth, std::size_t findings_max,
                 std::vector<std::string>& findings) {
  TreeChecker(data_file, state, depth, findings_max, findings).run();
}

tl::expected<void, std::string> check_layout(int data_file) {
  struct stat file {};
  if (::fstat(data_file, &file) == 0 && file.st_size == 0) return {};
  const auto pages = both_meta_pages(data_file);
  if (!pages) return tl::unexpected(std::string(pages.error()));
  const auto& [first, second] = *pages;
  std::vector<std::string> findings;
  if (are_neighbours(first, second)) {
    const MetaPage& newest = second.transaction > first.transaction ? second : first;
    check_trees(data_file, newest, CheckDepth::Layout, 1, findings);
  } else {
    findings.emplace_back("its meta pages do not belong together");
  }
  if (findings.empty()) return {};
  return tl::unexpected("its data.mdb was not written by Stator or is damaged: " + findings[0]);
}

}  // namespace stator::storage
