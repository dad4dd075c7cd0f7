#include "engine/storage/keys/key_codec.h"

#include <cassert>
#include <cstdint>
#include <cstring>

#include "engine/storage/bytes/bytes.h"
#include "engine/storage/bytes/damage.h"
#include "engine/storage/keys/partition_hash.h"
#include "engine/storage/lmdb/lmdb_handle.h"

namespace stator::storage {
namespace {

static_assert(kPointerKeyBytes <= kLmdbKeyBytesMax);
static_assert(kSpaceBytes + kHashBytes + 1 + kInlinePartitionBytesMax < kRecordKeyBytesMax);
static_assert(kInlinePartitionBytesMax < 0xFF);

constexpr char kDigestMark = static_cast<char>(0xFF);

}  // namespace

void KeyBuffer::append(std::string_view bytes) {
  assert(size_ + bytes.size() <= bytes_.size());
  if (bytes.empty()) return;
  std::memcpy(bytes_.data() + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
}

void KeyBuffer::append_u32(std::uint32_t value) {
  assert(size_ + 4 <= bytes_.size());
  store_be(bytes_.data() + size_, value);
  size_ += 4;
}

void KeyBuffer::append_u64(std::uint64_t value) {
  assert(size_ + 8 <= bytes_.size());
  store_be(bytes_.data() + size_, value);
  size_ += 8;
}

void KeyBuffer::advance() {
  while (size_ > 0 && bytes_[size_ - 1] == '\xFF') --size_;
  if (size_ > 0) ++bytes_[size_ - 1];
}

void append_digest(KeyBuffer& key, std::string_view bytes) {
  Digest digest;
  digest.add(bytes);
  const auto finished = digest.finish();
  key.append({finished.data(), finished.size()});
}

void append_partition_prefix(KeyBuffer& key, SpaceId space, std::string_view partition) {
  key.append_u32(static_cast<std::uint32_t>(space));
  const auto hash = partition_hash_bytes(partition);
  key.append({hash.data(), hash.size()});
  append_bounded(key, partition);
}

void append_bounded(KeyBuffer& key, std::string_view bytes) {
  if (bytes.size() <= kInlinePartitionBytesMax) {
    const char length = static_cast<char>(bytes.size());
    key.append({&length, 1});
    key.append(bytes);
    return;
  }
  key.append({&kDigestMark, 1});
  append_digest(key, bytes);
}

std::string_view append_sort(KeyBuffer& key, std::string_view sort) {
  const std::size_t room = kRecordKeyBytesMax - key.size();
  if (sort.size() <= room) {
    key.append(sort);
    return {};
  }
  key.append(sort.substr(0, room));
  constexpr char kPointerMark = 0;
  key.append({&kPointerMark, 1});
  return sort.substr(room);
}

KeyBuffer node_prefix(std::uint64_t node) {
  KeyBuffer key;
  key.append_u64(node);
  return key;
}

std::uint64_t decode_pointer(std::string_view value) {
  if (value.size() != kNodeIdBytes) throw DamagedData("a pointer to a node cannot be read");
  return load_be<std::uint64_t>(value.data());
}

}  // namespace stator::storage
