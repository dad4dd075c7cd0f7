// Signature Version 4 of a request, as the SDKs make it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/client/http_connection.h"

namespace stator::data {

struct Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token;  // empty for a permanent key
};

// The parts of a request that its signature covers.
struct CanonicalRequest {
  std::string_view method;
  std::string_view path;              // encoded, as it is sent
  std::string_view query = {};        // encoded, in the order of its names; each has a "="
  std::span<const HttpField> fields;  // all are signed; names in lower case, in their order
  std::string_view payload_sha256;    // in hex
  std::string_view region = {};
  std::string_view service = {};
  std::int64_t unix_s = 0;
};

// Returns the value of the header Authorization.
std::string authorization(const CanonicalRequest& request, const Credentials& credentials);

// The signed parts of a POST to DynamoDB, or to another service that speaks JSON.
struct SignedRequest {
  std::string host;  // as the field Host says
  std::string_view region;
  std::string_view target;  // "DynamoDB_20120810.Scan"
  std::string_view body;
  std::int64_t unix_s = 0;
  std::string_view service = "dynamodb";
  std::string_view content_type = "application/x-amz-json-1.0";
};

// Returns the request's headers: type, target, date, token and the signature over them.
std::vector<HttpField> signed_fields(const SignedRequest& request, const Credentials& credentials);

}  // namespace stator::data
