#include "streams/iterator_token.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <new>

#include "engine/storage/bytes.h"
#include "protocol/arena.h"
#include "protocol/base64.h"

namespace stator {
namespace {

using storage::ByteReader;
using storage::ByteWriter;

constexpr std::uint64_t kVersion = 1;
constexpr std::string_view kBehindArn = "|1|";
constexpr std::size_t kSealBytes = 32;
// Beyond the model's bound no token is ours.
constexpr std::size_t kTokenCharsMax = 2048;

std::array<char, kSealBytes> seal_of(std::string_view text, std::string_view secret) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  std::string bytes(text);
  const auto* key = secret.data();
  const unsigned char* done =
      HMAC(EVP_sha256(), key, static_cast<int>(secret.size()),
           static_cast<const unsigned char*>(static_cast<const void*>(bytes.data())), bytes.size(),
           digest.data(), &size);
  if (done == nullptr || size != kSealBytes) throw std::bad_alloc();
  std::array<char, kSealBytes> seal{};
  for (std::size_t i = 0; i < kSealBytes; ++i) seal[i] = static_cast<char>(digest[i]);
  return seal;
}

}  // namespace

std::string write_token(const IteratorToken& token, std::string_view stream_arn,
                        std::string_view secret) {
  std::string text(stream_arn);
  text.append(kBehindArn);
  const std::size_t head = text.size();
  ByteWriter out(text);
  out.be(kVersion);
  out.be(token.stream);
  out.be(token.position);
  out.be(static_cast<std::uint64_t>(token.issued.unix_us));
  out.u8(token.is_at_horizon ? 1 : 0);
  out.bytes(token.shard_id);
  const auto seal = seal_of(text, secret);
  out.raw({seal.data(), seal.size()});
  const std::string payload = text.substr(head);
  text.resize(head);
  append_base64(text, payload);
  return text;
}

std::optional<IteratorToken> read_token(std::string_view text, std::string_view secret) {
  const std::size_t bar = text.rfind('|');
  if (bar == std::string_view::npos || text.size() > kTokenCharsMax) return std::nullopt;
  const std::string_view head = text.substr(0, bar + 1);
  const std::string_view encoded = text.substr(bar + 1);
  if (check_base64(encoded) != Base64Error::None) return std::nullopt;
  Arena arena;
  const std::string_view bytes = decode_base64(encoded, arena);
  if (bytes.size() < kSealBytes) return std::nullopt;
  const std::string_view payload = bytes.substr(0, bytes.size() - kSealBytes);
  const auto seal = seal_of(std::string(head).append(payload), secret);
  if (CRYPTO_memcmp(seal.data(), bytes.data() + payload.size(), kSealBytes) != 0)
    return std::nullopt;
  ByteReader in(payload);
  IteratorToken token;
  const bool is_ours = in.be<std::uint64_t>() == kVersion;
  token.stream = in.be<std::uint64_t>();
  token.position = in.be<std::uint64_t>();
  token.issued = {static_cast<std::int64_t>(in.be<std::uint64_t>())};
  token.is_at_horizon = in.u8() != 0;
  token.shard_id = in.bytes();
  if (!is_ours || !in.finish("a token")) return std::nullopt;
  return token;
}

}  // namespace stator
