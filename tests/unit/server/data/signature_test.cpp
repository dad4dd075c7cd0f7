#include "server/data/signature.h"

#include <catch2/catch.hpp>

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
  CHECK(field(fields, "X-Amz-Date") == "20260131T235959Z");
  CHECK(field(fields, "Authorization") ==
        "AWS4-HMAC-SHA256 "
        "Credential=AKIDEXAMPLE/20260131/eu-west-1/dynamodb/aws4_request, "
        "SignedHeaders=content-type;host;x-amz-date;x-amz-target, "
        "Signature=144367c936476692ac369df5d33238a84655531369e9c85bef75abc554edf6f4");

  credentials.session_token = "token/with+signs==";
  const auto with_token = signed_fields(request, credentials);
  CHECK(field(with_token, "X-Amz-Security-Token") == "token/with+signs==");
  CHECK(field(with_token, "Authorization") ==
        "AWS4-HMAC-SHA256 "
        "Credential=AKIDEXAMPLE/20260131/eu-west-1/dynamodb/aws4_request, "
        "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, "
        "Signature=285725826b1cdca261fe9afa03d0c6abec2a597552200081b2a69ec4d2914ecd");
}

}  // namespace
}  // namespace stator::data
