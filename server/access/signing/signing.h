// The computation of Signature Version 4, for those who sign requests and those who verify them.
#pragma once

#include <string>
#include <string_view>

namespace stator::access {

// The parts of a request that its signature covers.
struct SignedParts {
  std::string_view method;
  std::string_view path;            // encoded
  std::string_view query;           // encoded, in the order of its names; each has a "="
  std::string_view field_lines;     // "name:value\n" of each signed header, in the order of names
  std::string_view field_names;     // "host;x-amz-date"
  std::string_view payload_sha256;  // in hex
};

// What a signature is good for.
struct SigningScope {
  std::string_view date;  // "20130609"
  std::string_view region;
  std::string_view service;
};

inline constexpr std::string_view kSigningAlgorithm = "AWS4-HMAC-SHA256";
// How a client that speaks HTTP/2 names the host among the signed headers. The request has its
// value as the header Host.
inline constexpr std::string_view kHttp2Host = ":authority";
inline constexpr std::string_view kScopeTerminator = "aws4_request";

// The canonical request.
std::string canonical_request(const SignedParts& parts);

// "20130609/us-east-1/dynamodb/aws4_request"
std::string scope_text(const SigningScope& scope);

// `time` is "20130609T100015Z".
std::string string_to_sign(std::string_view time, std::string_view scope_text,
                           std::string_view canonical_request);

// The key of a scope, as bytes. It is as secret as `secret`.
std::string signing_key(std::string_view secret, const SigningScope& scope);

// The signature, in lower-case hex.
std::string signature_of(std::string_view signing_key, std::string_view string_to_sign);

// In lower-case hex.
std::string sha256_hex(std::string_view bytes);

}  // namespace stator::access
