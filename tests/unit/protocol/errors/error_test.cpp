// The error table against the wire, and the bodies of error answers.
#include "protocol/errors/error.h"

#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include <catch2/catch.hpp>

#include "protocol/errors/result.h"
#include "protocol/json/json_reader.h"
#include "protocol/shapes/shape.h"
#include "tests/cases/source_folder.h"

namespace stator {
namespace {

using Member = ErrorInfo::Member;

TEST_CASE("error: Kinesis spells errors without a prefix", "[protocol]") {
  CHECK(Error::resource_not_found("no \"s\"").render_plain() ==
        R"({"__type":"ResourceNotFoundException","message":"no \"s\""})");
  CHECK(Error::unknown_operation().render_plain() == R"({"__type":"UnknownOperationException"})");
}

TEST_CASE("error: every code is on the wire as the model's list has it", "[protocol]") {
  std::ifstream file(test::source_path("protocol/model/errors.json"));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  Arena arena;
  const auto root = read_json(text, arena);
  REQUIRE(root);
  std::map<std::string_view, const JsonNode*> rows;
  for (const JsonNode& row : list_member(*root, "errors"))
    rows.emplace(*string_member(row, "name"), &row);

  for (std::size_t i = 0; i <= static_cast<std::size_t>(ErrorCode::Throttling); ++i) {
    const ErrorInfo& info = error_info(static_cast<ErrorCode>(i));
    CAPTURE(info.name);
    CHECK(static_cast<std::size_t>(info.code) == i);
    if (info.code == ErrorCode::InternalFailure) continue;  // the front end's, in no model
    REQUIRE(rows.count(info.name) == 1);
    const JsonNode& row = *rows[info.name];
    const auto seen = string_member(row, "typeSeenOnControlPlane");
    CHECK(std::string(info.prefix) + std::string(info.name) ==
          seen.value_or(*string_member(row, "type")));
    CHECK(integer_member(row, "httpStatus") == info.http_status);
    const auto message = string_member(row, "messageMember");
    CHECK(info.message_member == (!message                ? Member::None
                                  : *message == "Message" ? Member::Upper
                                                          : Member::Lower));
  }
  CHECK(Error::internal_failure().render() ==
        R"({"__type":"com.amazon.coral.service#InternalFailure","message":""})");
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
