// LambdaApi: requests as bytes, answers as JSON. The suite conformance/features/triggers has every
// refusal; this is what can be seen without a server.
#include "server/triggers/api/lambda_api.h"

#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/engine/harness/engine_harness.h"
#include "tests/unit/server/harness/parse_request.h"

namespace stator::triggers {
namespace {

using Catch::Contains;

const std::string kMappingsPath = "/2015-03-31/event-source-mappings";

struct ApiUnderTest {
  ApiUnderTest() {
    const auto made = driver.call(
        "CreateTable",
        test::create_table_request(R"(Things (pk) {"StreamSpecification":{"StreamEnabled":true,)"
                                   R"("StreamViewType":"NEW_AND_OLD_IMAGES"}})"));
    REQUIRE(made.ok);
    stream = made.member("LatestStreamArn");
    std::erase(stream, '"');
  }

  LambdaResponse send(const std::string& method, const std::string& target,
                      const std::string& body = {}) {
    test::Feeder feeder;
    const std::string head = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n";
    REQUIRE(feeder.feed(head + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                        body) == test::Feeder::Progress::Complete);
    REQUIRE(LambdaApi::has_path(feeder.request()));
    Call call;
    call.settings = &settings;
    call.caller = {"us-east-1", "key", "localhost"};
    return api.answer(feeder.request(), call);
  }
  LambdaResponse create(const std::string& members) {
    return send(
        "POST", kMappingsPath + "/",
        R"({"EventSourceArn":")" + stream + R"(","StartingPosition":"LATEST",)" + members + "}");
  }
  static std::string uuid_of(const LambdaResponse& response) {
    std::string uuid = test::Answer{true, response.body, 0}.member("UUID");
    std::erase(uuid, '"');
    return uuid;
  }

  test::EngineDriver driver;
  Settings settings;
  MappingStore store{driver.engine()};
  TriggerOptions options;
  Functions functions{options};
  LambdaApi api{{driver.engine(), settings, store, functions}};
  std::string stream;
};

TEST_CASE("lambda api: the life of a mapping", "[triggers]") {
  ApiUnderTest at;
  const auto made = at.create(R"("FunctionName":"f")");
  CHECK(made.status == 202);
  CHECK(made.error_type.empty());
  CHECK_THAT(made.body,
             Contains(R"("State":"Creating")") &&
                 Contains(R"("FunctionArn":"arn:aws:lambda:us-east-1:000000000000:function:f")") &&
                 Contains(R"("DestinationConfig":{"OnFailure":{}})"));
  const std::string uuid = ApiUnderTest::uuid_of(made);
  const std::string path = kMappingsPath + "/" + uuid;
  CHECK_THAT(at.send("GET", path).body, Contains(R"("State":"Enabled")"));
  const auto changed = at.send("PUT", path + "/", R"({"BatchSize":5,"Enabled":false})");
  CHECK(changed.status == 202);
  CHECK_THAT(changed.body, Contains(R"("State":"Disabling")") && Contains(R"("BatchSize":100)"));
  CHECK_THAT(at.send("GET", path).body,
             Contains(R"("State":"Disabled")") && Contains(R"("BatchSize":5)"));
  CHECK_THAT(at.send("GET", kMappingsPath + "?FunctionName=f").body, Contains(uuid));
  CHECK_THAT(at.send("GET", kMappingsPath + "?FunctionName=g").body,
             Contains(R"({"EventSourceMappings":[]})"));
  CHECK_THAT(at.send("DELETE", path).body, Contains(R"("State":"Deleting")"));
  CHECK(at.send("GET", path).status == 404);
}

TEST_CASE("lambda api: errors have their forms", "[triggers]") {
  ApiUnderTest at;
  const auto missing = at.send("GET", kMappingsPath + "/14e0db71-0000-4000-8000-0000000000ff");
  CHECK(missing.error_type == "ResourceNotFoundException");
  CHECK(missing.body ==
        R"({"Type":"User","Message":"The resource you requested does not exist."})");
  const auto range = at.create(R"("FunctionName":"f","BatchSize":0)");
  CHECK(range.status == 400);
  CHECK(range.body ==
        R"({"message":"1 validation error detected: Value '0' at 'batchSize' failed )"
        R"(to satisfy constraint: Member must have value greater than or equal to 1"})");
  const auto made = at.create(R"("FunctionName":"f")");
  const auto again = at.create(R"("FunctionName":"function:f")");
  CHECK(again.status == 409);
  CHECK(again.message ==
        "The event source arn (\" " + at.stream +
            " \") and function (\" f \") provided mapping already exists. Please update or delete "
            "the existing mapping with UUID " +
            ApiUnderTest::uuid_of(made));
  CHECK(at.create(R"("FunctionName":"g","FilterCriteria":{"Filters":[{"Pattern":"{"}]})").message ==
        "Invalid filter pattern definition.");
  CHECK(at.send("POST", kMappingsPath, "{").error_type == "InvalidRequestContentException");
  CHECK(at.send("POST", "/2015-03-31/functions", "{}").error_type == "UnknownOperationException");
  CHECK(at.send("GET", kMappingsPath + "/%ff%fe").status == 400);
}

TEST_CASE("lambda api: tags", "[triggers]") {
  ApiUnderTest at;
  const std::string uuid =
      ApiUnderTest::uuid_of(at.create(R"("FunctionName":"f","Tags":{"a":"1"})"));
  const std::string path =
      "/2017-03-31/tags/arn%3Aaws%3Alambda%3Aus-east-1%3A000000000000%3Aevent-source-mapping%3A" +
      uuid;
  CHECK(at.send("POST", path, R"({"Tags":{"b c":"2"}})").status == 204);
  CHECK(at.send("GET", path + "/").body == R"({"Tags":{"a":"1","b c":"2"}})");
  CHECK(at.send("DELETE", path + "?tagKeys=a&tagKeys=b%20c").status == 204);
  CHECK(at.send("GET", path).body == R"({"Tags":{}})");
  CHECK(at.send("GET", "/2017-03-31/tags/x").error_type == "ValidationException");
}

TEST_CASE("lambda api: LATEST begins at the next change, TRIM_HORIZON before all", "[triggers]") {
  ApiUnderTest at;
  const auto put = [&](const char* key) {
    REQUIRE(at.driver
                .call("PutItem",
                      std::string(R"({"TableName":"Things","Item":{"pk":{"S":")") + key + "\"}}}")
                .ok);
  };
  put("a");
  at.create(R"("FunctionName":"latest")");
  const std::uint64_t first = at.store.list()->front().first_number;
  put("b");
  at.create(R"("FunctionName":"later")");
  CHECK(first > 0);
  CHECK(at.store.list()->back().first_number == first + 1);
}

TEST_CASE("lambda api: its paths", "[triggers]") {
  const auto has_path = [](const std::string& target) {
    test::Feeder feeder;
    REQUIRE(feeder.feed("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n") ==
            test::Feeder::Progress::Complete);
    return LambdaApi::has_path(feeder.request());
  };
  CHECK(has_path(kMappingsPath));
  CHECK(has_path("/2020-06-30/functions/f/code-signing-config"));
  CHECK_FALSE(has_path("/"));
  CHECK_FALSE(has_path("/_stator/info"));
  CHECK_FALSE(has_path("/2015-03-31"));
  CHECK_FALSE(has_path("/2018-06-01/runtime/invocation/next"));
}

}  // namespace
}  // namespace stator::triggers
