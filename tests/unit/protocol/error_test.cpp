// The error table against the wire, and the bodies of error answers.
#include "protocol/error.h"

#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "protocol/result.h"

namespace stator {
namespace {

using Member = ErrorInfo::Member;

struct Row {
  ErrorCode code;
  const char* type;
  int status;
  Member member;
};

const Row kRows[] = {
    {ErrorCode::Validation, "com.amazon.coral.validate#ValidationException", 400, Member::Lower},
    {ErrorCode::Serialization, "com.amazon.coral.service#SerializationException", 400,
     Member::Upper},
    {ErrorCode::UnknownOperation, "com.amazon.coral.service#UnknownOperationException", 400,
     Member::None},
    {ErrorCode::MissingAuthenticationToken,
     "com.amazon.coral.service#MissingAuthenticationTokenException", 400, Member::Lower},
    {ErrorCode::IncompleteSignature, "com.amazon.coral.service#IncompleteSignatureException", 400,
     Member::Lower},
    {ErrorCode::InvalidSignature, "com.amazon.coral.service#InvalidSignatureException", 400,
     Member::Lower},
    {ErrorCode::UnrecognizedClient, "com.amazon.coral.service#UnrecognizedClientException", 400,
     Member::Lower},
    {ErrorCode::AccessDenied, "com.amazon.coral.service#AccessDeniedException", 400, Member::Upper},
    {ErrorCode::InternalFailure, "com.amazon.coral.service#InternalFailure", 500, Member::Lower},
    {ErrorCode::ConditionalCheckFailed,
     "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException", 400, Member::Lower},
    {ErrorCode::InternalServerError, "com.amazonaws.dynamodb.v20120810#InternalServerError", 500,
     Member::Lower},
    {ErrorCode::ItemCollectionSizeLimitExceeded,
     "com.amazonaws.dynamodb.v20120810#ItemCollectionSizeLimitExceededException", 400,
     Member::Lower},
    {ErrorCode::LimitExceeded, "com.amazonaws.dynamodb.v20120810#LimitExceededException", 400,
     Member::Lower},
    {ErrorCode::ProvisionedThroughputExceeded,
     "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException", 400, Member::Lower},
    {ErrorCode::RequestLimitExceeded, "com.amazonaws.dynamodb.v20120810#RequestLimitExceeded", 400,
     Member::Lower},
    {ErrorCode::ResourceInUse, "com.amazonaws.dynamodb.v20120810#ResourceInUseException", 400,
     Member::Lower},
    {ErrorCode::ResourceNotFound, "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException", 400,
     Member::Lower},
    {ErrorCode::TransactionConflict,
     "com.amazonaws.dynamodb.v20120810#TransactionConflictException", 400, Member::Lower},
    {ErrorCode::Throttling, "com.amazon.coral.availability#ThrottlingException", 400,
     Member::Lower},
};

TEST_CASE("error: every code has the service's type, status and message member", "[protocol]") {
  std::set<ErrorCode> seen;
  for (const Row& row : kRows) {
    CAPTURE(row.type);
    const ErrorInfo& info = error_info(row.code);
    CHECK(info.code == row.code);
    CHECK(std::string(info.prefix) + std::string(info.name) == row.type);
    CHECK(info.http_status == row.status);
    CHECK(info.message_member == row.member);
    seen.insert(row.code);
  }
  CHECK(seen.size() == static_cast<std::size_t>(ErrorCode::Throttling) + 1);
}

TEST_CASE("error: renders the type first, then the message, then further members", "[protocol]") {
  CHECK(Error::validation("a \"b\"").render() ==
        R"({"__type":"com.amazon.coral.validate#ValidationException","message":"a \"b\""})");
  CHECK(Error::resource_not_found("Requested resource not found").render() ==
        R"({"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",)"
        R"("message":"Requested resource not found"})");
  CHECK(Error(ErrorCode::ConditionalCheckFailed, "The conditional request failed")
            .with_members(R"("Item":{"pk":{"S":"a"}})")
            .render() ==
        R"({"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",)"
        R"("message":"The conditional request failed","Item":{"pk":{"S":"a"}}})");
}

TEST_CASE("error: spells the message member of front-end errors as the service does",
          "[protocol]") {
  CHECK(Error::serialization("NUMBER_VALUE cannot be converted to String").render() ==
        R"({"__type":"com.amazon.coral.service#SerializationException",)"
        R"("Message":"NUMBER_VALUE cannot be converted to String"})");
  CHECK(Error(ErrorCode::AccessDenied, "no").render() ==
        R"({"__type":"com.amazon.coral.service#AccessDeniedException","Message":"no"})");
}

TEST_CASE("error: leaves the message out where the service does", "[protocol]") {
  CHECK(Error::serialization().render() ==
        R"({"__type":"com.amazon.coral.service#SerializationException"})");
  CHECK(Error::unknown_operation().render() ==
        R"({"__type":"com.amazon.coral.service#UnknownOperationException"})");
  CHECK(Error::internal_failure().render() ==
        R"({"__type":"com.amazon.coral.service#InternalFailure","message":""})");
}

TEST_CASE("error: factories choose their code", "[protocol]") {
  CHECK(Error::resource_in_use("x").code() == ErrorCode::ResourceInUse);
  CHECK(Error::limit_exceeded("x").code() == ErrorCode::LimitExceeded);
  CHECK(Error::limit_exceeded("x").message() == "x");
  CHECK(error_info(Error::internal_server_error().code()).http_status == 500);
  CHECK_FALSE(Error::internal_server_error().message().empty());
}

Result<int> half(int value) {
  if (value % 2 != 0) return Error::validation("odd");
  return value / 2;
}
Result<int> quarter(int value) {
  STATOR_TRY(const int first, half(value));
  STATOR_CHECK(half(first));
  return half(first);
}

TEST_CASE("error: results carry a value or the first error", "[protocol]") {
  const auto good = quarter(12);
  REQUIRE(good);
  CHECK(*good == 3);
  for (const int value : {3, 6}) {
    const auto bad = quarter(value);
    REQUIRE_FALSE(bad);
    CHECK(bad.error().message() == "odd");
  }
  CHECK(sizeof(Error) == sizeof(void*));
}

}  // namespace
}  // namespace stator
