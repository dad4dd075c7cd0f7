// server/dispatch/auth.cpp: every refusal with its text, in the order of the checks. Conformance:
// Request-012 to Request-015.

#include "server/dispatch/auth.h"

#include <catch2/catch.hpp>

#include "engine/seams/iso_time.h"
#include "tests/unit/server/harness/parse_request.h"

namespace stator {
namespace {

// "code: message" of the refusal, or "region/key".
std::string outcome(const std::string& target, const std::string& headers,
                    std::optional<Timestamp> now = std::nullopt) {
  test::Feeder feeder;
  REQUIRE(feeder.feed("POST " + target + " HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n") ==
          HttpRequestParser::Progress::Complete);
  Arena arena;
  const auto caller = authenticate(feeder.request(), now, arena);
  if (caller) return std::string{caller->region} + "/" + std::string{caller->access_key};
  return std::string{error_info(caller.error().code()).name} + ": " + caller.error().message();
}

std::string header(const std::string& authorization) {
  return "X-Amz-Date: 20260101T000000Z\r\nAuthorization: " + authorization + "\r\n";
}

std::string with_credential(const std::string& credential) {
  return header("AWS4-HMAC-SHA256 Credential=" + credential + ", SignedHeaders=host, Signature=0");
}

const std::string kGood = with_credential("key/20260101/eu-west-2/dynamodb/aws4_request");

TEST_CASE("auth: accepts any key and region", "[server]") {
  CHECK(outcome("/", kGood) == "eu-west-2/key");
  CHECK(outcome("/?x=y", kGood) == "eu-west-2/key");
  CHECK(outcome("/", header("AWS4-HMAC-SHA256 "
                            "Credential=k/20260101/r/dynamodb/aws4_request,SignedHeaders=a;HOST;b,"
                            "Signature=0")) == "r/k");
  CHECK(outcome("/", header("AWS4-HMAC-SHA256 "
                            "Credential=k/20260101/r/dynamodb/"
                            "aws4_request,SignedHeaders=:authority;b,"
                            "Signature=0")) == "r/k");
  CHECK(outcome("/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=k%2F20260101%2fr%2Fdynamodb%2F"
                "aws4_request&X-Amz-Signature=0&X-Amz-SignedHeaders=host&X-Amz-Date="
                "20260101T000000Z",
                "") == "r/k");
  CHECK(outcome("/",
                "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\nAuthorization: AWS4-HMAC-SHA256 "
                "Credential=k/20260101/r/dynamodb/aws4_request, SignedHeaders=host, "
                "Signature=0\r\n") == "r/k");
}

TEST_CASE("auth: a request for Kinesis is signed for it", "[server]") {
  const std::string target = "X-Amz-Target: Kinesis_20131202.ListStreams\r\n";
  CHECK(outcome("/", target + with_credential("k/20260101/r/kinesis/aws4_request")) == "r/k");
  CHECK(outcome("/", target + kGood) ==
        "InvalidSignatureException: Credential should be scoped to correct service: 'kinesis'. ");
}

TEST_CASE("auth: where a signature is looked for", "[server]") {
  CHECK(outcome("/?X-Amz-Algorithm=x", kGood) ==
        "InvalidSignatureException: Found both 'X-Amz-Algorithm' as a query-string param and "
        "'Authorization' as HTTP header.");
  constexpr auto kMissing =
      "MissingAuthenticationTokenException: Request is missing Authentication Token";
  CHECK(outcome("/", "") == kMissing);
  CHECK(outcome("/", header("")) == kMissing);
  CHECK(outcome("/", header("Basic abc")) == kMissing);
  CHECK(outcome("/", header("AWS3 x")) == kMissing);
}

TEST_CASE("auth: parts missing in the header", "[server]") {
  const std::string date_sentence =
      "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ";
  const std::string prefix = "IncompleteSignatureException: ";
  const std::string credential = "Authorization header requires 'Credential' parameter. ";
  const std::string signature = "Authorization header requires 'Signature' parameter. ";
  const std::string headers = "Authorization header requires 'SignedHeaders' parameter. ";
  CHECK(outcome("/", "Authorization: AWS4-\r\n") ==
        prefix + credential + signature + headers + date_sentence + "Authorization=AWS4-");
  CHECK(outcome("/", header("AWS4-")) ==
        prefix + credential + signature + headers + "Authorization=AWS4-");
  CHECK(outcome("/", header("AWS4-HMAC-SHA256 Credential=key/x")) ==
        prefix + signature + headers + "Authorization=AWS4-HMAC-SHA256 Credential=key/x");
  CHECK(outcome("/", header("AWS4-HMAC-SHA256 Credential=key/x, Signature=00")) ==
        prefix + headers + "Authorization=AWS4-HMAC-SHA256 Credential=key/x, Signature=00");
  CHECK(outcome("/", "Authorization: AWS4-X Credential=a, Signature=b, SignedHeaders=c\r\n") ==
        prefix + date_sentence + "Authorization=AWS4-X Credential=a, Signature=b, SignedHeaders=c");
  CHECK(outcome("/", header("AWS4-\xff Credential=a, Signature=b")) ==
        prefix + headers + "Authorization=AWS4-? Credential=a, Signature=b");
}

TEST_CASE("auth: a part without an equals sign comes before what is missing", "[server]") {
  const auto refused = [](const std::string& part, const std::string& text) {
    const std::string expected =
        "IncompleteSignatureException: '" + part +
        "' not a valid key=value pair (missing equal-sign) in Authorization header: '" + text +
        "'.";
    return outcome("/", header(text)) == expected &&
           outcome("/", "Authorization: " + text + "\r\n") == expected;
  };
  const std::string scope = "/20211231/us-east-1/dynamodb/aws4_request";
  const std::string rest = ", SignedHeaders=host, Signature=0";
  const std::string algorithm = "AWS4-HMAC-SHA256 ";
  // A blank behind the access key, before it and in it.
  CHECK(refused(scope, algorithm + "Credential=AKID " + scope + rest));
  CHECK(refused("AKID" + scope, algorithm + "Credential= AKID" + scope + rest));
  CHECK(refused("ID" + scope, algorithm + "Credential=AK  ID" + scope + rest));
  CHECK(refused(scope, algorithm + "Credential=AKID\t" + scope + rest));
  // A comma in it, a blank among the signed headers, no name at all, several without.
  CHECK(refused(scope, algorithm + "Credential=AKID," + scope + rest));
  CHECK(refused("date", algorithm + "Credential=AKID" + scope + ", SignedHeaders=host; date"));
  CHECK(refused("Credential", algorithm + "Credential" + rest));
  CHECK(refused("FooBar", algorithm + "FooBar, BazBurp"));
  CHECK(refused("AKID", "AWS4-X AKID"));
  // An equals sign alone is a pair.
  CHECK(outcome("/", header(algorithm + "=, Signature=0, SignedHeaders=host")) ==
        "IncompleteSignatureException: Authorization header requires 'Credential' parameter. "
        "Authorization=AWS4-HMAC-SHA256 =, Signature=0, SignedHeaders=host");
}

TEST_CASE("auth: parts missing in the query", "[server]") {
  CHECK(outcome("/?X-Amz-Algorithm=AWS4-HMAC-SHA256", "") ==
        "IncompleteSignatureException: AWS query-string parameters must include "
        "'X-Amz-Credential'. AWS query-string parameters must include 'X-Amz-Signature'. AWS "
        "query-string parameters must include 'X-Amz-SignedHeaders'. AWS query-string parameters "
        "must include 'X-Amz-Date'. Re-examine the query-string parameters.");
  CHECK(outcome("/?X-Amz-Algorithm&X-Amz-Credential=a&X-Amz-Signature=b&X-Amz-SignedHeaders=c&"
                "X-Amz-Date=d",
                "") ==
        "IncompleteSignatureException: AWS query-string parameters must include "
        "'X-Amz-Algorithm'. Re-examine the query-string parameters.");
}

TEST_CASE("auth: what the parts must look like, in order", "[server]") {
  const auto refused = [](const std::string& date, const std::string& rest) {
    return outcome("/", "X-Amz-Date: " + date + "\r\nAuthorization: " + rest + "\r\n");
  };
  const std::string date = "20130609T095204Z";
  CHECK(refused("201", "AWS4-X Credential=a, SignedHeaders=b, Signature=c") ==
        "IncompleteSignatureException: Date must be in ISO-8601 'basic format'. Got '201'. See "
        "http://en.wikipedia.org/wiki/ISO_8601");
  CHECK(refused(date, "AWS4-X Credential=a, SignedHeaders=b, Signature=c") ==
        "InvalidSignatureException: 'Host' must be a 'SignedHeader' in the AWS Authorization.");
  CHECK(refused(date, "AWS4-X Credential=a, SignedHeaders=host, Signature=c") ==
        "IncompleteSignatureException: Unsupported AWS 'algorithm': 'AWS4-X' (only "
        "AWS4-HMAC-SHA256 for now). ");
  CHECK(refused(date, "AWS4-HMAC-SHA256 Credential=a/b/c/d, SignedHeaders=host, Signature=c") ==
        "IncompleteSignatureException: Credential must have exactly 5 slash-delimited elements, "
        "e.g. keyid/date/region/service/term, got 'a/b/c/d'");
  CHECK(refused(date, "AWS4-HMAC-SHA256 Credential=a/b/c/d/e/f, SignedHeaders=host, Signature=c") ==
        "IncompleteSignatureException: Credential must have exactly 5 slash-delimited elements, "
        "e.g. keyid/date/region/service/term, got 'a/b/c/d/e/f'");
  CHECK(refused(date, "AWS4-HMAC-SHA256 Credential=a/b//d/e, SignedHeaders=host, Signature=c") ==
        "InvalidSignatureException: Credential should be scoped to a valid region, not ''. "
        "Credential should be scoped to correct service: 'dynamodb'. Credential should be scoped "
        "with a valid terminator: 'aws4_request', not 'e'. Date in Credential scope does not match "
        "YYYYMMDD from ISO-8601 version of date from HTTP: 'b' != '20130609', from "
        "'20130609T095204Z'.");
  CHECK(outcome("/", with_credential("/20260101/r/dynamodb/aws4_request")) ==
        "UnrecognizedClientException: The security token included in the request is invalid.");
  CHECK(
      outcome("/", with_credential(std::string(129, 'k') + "/20260101/r/dynamodb/aws4_request")) ==
      "UnrecognizedClientException: The security token included in the request is invalid.");
  const auto presigned = [](const std::string& access_key) {
    return outcome("/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=" + access_key +
                       "%2F20260101%2Fr%2Fdynamodb%2Faws4_request&X-Amz-Signature=0&"
                       "X-Amz-SignedHeaders=host&X-Amz-Date=20260101T000000Z",
                   "");
  };
  CHECK(presigned("k") == "r/k");
  for (const std::string& access_key : {std::string(), std::string("%20"), std::string(129, 'k')}) {
    INFO(access_key);
    CHECK(presigned(access_key) ==
          "UnrecognizedClientException: The security token included in the request is invalid.");
  }
}

TEST_CASE("auth: the age of a signature counts only when asked for", "[server]") {
  const auto at = [](const char* iso) { return Timestamp{*parse_signature_date(iso) * 1'000'000}; };
  CHECK(outcome("/", kGood, at("20260101T001500Z")) == "eu-west-2/key");
  CHECK(outcome("/", kGood, at("20260101T001501Z")) ==
        "InvalidSignatureException: Signature expired: 20260101T000000Z is now earlier than "
        "20260101T000001Z (20260101T001501Z - 15 min.)");
  CHECK(outcome("/", kGood, at("20251231T234500Z")) == "eu-west-2/key");
  CHECK(outcome("/", kGood, at("20251231T234459Z")) ==
        "InvalidSignatureException: Signature not yet current: 20260101T000000Z is still later "
        "than 20251231T235959Z (20251231T234459Z + 15 min.)");
}

TEST_CASE("iso time: dates of signatures", "[server]") {
  CHECK(iso_basic(0) == "19700101T000000Z");
  CHECK(iso_basic(1'767'225'599) == "20251231T235959Z");
  CHECK(parse_signature_date("20251231T235959Z") == 1'767'225'599);
  CHECK(parse_signature_date("Wed, 31 Dec 2025 23:59:59 GMT") == 1'767'225'599);
  CHECK(parse_signature_date("20240229T000000Z"));
  for (const auto* bad :
       {"", "2025", "20251331T000000Z", "20250229T000000Z", "20251231T240000Z", "20251231t000000Z",
        "2025123_T000000Z", "Wed, 31 Dec 2025 23:59:59 UTC", "Wed, 31 Foo 2025 23:59:59 GMT"}) {
    INFO(bad);
    CHECK_FALSE(parse_signature_date(bad));
  }
}

}  // namespace
}  // namespace stator
