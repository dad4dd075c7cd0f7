#include "engine/storage/bytes/digest.h"

// The plain digest functions: the library's provider bookkeeping costs as much again.
#define OPENSSL_SUPPRESS_DEPRECATED  // NOLINT(readability-identifier-naming): its name
#include <openssl/md5.h>
#include <openssl/sha.h>

#include <new>

namespace stator::storage {
namespace {

SHA256_CTX* context_in(void* state) { return std::launder(static_cast<SHA256_CTX*>(state)); }

}  // namespace

Digest::Digest() {
  static_assert(sizeof(SHA256_CTX) <= kStateBytes);
  SHA256_Init(::new (state_.data()) SHA256_CTX);
}

void Digest::add(std::string_view bytes) {
  SHA256_Update(context_in(state_.data()), bytes.data(), bytes.size());
}

std::array<char, kDigestBytes> Digest::finish() {
  static_assert(kDigestBytes == SHA256_DIGEST_LENGTH);
  std::array<char, kDigestBytes> digest;
  SHA256_Final(reinterpret_cast<unsigned char*>(digest.data()), context_in(state_.data()));
  return digest;
}

std::array<unsigned char, kMd5Bytes> md5_of(std::string_view bytes) {
  static_assert(kMd5Bytes == MD5_DIGEST_LENGTH);
  std::array<unsigned char, kMd5Bytes> digest{};
  MD5(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return digest;
}

}  // namespace stator::storage
