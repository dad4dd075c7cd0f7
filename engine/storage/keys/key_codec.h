// Key codec: the LMDB keys of records, for partition and sort bytes of any length. Internal to this
// folder; engine/storage/FORMAT.md draws the keys.
//
//   items key  := space:u32be | hash:3 bytes | partition | sort          at most 510 bytes, or
//                 space:u32be | hash:3 bytes | partition | first bytes of sort | 00     exactly
//                 511: a pointer
//   nodes key  := node:u64be | sort                                      at most 510 bytes, or
//                 node:u64be | first bytes of sort | 00                  exactly 511: a pointer
//   partition  := length:u8 (0..64) | bytes      or      FF | SHA-256 of the bytes
//
// A key above 510 bytes stores only its first part. The value under it is then a pointer: the
// number of a node in the Nodes database, where the rest of the sort bytes continues by the same
// rule. All sort keys with the same first part share the node. This preserves byte order at every
// length: a sort key that ends exactly there has a 510-byte key, which sorts right before the
// pointer, and all keys under the pointer are longer. A key's length alone shows whether its value
// is a record or a pointer.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/schema/space.h"
#include "engine/storage/bytes/digest.h"

namespace stator::storage {

inline constexpr std::size_t kPointerKeyBytes = 511;
inline constexpr std::size_t kRecordKeyBytesMax = kPointerKeyBytes - 1;
inline constexpr std::size_t kInlinePartitionBytesMax = 64;
inline constexpr std::size_t kSpaceBytes = 4;
inline constexpr std::size_t kNodeIdBytes = 8;
// Far above the longest possible key of several attributes; bounds the number of nodes that lead to
// a record.
inline constexpr std::size_t kSortBytesMax = 16 * 1024;

// A key under construction, or a prefix that bounds a walk. Fixed size, no allocation.
class KeyBuffer {
 public:
  std::string_view view() const { return {bytes_.data(), size_}; }
  std::size_t size() const { return size_; }

  void append(std::string_view bytes);
  void append_u32(std::uint32_t value);
  void append_u64(std::uint64_t value);
  // Copies only the bytes in use.
  void assign(const KeyBuffer& other) {
    size_ = 0;
    append(other.view());
  }
  // Becomes the first key after all that begin with this one; empty if none.
  void advance();
  void resize(std::size_t size) {
    assert(size <= size_);
    size_ = size;
  }

 private:
  std::array<char, kPointerKeyBytes> bytes_;
  std::size_t size_ = 0;
};

// Appends the SHA-256 of `bytes`: kDigestBytes.
void append_digest(KeyBuffer& key, std::string_view bytes);

// Appends space, hash and partition: the common prefix of all records of one partition.
void append_partition_prefix(KeyBuffer& key, SpaceId space, std::string_view partition);

// Appends bytes of any length such that only equal bytes give equal results and none is a prefix of
// another: the `partition` above.
void append_bounded(KeyBuffer& key, std::string_view bytes);

// Appends the sort bytes, or their first part and the pointer's mark. Returns the rest, which
// continues in the node; empty if there is no pointer (a rest is never empty).
std::string_view append_sort(KeyBuffer& key, std::string_view sort);

inline bool is_pointer_key(std::string_view key) { return key.size() == kPointerKeyBytes; }

// The common prefix of all keys of `node` in Nodes.
KeyBuffer node_prefix(std::uint64_t node);

std::uint64_t decode_pointer(std::string_view value);

}  // namespace stator::storage
