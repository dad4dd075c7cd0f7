#include "engine/storage/keys/partition_hash.h"

// The plain digest functions: the library's provider bookkeeping costs as much again.
#define OPENSSL_SUPPRESS_DEPRECATED  // NOLINT(readability-identifier-naming): its name
#include <openssl/md5.h>

#include <algorithm>
#include <cstring>

#include "engine/storage/bytes/bytes.h"

namespace stator::storage {
namespace {

// From the hash model that an independent emulator verified against the service's scan order.
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

// A request needs the hash of one partition several times: to find the item, to charge it, to store
// it. Comparing with the last one costs a tenth of computing it.
struct LastHash {
  static constexpr std::size_t kBytesMax = 64;

  std::size_t size = SIZE_MAX;  // none yet
  std::array<char, kBytesMax> partition;
  Hash hash;
};

}  // namespace

std::array<char, kHashBytes> partition_hash_bytes(std::string_view partition) {
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

std::uint32_t partition_hash(std::string_view partition) {
  const auto hash = partition_hash_bytes(partition);
  const std::array<char, 4> padded = {0, hash[0], hash[1], hash[2]};
  return load_be<std::uint32_t>(padded.data());
}

}  // namespace stator::storage
