#include "engine/storage/digest.h"

// The digest itself, without the library's bookkeeping of providers, which costs as much.
#define OPENSSL_SUPPRESS_DEPRECATED  // NOLINT(readability-identifier-naming): its name
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

}  // namespace stator::storage
