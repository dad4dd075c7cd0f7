#include "engine/storage/key_codec.h"

// The digest itself, without the library's bookkeeping of providers, which costs as much.
#define OPENSSL_SUPPRESS_DEPRECATED  // NOLINT(readability-identifier-naming): its name
#include <openssl/md5.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>

#include "engine/storage/bytes.h"
#include "engine/storage/damage.h"
#include "engine/storage/lmdb_handle.h"

namespace stator::storage {
namespace {

static_assert(kPointerKeyBytes <= kLmdbKeyBytesMax);
static_assert(kSpaceBytes + kHashBytes + 1 + kInlinePartitionBytesMax < kRecordKeyBytesMax);
static_assert(kInlinePartitionBytesMax < 0xFF);

constexpr char kDigestMark = static_cast<char>(0xFF);
// As in the hash model that an independent emulator verified against the service's scan order.
constexpr std::string_view kHashSeed = "Outliers";

using Hash = std::array<char, kHashBytes>;

Hash compute_hash(std::string_view partition) {
  MD5_CTX context;
  std::array<unsigned char, MD5_DIGEST_LENGTH> digest;
  MD5_Init(&context);
  MD5_Update(&context, kHashSeed.data(), kHashSeed.size());
  MD5_Update(&context, partition.data(), partition.size());
  MD5_Final(digest.data(), &context);
  Hash hash;
  std::memcpy(hash.data(), digest.data(), hash.size());
  return hash;
}

// A request asks for the hash of one partition several times: to find the item, to charge it, to
// store it. Comparing with the last one costs a tenth of computing.
struct LastHash {
  static constexpr std::size_t kBytesMax = 64;

  std::size_t size = SIZE_MAX;  // none yet
  std::array<char, kBytesMax> partition;
  Hash hash;
};

Hash hash_bytes(std::string_view partition) {
  thread_local LastHash last;
  if (partition.size() > LastHash::kBytesMax) return compute_hash(partition);
  const bool is_last = partition.size() == last.size &&
                       std::equal(partition.begin(), partition.end(), last.partition.begin());
  if (is_last) return last.hash;
  last.hash = compute_hash(partition);
  last.size = partition.size();
  std::copy(partition.begin(), partition.end(), last.partition.begin());
  return last.hash;
}

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

std::uint32_t partition_hash(std::string_view partition) {
  const auto hash = hash_bytes(partition);
  const std::array<char, 4> padded = {0, hash[0], hash[1], hash[2]};
  return load_be<std::uint32_t>(padded.data());
}

void append_digest(KeyBuffer& key, std::string_view bytes) {
  Digest digest;
  digest.add(bytes);
  const auto finished = digest.finish();
  key.append({finished.data(), finished.size()});
}

void append_partition_prefix(KeyBuffer& key, SpaceId space, std::string_view partition) {
  key.append_u32(static_cast<std::uint32_t>(space));
  const auto hash = hash_bytes(partition);
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
