// Which requests leave the thread that serves connections: large bodies, large pages of a stream.
#include <string>

#include <catch2/catch.hpp>

#include "engine/operations/items/item_operations.h"
#include "engine/operations/tables/table_operations.h"
#include "server/http/compression.h"
#include "streams/operations.h"
#include "tests/unit/server/harness/server_under_test.h"

namespace stator {
namespace {

using Step = Dispatcher::Step;
using test::ServerUnderTest;

constexpr std::size_t kLarge = 256 * 1024;

std::string call(const std::string& target, const std::string& body,
                 const std::string& more_headers = {}) {
  return "POST / HTTP/1.1\r\nHost: h:1\r\nContent-Type: application/x-amz-json-1.0\r\n"
         "X-Amz-Target: " +
         target +
         "\r\nX-Amz-Date: 20260101T000000Z\r\n"
         "Authorization: AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/dynamodb/aws4_request, "
         "SignedHeaders=host, Signature=00\r\n" +
         more_headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
std::string item_call(const std::string& operation, const std::string& body) {
  return call("DynamoDB_20120810." + operation, body);
}
std::string stream_call(const std::string& operation, const std::string& body) {
  return call("DynamoDBStreams_20120810." + operation, body);
}

std::string body_of(const std::string& reply) { return reply.substr(reply.find("\r\n\r\n") + 4); }
bool is_ok(const std::string& reply) { return reply.substr(9, 3) == "200"; }

// Of a string member.
std::string text_of(const std::string& json, const std::string& name) {
  const std::string before = "\"" + name + "\":\"";
  const std::size_t begin = json.find(before) + before.size();
  return json.substr(begin, json.find('"', begin) - begin);
}

std::string put(const std::string& key, std::size_t bytes) {
  return item_call("PutItem", R"({"TableName":"things","Item":{"pk":{"S":")" + key +
                                  R"("},"fill":{"S":")" + std::string(bytes, 'x') + R"("}}})");
}

// Makes the table; the stream's ARN.
std::string make_table(ServerUnderTest& server) {
  const std::string made = server.answer(
      item_call("CreateTable",
                R"({"TableName":"things","BillingMode":"PAY_PER_REQUEST",)"
                R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
                R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"StreamSpecification":)"
                R"({"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}})"));
  REQUIRE(is_ok(made));
  return text_of(made, "LatestStreamArn");
}

TEST_CASE("long requests: a large body is read in the lane, and its write committed", "[server]") {
  ServerUnderTest server;
  make_table(server);
  CHECK(is_ok(server.answer(put("small", 1000))));
  CHECK(server.first_step() == Step::NeedsCommit);
  CHECK(is_ok(server.answer(put("large", kLarge))));
  CHECK(server.first_step() == Step::NeedsLane);
  const std::string got = server.answer(item_call(
      "GetItem",
      R"({"TableName":"things","Key":{"pk":{"S":"large"}},"ProjectionExpression":"pk"})"));
  CHECK(body_of(got) == R"({"Item":{"pk":{"S":"large"}}})");
}

TEST_CASE("long requests: a large body of a read, and one with a mistake", "[server]") {
  ServerUnderTest server;
  server.steps_max = 16 * Work::kStepsBetweenQuestions;
  const std::string blanks(kLarge, ' ');
  CHECK(body_of(server.answer(item_call("ListTables", "{" + blanks + "}"))) ==
        R"({"TableNames":[]})");
  CHECK(server.first_step() == Step::NeedsLane);
  CHECK(body_of(server.answer(item_call("ListTables", "{" + blanks))) ==
        R"({"__type":"com.amazon.coral.service#SerializationException"})");
  CHECK(server.first_step() == Step::NeedsLane);
  CHECK(is_ok(server.answer(item_call("ListTables", "{}"))));
  CHECK(server.first_step() == Step::Answered);
}

TEST_CASE("long requests: a packed body may be large inside", "[server]") {
  ServerUnderTest server;
  server.steps_max = 16 * Work::kStepsBetweenQuestions;
  std::string packed;
  deflate_body("{" + std::string(std::size_t{8} << 20, ' ') + "}", Encoding::Gzip, packed);
  REQUIRE(packed.size() < kLarge / 4);
  CHECK(is_ok(
      server.answer(call("DynamoDB_20120810.ListTables", packed, "Content-Encoding: gzip\r\n"))));
  CHECK(server.first_step() == Step::NeedsLane);
}

TEST_CASE("long requests: a full page of a stream is read in the lane", "[server]") {
  ServerUnderTest server(
      {}, OperationTable({item_operations(), table_operations(), stream_operations()}));
  const std::string arn = make_table(server);
  const std::string described =
      server.answer(stream_call("DescribeStream", R"({"StreamArn":")" + arn + "\"}"));
  const auto page = [&] {
    const std::string iterator = server.answer(
        stream_call("GetShardIterator", R"({"StreamArn":")" + arn + R"(","ShardId":")" +
                                            text_of(described, "ShardId") +
                                            R"(","ShardIteratorType":"TRIM_HORIZON"})"));
    server.steps_max = 16 * Work::kStepsBetweenQuestions;  // of a thread without other connections
    return server.answer(stream_call(
        "GetRecords", R"({"ShardIterator":")" + text_of(iterator, "ShardIterator") + "\"}"));
  };
  for (int i = 0; i < 4; ++i) REQUIRE(is_ok(server.answer(put(std::to_string(i), 1000))));
  CHECK(page().size() > 4'000);
  CHECK(server.first_step() == Step::Answered);
  for (int i = 0; i < 120; ++i) REQUIRE(is_ok(server.answer(put(std::to_string(i), 10'000))));
  CHECK(page().size() > 1'000'000);
  CHECK(server.first_step() == Step::NeedsLane);
}

}  // namespace
}  // namespace stator
