// Signature Version 4 of a request to DynamoDB, as the SDKs make it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/http_connection.h"

namespace stator::data {

struct Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token;  // empty: the key is a lasting one
};

// What is signed of a POST to "/".
struct SignedRequest {
  std::string host;  // as the field Host says
  std::string_view region;
  std::string_view target;  // "DynamoDB_20120810.Scan"
  std::string_view body;
  std::int64_t unix_s = 0;
};

// The request's fields: type, target, date, token and the signature over them.
std::vector<HttpField> signed_fields(const SignedRequest& request, const Credentials& credentials);

}  // namespace stator::data
