#include "engine/storage/key_codec.h"

#include <openssl/evp.h>

#include <cstring>
#include <memory>
#include <new>

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

// A digest algorithm with this thread's context: fetching either anew costs more than the digest.
class Digester {
 public:
  explicit Digester(const char* algorithm)
      : algorithm_(EVP_MD_fetch(nullptr, algorithm, nullptr)), context_(EVP_MD_CTX_new()) {
    if (!algorithm_ || !context_) throw std::bad_alloc();
  }

  // `out` has room for EVP_MAX_MD_SIZE bytes.
  void digest(std::string_view seed, std::string_view bytes, unsigned char* out) {
    const bool done = EVP_DigestInit_ex2(context_.get(), algorithm_.get(), nullptr) == 1 &&
                      EVP_DigestUpdate(context_.get(), seed.data(), seed.size()) == 1 &&
                      EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1 &&
                      EVP_DigestFinal_ex(context_.get(), out, nullptr) == 1;
    assert(done);
    static_cast<void>(done);
  }

 private:
  struct Free {
    void operator()(EVP_MD* algorithm) const { EVP_MD_free(algorithm); }
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD, Free> algorithm_;
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

std::array<char, EVP_MAX_MD_SIZE> digest_of(Digester& digester, std::string_view seed,
                                            std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  digester.digest(seed, bytes, digest.data());
  std::array<char, EVP_MAX_MD_SIZE> chars{};
  std::memcpy(chars.data(), digest.data(), digest.size());
  return chars;
}

std::array<char, kHashBytes> hash_bytes(std::string_view partition) {
  thread_local Digester md5("MD5");
  const auto digest = digest_of(md5, kHashSeed, partition);
  return {digest[0], digest[1], digest[2]};
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

void append_partition_prefix(KeyBuffer& key, SpaceId space, std::string_view partition) {
  key.append_u32(static_cast<std::uint32_t>(space));
  const auto hash = hash_bytes(partition);
  key.append({hash.data(), hash.size()});
  if (partition.size() <= kInlinePartitionBytesMax) {
    const char length = static_cast<char>(partition.size());
    key.append({&length, 1});
    key.append(partition);
    return;
  }
  thread_local Digester sha256("SHA256");
  const auto digest = digest_of(sha256, {}, partition);
  key.append({&kDigestMark, 1});
  key.append({digest.data(), kDigestBytes});
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
