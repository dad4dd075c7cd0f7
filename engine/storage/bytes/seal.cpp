#include "engine/storage/bytes/seal.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <new>

namespace stator::storage {

std::array<char, kSealBytes> seal_of(std::string_view text, std::string_view secret) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  const auto* key = secret.data();
  const unsigned char* done =
      HMAC(EVP_sha256(), key, static_cast<int>(secret.size()),
           static_cast<const unsigned char*>(static_cast<const void*>(text.data())), text.size(),
           digest.data(), &size);
  if (done == nullptr || size != kSealBytes) throw std::bad_alloc();
  std::array<char, kSealBytes> seal{};
  for (std::size_t i = 0; i < kSealBytes; ++i) seal[i] = static_cast<char>(digest[i]);
  return seal;
}

std::string sealed(std::string_view head, std::string_view payload, std::string_view secret) {
  const auto seal = seal_of(std::string(head).append(payload), secret);
  return std::string(payload).append(seal.data(), seal.size());
}

std::optional<std::string_view> unsealed(std::string_view head, std::string_view bytes,
                                         std::string_view secret) {
  if (bytes.size() < kSealBytes) return std::nullopt;
  const std::string_view payload = bytes.substr(0, bytes.size() - kSealBytes);
  const auto seal = seal_of(std::string(head).append(payload), secret);
  if (CRYPTO_memcmp(seal.data(), bytes.data() + payload.size(), kSealBytes) != 0)
    return std::nullopt;
  return payload;
}

}  // namespace stator::storage
