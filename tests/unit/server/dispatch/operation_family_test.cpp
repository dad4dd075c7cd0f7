// A family of operations with a target prefix of its own, registered where the table is put
// together and nowhere else: an operation that reads, one that writes, and one that is either, as
// its request says.
#include <array>
#include <string>

#include <catch2/catch.hpp>

#include "engine/operations/define.h"
#include "engine/operations/tables/table_operations.h"
#include "engine/state/mutation.h"
#include "protocol/json/json_writer.h"
#include "protocol/shapes/shape.h"
#include "tests/unit/server/harness/server_under_test.h"

namespace stator {
namespace {

struct TableRequest {
  std::string_view table_name;
};

Result<const TableRequest*> parse_table_name(const JsonNode& body, Call& call) {
  const auto name = string_member(body, "Table");
  if (!name) return Error::validation("no Table");
  return call.arena.make<TableRequest>(*name);
}

Result<void> answer_tags(const TableRequest& request, const Snapshot& snapshot, Call& call) {
  STATOR_TRY(const Table* table, snapshot.control_table(call, request.table_name));
  JsonWriter out(call.reply);
  out.begin_object();
  out.member("Tags", static_cast<std::int64_t>(table->tags.size()));
  out.end_object();
  return {};
}

Result<void> add_tag(const TableRequest& request, const Snapshot& snapshot, Mutation& mutation,
                     Call& call) {
  STATOR_TRY(const Table* table, snapshot.control_table(call, request.table_name));
  Table tagged = *table;
  tagged.tags.emplace_back(std::to_string(tagged.tags.size()), "");
  mutation.put_table(std::move(tagged));
  call.reply = "{}";
  return {};
}

struct CountTags {
  static constexpr std::string_view name = "CountTags";
  static constexpr Layer layer = Layer::Bare;
  using Request = TableRequest;
  static constexpr auto parse = parse_table_name;
  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    return answer_tags(request, snapshot, call);
  }
  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table_name});
  }
};

struct AddTag {
  static constexpr std::string_view name = "AddTag";
  static constexpr Layer layer = Layer::Bare;
  using Request = TableRequest;
  static constexpr auto parse = parse_table_name;
  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    return add_tag(request, snapshot, mutation, call);
  }
  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table_name});
  }
};

struct Either {
  static constexpr std::string_view name = "Either";
  static constexpr Layer layer = Layer::Bare;
  struct Request {
    TableRequest table;
    bool is_write;
  };
  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_TRY(const TableRequest* table, parse_table_name(body, call));
    return call.arena.make<Request>(*table, body.find("Add") != nullptr);
  }
  static Access access(const Request& request) {
    return request.is_write ? Access::Write : Access::Read;
  }
  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    return answer_tags(request.table, snapshot, call);
  }
  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    return add_tag(request.table, snapshot, mutation, call);
  }
  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table.table_name});
  }
};

OperationFamily note_operations() {
  static const std::array kRows{define<CountTags>(), define<AddTag>(), define<Either>()};
  return {"Notes_20260101.", kRows};
}

std::string call(const std::string& target, const std::string& body) {
  return "POST / HTTP/1.1\r\nHost: h:1\r\nContent-Type: application/x-amz-json-1.0\r\n"
         "X-Amz-Target: " +
         target +
         "\r\nX-Amz-Date: 20260101T000000Z\r\nAuthorization: AWS4-HMAC-SHA256 "
         "Credential=key/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, "
         "Signature=00\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

// "200 body"
std::string brief(const std::string& reply) {
  return reply.substr(9, 4) + reply.substr(reply.find("\r\n\r\n") + 4);
}

}  // namespace

TEST_CASE("operations: a family with a prefix of its own is one line where the table is made",
          "[server]") {
  test::ServerUnderTest server({}, OperationTable({table_operations(), note_operations()}));
  const auto note = [&](const std::string& name, const std::string& body) {
    return brief(server.answer(call("Notes_20260101." + name, body)));
  };
  REQUIRE(
      brief(server.answer(call(
                "DynamoDB_20120810.CreateTable",
                R"({"TableName":"Songs","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":)"
                R"([{"AttributeName":"pk","AttributeType":"S"}],)"
                R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})")))
          .starts_with("200 "));

  CHECK(note("CountTags", R"({"Table":"Songs"})") == R"(200 {"Tags":0})");
  CHECK(note("AddTag", R"({"Table":"Songs"})") == "200 {}");
  CHECK(note("CountTags", R"({"Table":"Songs"})") == R"(200 {"Tags":1})");
  CHECK(note("Either", R"({"Table":"Songs","Add":true})") == "200 {}");
  CHECK(note("Either", R"({"Table":"Songs"})") == R"(200 {"Tags":2})");
  CHECK(note("CountTags", "{}") ==
        R"(400 {"__type":"com.amazon.coral.validate#ValidationException","message":"no Table"})");

  const std::string unknown =
      R"(400 {"__type":"com.amazon.coral.service#UnknownOperationException"})";
  CHECK(brief(server.answer(call("DynamoDB_20120810.CountTags", "{}"))) == unknown);
  CHECK(brief(server.answer(call("DynamoDB_20120810.GetItem", "{}"))) == unknown);
  CHECK(note("CreateTable", "{}") == unknown);
}

}  // namespace stator
