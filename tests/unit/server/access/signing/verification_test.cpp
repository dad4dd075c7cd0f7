// server/access/signing/verification.cpp: AWS's published vectors of Signature Version 4, through
// the parser of requests.

#include "server/access/signing/verification.h"

#include <catch2/catch.hpp>

namespace stator::access {
namespace {

constexpr std::string_view kSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

struct Vector {
  std::string_view name;  // in AWS's suite
  std::string_view method;
  std::string_view target;
  std::string_view fields;  // besides Host and X-Amz-Date
  std::string_view body;
  std::string_view signed_headers;
  std::string_view signature;
};

constexpr Vector kVectors[] = {
    {"get-vanilla", "GET", "/", "", "", "host;x-amz-date",
     "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
    {"post-vanilla", "POST", "/", "", "", "host;x-amz-date",
     "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
    {"get-vanilla-query-order-key-case", "GET", "/?Param2=value2&Param1=value1", "", "",
     "host;x-amz-date", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
    {"get-vanilla-query-unreserved", "GET",
     "/?-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz="
     "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
     "", "", "host;x-amz-date", "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"},
    {"get-vanilla-query-order-key", "GET", "/?Param1=value2&Param1=Value1", "", "",
     "host;x-amz-date", "eedbc4e291e521cf13422ffca22be7d2eb8146eecf653089df300a15b2382bd1"},
    {"get-vanilla-query-order-value", "GET", "/?Param1=value2&Param1=value1", "", "",
     "host;x-amz-date", "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"},
    {"get-vanilla-empty-query-key", "GET", "/?Param1=value1", "", "", "host;x-amz-date",
     "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"},
    {"post-vanilla-query", "POST", "/?Param1=value1", "", "", "host;x-amz-date",
     "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"},
    {"get-relative", "GET", "/example/..", "", "", "host;x-amz-date",
     "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
    {"get-relative-relative", "GET", "/example1/example2/../..", "", "", "host;x-amz-date",
     "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
    {"get-slash", "GET", "//", "", "", "host;x-amz-date",
     "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
    {"get-slash-dot-slash", "GET", "/./", "", "", "host;x-amz-date",
     "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
    {"get-slash-pointless-dot", "GET", "/./example", "", "", "host;x-amz-date",
     "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5"},
    {"get-slashes", "GET", "//example//", "", "", "host;x-amz-date",
     "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"},
    {"get-unreserved", "GET", "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
     "", "", "host;x-amz-date", "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"},
    {"get-header-value-order", "GET", "/",
     "My-Header1:value4\r\nMy-Header1:value1\r\nMy-Header1:value3\r\nMy-Header1:value2\r\n", "",
     "host;my-header1;x-amz-date",
     "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"},
    {"post-header-key-case", "POST", "/", "", "", "host;x-amz-date",
     "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
    {"post-header-value-case", "POST", "/", "My-Header1:VALUE1\r\n", "",
     "host;my-header1;x-amz-date",
     "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"},
    {"post-x-www-form-urlencoded-parameters", "POST", "/",
     "Content-Type:application/x-www-form-urlencoded; charset=utf8\r\n", "Param1=value1",
     "content-type;host;x-amz-date",
     "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"},
    {"get-header-key-duplicate", "GET", "/",
     "My-Header1:value2\r\nMy-Header1:value2\r\nMy-Header1:value1\r\n", "",
     "host;my-header1;x-amz-date",
     "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"},
    {"get-header-value-trim", "GET", "/", "My-Header1: value1\r\nMy-Header2: \"a   b   c\"\r\n", "",
     "host;my-header1;my-header2;x-amz-date",
     "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
    {"post-header-key-sort", "POST", "/", "My-Header1:value1\r\n", "", "host;my-header1;x-amz-date",
     "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"},
    {"post-x-www-form-urlencoded", "POST", "/",
     "Content-Type:application/x-www-form-urlencoded\r\n", "Param1=value1",
     "content-type;host;x-amz-date",
     "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"},
};

SignatureClaim claim_of(std::string_view signed_headers) {
  SignatureClaim claim;
  claim.access_key = "AKIDEXAMPLE";
  claim.date = "20150830";
  claim.region = "us-east-1";
  claim.service = "service";
  claim.time = "20150830T123600Z";
  claim.signed_headers = signed_headers;
  return claim;
}

std::string text_of(const Vector& vector) {
  std::string text(vector.method);
  text.append(" ").append(vector.target).append(" HTTP/1.1\r\nHost:example.amazonaws.com\r\n");
  text.append(vector.fields).append("X-Amz-Date:20150830T123600Z\r\nContent-Length: ");
  text.append(std::to_string(vector.body.size())).append("\r\n\r\n");
  return text.append(vector.body);
}

// What a key with this secret signs for the request.
std::string signature_by(std::string_view secret, const Vector& vector, SigningKeys& keys) {
  HttpRequestParser parser(/*keeps_fields=*/true);
  std::string_view rest;
  const std::string text = text_of(vector);
  rest = text;
  while (!rest.empty()) {
    const auto fed = parser.feed(rest);
    rest.remove_prefix(fed.consumed);
    if (fed.progress != HttpRequestParser::Progress::NeedMore) break;
  }
  const SignatureClaim claim = claim_of(vector.signed_headers);
  const SignedTexts texts =
      signed_texts(parser.request(), claim, sha256_hex(parser.request().body()));
  return signature_of(keys.key_for(claim, secret), texts.string_to_sign);
}

TEST_CASE("verification: AWS's published vectors", "[server]") {
  SigningKeys keys;
  for (const Vector& vector : kVectors) {
    INFO(vector.name);
    CHECK(signature_by(kSecret, vector, keys) == vector.signature);
  }
}

TEST_CASE("verification: a client of HTTP/2 signs :authority in place of host", "[server]") {
  SigningKeys keys;
  // As get-vanilla, with the other name. Computed by another implementation.
  const Vector vector{"", "GET", "/", "", "", ":authority;x-amz-date", ""};
  CHECK(signature_by(kSecret, vector, keys) ==
        "f4f76e64657334fd8315f9078b5e4f85a30d60d44c6341dcbe8018821ff7c80a");
}

TEST_CASE("verification: a replaced secret does not find the old key", "[server]") {
  SigningKeys keys;
  const std::string one = signature_by(kSecret, kVectors[0], keys);
  CHECK(signature_by("another", kVectors[0], keys) != one);
  CHECK(signature_by(kSecret, kVectors[0], keys) == one);
}

TEST_CASE("verification: the signature is not part of a presigned query", "[server]") {
  SigningKeys keys;
  Vector with = kVectors[2];
  with.target = "/?Param2=value2&X-Amz-Signature=00&Param1=value1";
  CHECK(signature_by(kSecret, with, keys) == kVectors[2].signature);
}

TEST_CASE("verification: a second signature in a query is a parameter as any other", "[server]") {
  SigningKeys keys;
  Vector with = kVectors[2];
  for (const std::string_view target :
       {"/?X-Amz-Signature=00&Param2=value2&Param1=value1&X-Amz-Signature=00",
        "/?X-Amz-Signature=00&X-Amz-Signature=&Param2=value2&Param1=value1",
        "/?Param2=value2&Param1=value1&X%2DAmz%2DSignature=00"}) {
    with.target = target;
    CHECK(signature_by(kSecret, with, keys) != kVectors[2].signature);
  }
}

TEST_CASE("verification: the order, case and number of names in SignedHeaders", "[server]") {
  SigningKeys keys;
  Vector with = kVectors[0];
  for (const std::string_view list : {"host;host;x-amz-date", "x-amz-date;HOST;host;X-Amz-Date"}) {
    with.signed_headers = list;
    CHECK(signature_by(kSecret, with, keys) == kVectors[0].signature);
  }
}

TEST_CASE("verification: signing keys are bounded", "[server]") {
  SigningKeys keys;
  SignatureClaim claim = claim_of("host");
  const std::string first = keys.key_for(claim, kSecret);
  for (std::size_t i = 0; i <= SigningKeys::kKeysMax; ++i) {
    const std::string region = "region-" + std::to_string(i);
    claim.region = region;
    keys.key_for(claim, kSecret);
  }
  CHECK(keys.key_for(claim_of("host"), kSecret) == first);
}

}  // namespace
}  // namespace stator::access
