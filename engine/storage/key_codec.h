// Key codec: the LMDB keys of records, for partition and sort bytes of any length. Internal to this
// folder; drawn in FORMAT.md.
//
//   items key  := space:u32be | hash:3 bytes | partition | sort          at most 510 bytes, or
//                 space:u32be | hash:3 bytes | partition | first bytes of sort | 00     exactly
//                 511: a pointer
//   nodes key  := node:u64be | sort                                      at most 510 bytes, or
//                 node:u64be | first bytes of sort | 00                  exactly 511: a pointer
//   partition  := length:u8 (0..64) | bytes      or      FF | SHA-256 of the bytes
//
// A key that would exceed 510 bytes keeps what fits; the value under it is then a pointer, the
// number of a node in the Nodes database where the rest of the sort bytes goes on, by the same
// rule. All sort keys with those first bytes share the node. So byte order is kept at every length:
// a sort key that ends exactly there has a 510-byte key, which sorts right before the pointer, and
// everything under the pointer is longer. The length of a key alone tells whether its value is a
// record or a pointer.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/storage/digest.h"
#include "engine/storage/item_store.h"

namespace stator::storage {

inline constexpr std::size_t kPointerKeyBytes = 511;
inline constexpr std::size_t kRecordKeyBytesMax = kPointerKeyBytes - 1;
inline constexpr std::size_t kInlinePartitionBytesMax = 64;
inline constexpr std::size_t kHashBytes = 3;
inline constexpr std::size_t kSpaceBytes = 4;
inline constexpr std::size_t kNodeIdBytes = 8;
// Far above what a key of several attributes can be; bounds the nodes on the way to a record.
inline constexpr std::size_t kSortBytesMax = 16 * 1024;

// A key under construction or a prefix to stay within; fixed room, no allocation.
class KeyBuffer {
 public:
  std::string_view view() const { return {bytes_.data(), size_}; }
  std::size_t size() const { return size_; }

  void append(std::string_view bytes);
  void append_u32(std::uint32_t value);
  void append_u64(std::uint64_t value);
  // As copying, without the bytes that are not in use.
  void assign(const KeyBuffer& other) {
    size_ = 0;
    append(other.view());
  }
  // Becomes the first key behind all that begin with this one; empty when there is none.
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

// Appends space, hash and partition: what all records of one partition begin with.
void append_partition_prefix(KeyBuffer& key, SpaceId space, std::string_view partition);

// Appends bytes of any length, so that equal ones alone are equal and none begins another: the
// `partition` above.
void append_bounded(KeyBuffer& key, std::string_view bytes);

// Appends the sort bytes, or what fits of them and the pointer's mark. Returns the rest, which goes
// on in the node; empty when there is no pointer (a rest is never empty).
std::string_view append_sort(KeyBuffer& key, std::string_view sort);

inline bool is_pointer_key(std::string_view key) { return key.size() == kPointerKeyBytes; }

// The key in Nodes that every key of `node` begins with.
KeyBuffer node_prefix(std::uint64_t node);

std::uint64_t decode_pointer(std::string_view value);

}  // namespace stator::storage
