#include "server/access/signing/signing.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <stdexcept>

#include "protocol/text/hex.h"

namespace stator::access {

namespace {

using Digest = std::array<char, SHA256_DIGEST_LENGTH>;

std::string_view text_of(const Digest& digest) { return {digest.data(), digest.size()}; }

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

// A context of this thread, at its beginning. The one-shot functions of OpenSSL find the method by
// its name for each call, which takes longer than a short digest.
EVP_MD_CTX* begun_context() {
  static const EVP_MD* method = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  thread_local std::unique_ptr<EVP_MD_CTX, FreeContext> context(EVP_MD_CTX_new());
  if (method == nullptr || context == nullptr ||
      EVP_DigestInit_ex(context.get(), method, nullptr) != 1)
    throw std::runtime_error("OpenSSL has no SHA-256");
  return context.get();
}

// Of the parts, one after the other.
Digest digest_of(std::initializer_list<std::string_view> parts) {
  EVP_MD_CTX* const context = begun_context();
  for (const std::string_view part : parts) EVP_DigestUpdate(context, part.data(), part.size());
  Digest digest;
  EVP_DigestFinal_ex(context, reinterpret_cast<unsigned char*>(digest.data()), nullptr);
  return digest;
}

// HMAC of RFC 2104 with SHA-256.
Digest hmac(std::string_view key, std::string_view text) {
  constexpr std::size_t kBlockBytes = 64;
  constexpr char kInner = 0x36;
  constexpr char kOuter = 0x5c;
  std::array<char, kBlockBytes> block{};
  if (key.size() > block.size()) {
    const Digest shorter = digest_of({key});
    std::copy(shorter.begin(), shorter.end(), block.begin());
  } else {
    std::copy(key.begin(), key.end(), block.begin());
  }
  const std::string_view padded(block.data(), block.size());
  for (char& byte : block) byte = static_cast<char>(byte ^ kInner);
  const Digest inner = digest_of({padded, text});
  for (char& byte : block) byte = static_cast<char>(byte ^ kInner ^ kOuter);
  return digest_of({padded, text_of(inner)});
}

}  // namespace

std::string canonical_request(const SignedParts& parts) {
  std::string text;
  constexpr std::size_t kLineBreaks = 6;
  text.reserve(parts.method.size() + parts.path.size() + parts.query.size() +
               parts.field_lines.size() + parts.field_names.size() + parts.payload_sha256.size() +
               kLineBreaks);
  for (const std::string_view line : {parts.method, parts.path, parts.query})
    text.append(line).append("\n");
  text.append(parts.field_lines).append("\n");
  text.append(parts.field_names).append("\n").append(parts.payload_sha256);
  return text;
}

std::string scope_text(const SigningScope& scope) {
  std::string text(scope.date);
  for (const std::string_view part : {scope.region, scope.service, kScopeTerminator})
    text.append("/").append(part);
  return text;
}

std::string string_to_sign(std::string_view time, std::string_view scope_text,
                           std::string_view canonical_request) {
  std::string text(kSigningAlgorithm);
  for (const std::string_view line : {time, scope_text}) text.append("\n").append(line);
  return text.append("\n").append(sha256_hex(canonical_request));
}

std::string signing_key(std::string_view secret, const SigningScope& scope) {
  std::string key("AWS4");
  key.append(secret);
  for (const std::string_view part : {scope.date, scope.region, scope.service, kScopeTerminator})
    key = text_of(hmac(key, part));
  return key;
}

std::string signature_of(std::string_view signing_key, std::string_view string_to_sign) {
  return hex_of(text_of(hmac(signing_key, string_to_sign)));
}

std::string sha256_hex(std::string_view bytes) { return hex_of(text_of(digest_of({bytes}))); }

}  // namespace stator::access
