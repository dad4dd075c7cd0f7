#include "server/client/signature.h"

#include <catch2/catch.hpp>

#include "server/access/signing/signing.h"

namespace stator::data {
namespace {

std::string field(const std::vector<HttpField>& fields, std::string_view name) {
  for (const auto& [key, value] : fields)
    if (key == name) return value;
  return {};
}

// What botocore 1.29 signs for the same.
TEST_CASE("signature: as botocore makes it", "[server]") {
  const SignedRequest request{.host = "dynamodb.eu-west-1.amazonaws.com",
                              .region = "eu-west-1",
                              .target = "DynamoDB_20120810.DescribeTable",
                              .body = R"({"TableName":"Music"})",
                              .unix_s = 1769903999};
  Credentials credentials{"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", ""};
  const auto fields = signed_fields(request, credentials);
  CHECK(field(fields, "x-amz-date") == "20260131T235959Z");
  CHECK(field(fields, "authorization") ==
        "AWS4-HMAC-SHA256 "
        "Credential=AKIDEXAMPLE/20260131/eu-west-1/dynamodb/aws4_request, "
        "SignedHeaders=content-type;host;x-amz-date;x-amz-target, "
        "Signature=144367c936476692ac369df5d33238a84655531369e9c85bef75abc554edf6f4");

  credentials.session_token = "token/with+signs==";
  const auto with_token = signed_fields(request, credentials);
  CHECK(field(with_token, "x-amz-security-token") == "token/with+signs==");
  CHECK(field(with_token, "authorization") ==
        "AWS4-HMAC-SHA256 "
        "Credential=AKIDEXAMPLE/20260131/eu-west-1/dynamodb/aws4_request, "
        "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, "
        "Signature=285725826b1cdca261fe9afa03d0c6abec2a597552200081b2a69ec4d2914ecd");
}

// The examples of "Authenticating Requests: Using the Authorization Header" in S3's API reference.
TEST_CASE("signature: S3's published examples", "[server]") {
  const Credentials credentials{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                                ""};
  const std::string host = "examplebucket.s3.amazonaws.com";
  const std::string time = "20130524T000000Z";
  const std::string nothing = access::sha256_hex("");
  CHECK(nothing == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  const auto signature = [&](CanonicalRequest request) {
    request.region = "us-east-1";
    request.service = "s3";
    request.unix_s = 1369353600;
    const std::string text = authorization(request, credentials);
    CHECK(
        text.starts_with("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/"
                         "aws4_request, SignedHeaders=" +
                         std::string(request.fields[0].first) + ";"));
    return text.substr(text.find("Signature=") + 10);
  };

  const std::vector<HttpField> get{{"host", host},
                                   {"range", "bytes=0-9"},
                                   {"x-amz-content-sha256", nothing},
                                   {"x-amz-date", time}};
  CHECK(
      signature({.method = "GET", .path = "/test.txt", .fields = get, .payload_sha256 = nothing}) ==
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");

  const std::string digest = access::sha256_hex("Welcome to Amazon S3.");
  const std::vector<HttpField> put{{"date", "Fri, 24 May 2013 00:00:00 GMT"},
                                   {"host", host},
                                   {"x-amz-content-sha256", digest},
                                   {"x-amz-date", time},
                                   {"x-amz-storage-class", "REDUCED_REDUNDANCY"}};
  CHECK(signature({.method = "PUT",
                   .path = "/test%24file.text",
                   .fields = put,
                   .payload_sha256 = digest}) ==
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");

  const std::vector<HttpField> plain{
      {"host", host}, {"x-amz-content-sha256", nothing}, {"x-amz-date", time}};
  CHECK(signature({.method = "GET",
                   .path = "/",
                   .query = "lifecycle=",
                   .fields = plain,
                   .payload_sha256 = nothing}) ==
        "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  CHECK(signature({.method = "GET",
                   .path = "/",
                   .query = "max-keys=2&prefix=J",
                   .fields = plain,
                   .payload_sha256 = nothing}) ==
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

}  // namespace
}  // namespace stator::data
