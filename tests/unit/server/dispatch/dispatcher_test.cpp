// server/dispatch/dispatcher.cpp: the order of checks, and requests to an in-memory engine and
// back.

#include "server/dispatch/dispatcher.h"

#include <cstdint>
#include <numeric>

#include <catch2/catch.hpp>

#include "server/http/compression.h"
#include "tests/unit/server/harness/server_under_test.h"

namespace stator {
namespace {

using test::ServerUnderTest;

const std::string kSignature =
    "X-Amz-Date: 20260101T000000Z\r\n"
    "Authorization: AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host, Signature=00\r\n";
const std::string kJson10 = "Content-Type: application/x-amz-json-1.0\r\n";

std::string target(const std::string& operation) {
  return "X-Amz-Target: DynamoDB_20120810." + operation + "\r\n";
}

std::string post(const std::string& headers, const std::string& body) {
  return "POST / HTTP/1.1\r\nHost: h:1\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string call(const std::string& operation, const std::string& body) {
  return post(kJson10 + target(operation) + kSignature, body);
}

// "200 body"
std::string brief(const std::string& reply) {
  return reply.substr(9, 4) + reply.substr(reply.find("\r\n\r\n") + 4);
}

const std::string kBadJson = R"(400 {"__type":"com.amazon.coral.service#SerializationException"})";
const std::string kUnknown =
    R"(400 {"__type":"com.amazon.coral.service#UnknownOperationException"})";
const std::string kPage = "404 <UnknownOperationException/>\n";
const std::string kMissingToken =
    R"(400 {"__type":"com.amazon.coral.service#MissingAuthenticationTokenException",)"
    R"("message":"Request is missing Authentication Token"})";

TEST_CASE("dispatcher: health", "[server]") {
  ServerUnderTest server;
  CHECK(brief(server.answer("GET / HTTP/1.1\r\nHost: h\r\n\r\n")) ==
        "200 healthy: dynamodb.us-east-1.amazonaws.com ");
  CHECK(brief(server.answer("GET /?x HTTP/1.1\r\nHost: h\r\n\r\n")).starts_with("200 healthy"));
  CHECK(brief(server.answer("GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n")).starts_with("200 "));
  CHECK(brief(server.answer("GET /other HTTP/1.1\r\nHost: h\r\n\r\n")) == kPage);
  Options options;
  options.root_answer = RootAnswer::MissingToken;
  ServerUnderTest local{options};
  CHECK(brief(local.answer("GET / HTTP/1.1\r\nHost: h\r\n\r\n")) == kMissingToken);
  CHECK(brief(local.answer("GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n")).starts_with("200 "));
}

TEST_CASE("dispatcher: what is not passed on", "[server]") {
  ServerUnderTest server;
  for (const std::string method : {"PUT", "DELETE", "OPTIONS", "PATCH"}) {
    CHECK(brief(server.answer(method + " / HTTP/1.1\r\nHost: h\r\n\r\n")) == kPage);
  }
  CHECK(brief(server.answer("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n")) == "200 ");
  CHECK(brief(server.answer("HEAD /other HTTP/1.1\r\nHost: h\r\n\r\n")) == "404 ");
  CHECK(brief(server.answer("OPTIONS / HTTP/1.1\r\nHost: h\r\nOrigin: o\r\n\r\n")) == "200 ");
  const std::string rest = target("ListTables") + kSignature;
  for (const std::string type : {"application/x-amz-json-1.1", "text/plain", ""}) {
    CHECK(brief(server.answer(post("Content-Type: " + type + "\r\n" + rest, "{}"))) == kPage);
  }
  // Clients of other services can read what they get.
  for (const std::string service : {"AnyScaleFrontendService", "Firehose_20150804"}) {
    const std::string reply =
        server.answer(post("Content-Type: application/x-amz-json-1.1\r\nX-Amz-Target: " + service +
                               ".DescribeScalableTargets\r\n" + kSignature,
                           "{}"));
    CHECK(brief(reply) == kUnknown);
    CHECK(reply.find("Content-Type: application/x-amz-json-1.1\r\n") != std::string::npos);
  }
  CHECK(brief(server.answer(post(rest, "{}"))) == kPage);
  CHECK(brief(server.answer(post(rest, ""))) == kBadJson);
}

TEST_CASE("dispatcher: checks in the service's order", "[server]") {
  ServerUnderTest server;
  CHECK(brief(server.answer(post(kJson10, "{"))) == kBadJson);
  CHECK(brief(server.answer(post(kJson10 + kSignature, "{}"))) == kUnknown);
  CHECK(brief(server.answer(post(kJson10 + target("listtables"), "{}"))) == kUnknown);
  CHECK(brief(server.answer(post(kJson10 + target("ListTables"), "{}"))) == kMissingToken);
  CHECK(brief(server.answer(post(kJson10 + target("ListTables"), ""))) == kMissingToken);
  CHECK(brief(server.answer(post(kJson10, ""))) == kUnknown);
  CHECK(brief(server.answer(call("ListTables", ""))) == kBadJson);
  CHECK(brief(server.answer(call("ListTables", "{}"))) == R"(200 {"TableNames":[]})");
}

TEST_CASE("dispatcher: the answer's type is the request's", "[server]") {
  ServerUnderTest server;
  const std::string rest = target("ListTables") + kSignature;
  const auto type_of = [&](const std::string& headers, const std::string& body) {
    const std::string reply = server.answer(post(headers + rest, body));
    const std::size_t start = reply.find("Content-Type: ") + 14;
    return reply.substr(start, reply.find("\r\n", start) - start);
  };
  CHECK(type_of(kJson10, "{}") == "application/x-amz-json-1.0");
  CHECK(type_of("Content-Type: application/json; charset=utf-8\r\n", "{}") == "application/json");
  CHECK(type_of("Content-Type:  Application/X-Amz-Json-1.0 ;x\r\n", "{}") ==
        "application/x-amz-json-1.0");
  CHECK(type_of("", "") == "application/json");
}

TEST_CASE("dispatcher: compressed requests", "[server]") {
  ServerUnderTest server;
  const auto coded = [&](const std::string& coding, const std::string& body) {
    return brief(server.answer(
        post(kJson10 + target("ListTables") + kSignature + "Content-Encoding: " + coding + "\r\n",
             body)));
  };
  const std::string failure =
      R"(500 {"__type":"com.amazon.coral.service#InternalFailure","message":""})";
  std::string gzip;
  std::string deflate;
  deflate_body("{}", Encoding::Gzip, gzip);
  deflate_body("{}", Encoding::Deflate, deflate);
  CHECK(coded("gzip", gzip) == R"(200 {"TableNames":[]})");
  CHECK(coded("Deflate", deflate) == R"(200 {"TableNames":[]})");
  CHECK(coded("identity", "{}") == R"(200 {"TableNames":[]})");
  CHECK(coded("gzip", "{}") == failure);
  CHECK(coded("gzip", "") == failure);
  CHECK(coded("br", "{}") == failure);
  CHECK(coded("gzip, gzip", gzip) == failure);
  CHECK(coded("gzip\r\nContent-Encoding: gzip", gzip) == failure);
  std::string bomb;
  deflate_body(std::string((16 << 20) + 1, ' '), Encoding::Gzip, bomb);
  CHECK(coded("gzip", bomb) == failure);
}

TEST_CASE("dispatcher: tables and items, there and back", "[server]") {
  ServerUnderTest server;
  const std::string key = R"("TableName":"music","Key":{"pk":{"S":"a"}})";
  REQUIRE(brief(server.answer(
                    call("CreateTable",
                         R"({"TableName":"music","BillingMode":"PAY_PER_REQUEST",)"
                         R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
                         R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})")))
              .starts_with("200 {\"TableDescription\":"));
  CHECK(brief(server.answer(call("ListTables", "{}"))) == R"(200 {"TableNames":["music"]})");
  CHECK(brief(server.answer(call(
            "PutItem", R"({"TableName":"music","Item":{"pk":{"S":"a"},"n":{"N":"1.50"}}})"))) ==
        "200 {}");
  CHECK(brief(server.answer(call("GetItem", "{" + key + "}"))) ==
        R"(200 {"Item":{"n":{"N":"1.5"},"pk":{"S":"a"}}})");
  CHECK(brief(server.answer(call("DeleteItem", "{" + key + "}"))) == "200 {}");
  CHECK(brief(server.answer(call("GetItem", "{" + key + "}"))) == "200 {}");
  CHECK(brief(server.answer(call("DeleteTable", R"({"TableName":"music"})"))).starts_with("200 "));
  CHECK(brief(server.answer(call("DeleteTable", R"({"TableName":"music"})"))).starts_with("400 "));
}

TEST_CASE("dispatcher: the age of signatures, when asked to look", "[server]") {
  Options options;
  options.checks_signature_age = true;
  ServerUnderTest server{options};
  CHECK(brief(server.answer(call("ListTables", "{}"))).starts_with("200 "));
  server.clock().advance(std::chrono::minutes{16});
  CHECK(brief(server.answer(call("ListTables", "{}"))).find("Signature expired") !=
        std::string::npos);
}

TEST_CASE("dispatcher: refused by the parser", "[server]") {
  ServerUnderTest server;
  CHECK(server.answer("nonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
  CHECK(server.answer("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999\r\n\r\n")
            .starts_with("HTTP/1.1 413 "));
}

TEST_CASE("dispatcher: a strange Host does not come back", "[server]") {
  ServerUnderTest server;
  const auto endpoints = [&](const std::string& host) {
    return brief(server.answer("POST / HTTP/1.1\r\nHost: " + host + "\r\n" + kJson10 +
                               target("DescribeEndpoints") + kSignature +
                               "Content-Length: 2\r\n\r\n{}"));
  };
  CHECK(endpoints("me.test:81").find(R"("Address":"me.test:81")") != std::string::npos);
  const std::string strange = endpoints("a\"b\xff");
  CHECK(strange.starts_with("200 "));
  CHECK(strange.find("a\\\"b") == std::string::npos);
  CHECK(strange.find('\xff') == std::string::npos);
}

std::uint64_t answers(const OperationTotals& totals) {
  return std::accumulate(totals.buckets.begin(), totals.buckets.end(), std::uint64_t{0});
}
std::uint64_t errors(const OperationTotals& totals, ErrorCode code) {
  return totals.errors[static_cast<std::size_t>(code)];
}

TEST_CASE("dispatcher: each answer is counted once, by operation and outcome", "[server]") {
  ServerUnderTest server;
  server.answer(call("ListTables", "{}"));
  server.answer(call("ListTables", "{}"));
  server.answer(call("ListTables", R"({"Limit":0})"));
  server.answer(call("GetItem", R"({"TableName":"none","Key":{"pk":{"S":"a"}}})"));
  server.answer(call("DeleteTable", R"({"TableName":"none"})"));
  const OperationTotals lists = server.counted("ListTables");
  CHECK(lists.succeeded == 2);
  CHECK(errors(lists, ErrorCode::Validation) == 1);
  CHECK(answers(lists) == 3);
  CHECK(lists.took_ns > 0);
  CHECK(errors(server.counted("GetItem"), ErrorCode::ResourceNotFound) == 1);
  // A write, counted behind its commit.
  CHECK(errors(server.counted("DeleteTable"), ErrorCode::ResourceNotFound) == 1);
  CHECK(answers(server.counted("DeleteTable")) == 1);
}

TEST_CASE("dispatcher: what names no operation is counted as one", "[server]") {
  ServerUnderTest server;
  server.answer(call("MadeUp", "{}"));
  server.answer(call("MadeUpToo", "{}"));
  server.answer(call("GetItem", "{"));  // the body is read first
  const OperationTotals unknown = server.counted("unknown");
  CHECK(errors(unknown, ErrorCode::UnknownOperation) == 2);
  CHECK(errors(unknown, ErrorCode::Serialization) == 1);
  CHECK(answers(unknown) == 3);
  CHECK(answers(server.counted("GetItem")) == 0);
}

TEST_CASE("dispatcher: pages are no requests of operations, refusals are counted apart",
          "[server]") {
  ServerUnderTest server;
  server.answer("GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n");
  server.answer("GET /other HTTP/1.1\r\nHost: h\r\n\r\n");
  server.answer("no request\r\n\r\n");
  server.answer("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999\r\n\r\n");
  const RequestTotals totals = server.totals();
  for (const OperationTotals& operation : totals.operations) CHECK(answers(operation) == 0);
  CHECK(totals.refusals.malformed == 1);
  CHECK(totals.refusals.too_large == 1);
}

TEST_CASE("dispatcher: a dry run answers as its request, and changes nothing", "[server]") {
  ServerUnderTest server;
  REQUIRE(brief(server.answer(
                    call("CreateTable",
                         R"({"TableName":"tab","BillingMode":"PAY_PER_REQUEST",)"
                         R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
                         R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})")))
              .starts_with("200 "));
  const auto dry = [](const std::string& operation, const std::string& body) {
    return post(kJson10 + target(operation) + kSignature + "x-stator-dry-run: 1\r\n", body);
  };
  const std::string put = R"({"TableName":"tab","Item":{"pk":{"S":"a"}},)"
                          R"_("ConditionExpression":"attribute_not_exists(pk)"})_";
  const std::string reply = server.answer(dry("PutItem", put));
  CHECK(brief(reply) == "200 {}");
  CHECK(reply.find(R"("would":{"items_changed":1,"items":[{"table":"tab","key":{"pk":{"S":"a"}},)"
                   R"("old_bytes":0,"new_bytes":3,"units":1.0}]}})") != std::string::npos);
  CHECK(server.first_step() == Dispatcher::Step::NeedsLane);
  CHECK(brief(server.answer(call("GetItem", R"({"TableName":"tab","Key":{"pk":{"S":"a"}}})"))) ==
        "200 {}");
  CHECK(server.counted("PutItem").succeeded == 0);
  CHECK(brief(server.answer(call("PutItem", put))) == "200 {}");
  CHECK(brief(server.answer(dry("PutItem", put))) == brief(server.answer(call("PutItem", put))));
  CHECK(server.totals().of_console == 2);
  // A list of tables is no operation on items.
  CHECK(brief(server.answer(dry("ListTables", "{}"))).starts_with("400 "));
  // A failure has no change to show.
  CHECK(server.answer(dry("PutItem", put)).find("would\"") == std::string::npos);
}

}  // namespace
}  // namespace stator
