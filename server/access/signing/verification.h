// Computes what a request should have been signed as, from the request as it was received.
#pragma once

#include <algorithm>
#include <array>
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
  // Access key, date, Region, service, secret: a key whose secret is replaced must not find what
  // was computed for the old one.
  using Name = std::array<std::string, 5>;
  using NameView = std::array<std::string_view, 5>;
  // Finds a key without making strings.
  struct NameOrder {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard's name
    template <class One, class Other>
    bool operator()(const One& one, const Other& other) const {
      return std::lexicographical_compare(one.begin(), one.end(), other.begin(), other.end());
    }
  };

  std::mutex mutex_;
  std::map<Name, std::string, NameOrder> keys_;  // guarded by mutex_
};

}  // namespace stator::access
