// Computes what a request should have been signed as, from the request as it was received.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "server/access/signing/signature_claim.h"
#include "server/access/signing/signing.h"
#include "server/http/http_request.h"

namespace stator::access {

// The texts that a signature covers.
struct SignedTexts {
  std::string canonical_request;
  std::string string_to_sign;
};

// `body_sha256` in hex, of the body as received. REQUIRES: the parser keeps the header lines.
SignedTexts signed_texts(const HttpRequest& request, const SignatureClaim& claim,
                         std::string_view body_sha256);

// Signing keys of scopes, because each costs four digests. Any thread may use it.
class SigningKeys {
 public:
  static constexpr std::size_t kKeysMax = 1'000;

  std::string key_for(const SignatureClaim& claim, std::string_view secret);

 private:
  std::mutex mutex_;
  std::map<std::string, std::string, std::less<>>
      keys_;  // guarded by mutex_; by scope, key and secret
};

}  // namespace stator::access
