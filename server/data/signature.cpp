#include "server/data/signature.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <array>

#include "server/iso_time.h"

namespace stator::data {

namespace {

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

const unsigned char* as_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string sha256(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(as_bytes(text), text.size(), digest.data());
  return {digest.begin(), digest.end()};
}

std::string hmac(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), as_bytes(text), text.size(),
       digest.data(), &size);
  return {digest.begin(), digest.begin() + size};
}

}  // namespace

std::vector<HttpField> signed_fields(const SignedRequest& request, const Credentials& credentials) {
  const std::string time = iso_basic(request.unix_s);
  const std::string date = time.substr(0, 8);
  std::string canonical = "POST\n/\n\ncontent-type:application/x-amz-json-1.0\nhost:";
  canonical.append(request.host).append("\nx-amz-date:").append(time);
  std::string names = "content-type;host;x-amz-date";
  if (!credentials.session_token.empty()) {
    canonical.append("\nx-amz-security-token:").append(credentials.session_token);
    names += ";x-amz-security-token";
  }
  canonical.append("\nx-amz-target:").append(request.target).append("\n\n");
  names += ";x-amz-target";
  canonical.append(names).append("\n").append(hex(sha256(request.body)));

  const std::string scope = date + "/" + std::string(request.region) + "/dynamodb/aws4_request";
  const std::string text =
      "AWS4-HMAC-SHA256\n" + time + "\n" + scope + "\n" + hex(sha256(canonical));
  std::string key = hmac("AWS4" + credentials.secret_key, date);
  for (const std::string_view part :
       {request.region, std::string_view("dynamodb"), std::string_view("aws4_request")})
    key = hmac(key, part);

  std::vector<HttpField> fields{
      {"Content-Type", "application/x-amz-json-1.0"},
      {"X-Amz-Target", std::string(request.target)},
      {"X-Amz-Date", time},
      {"Authorization", "AWS4-HMAC-SHA256 Credential=" + credentials.access_key + "/" + scope +
                            ", SignedHeaders=" + names + ", Signature=" + hex(hmac(key, text))}};
  if (!credentials.session_token.empty())
    fields.emplace_back("X-Amz-Security-Token", credentials.session_token);
  return fields;
}

}  // namespace stator::data
