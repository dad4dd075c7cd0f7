#include "server/data/s3/s3_store.h"

#include <future>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/data/s3/s3_reader.h"
#include "tests/unit/server/harness/scripted_http_server.h"

namespace stator::data {
namespace {

namespace http = boost::beast::http;
using Request = ScriptedHttpServer::Request;
using Response = ScriptedHttpServer::Response;

std::unique_ptr<ObjectStore> store_at(const ScriptedHttpServer& server) {
  Endpoint endpoint;
  endpoint.server = server.address();
  endpoint.region = "us-east-1";
  endpoint.credentials = {"key", "secret", ""};
  return make_s3_store(endpoint);
}

// An object of which ranges are read, as S3 responds.
Response range_of(const std::string& object, const Request& request) {
  const std::string range(request[http::field::range]);
  const std::size_t first = std::stoul(range.substr(6));
  if (first >= object.size()) return Response{http::status::range_not_satisfiable, 11};
  const std::string body =
      object.substr(first, std::stoul(range.substr(range.find('-') + 1)) - first + 1);
  Response response{http::status::partial_content, 11, body};
  response.set(http::field::etag, "\"tag\"");
  response.set(http::field::content_range, "bytes " + std::to_string(first) + "-" +
                                               std::to_string(first + body.size() - 1) + "/" +
                                               std::to_string(object.size()));
  return response;
}

tl::expected<std::string, StoreFailure> whole(ObjectStore& store, std::string_view key) {
  auto reader = store.open("bucket", key);
  if (!reader) return tl::unexpected(reader.error());
  std::string text;
  for (;;) {
    const auto bytes = (*reader)->next();
    if (!bytes) return tl::unexpected(bytes.error());
    if (bytes->empty()) return text;
    text += *bytes;
  }
}

}  // namespace

TEST_CASE("S3 store: an object is read in ranges, each of them repeated", "[server]") {
  std::string object(2 * kS3RangeBytes + 5, 'x');
  for (std::size_t i = 0; i < object.size(); i += 1000) object[i] = static_cast<char>(i / 1000);
  std::vector<std::string> requests;
  const ScriptedHttpServer server{[&](const Request& request) {
    requests.push_back(std::string(request[http::field::if_match]));
    if (requests.size() % 2 == 1) return Response{http::status::service_unavailable, 11};
    return range_of(object, request);
  }};
  const auto store = store_at(server);
  const auto read = whole(*store, "key");
  REQUIRE(read);
  CHECK((*read == object));
  CHECK(requests == std::vector<std::string>{"", "", "\"tag\"", "\"tag\"", "\"tag\"", "\"tag\""});
}

TEST_CASE("S3 store: objects of no bytes, and of servers without ranges", "[server]") {
  std::string object;
  bool has_ranges = true;
  const ScriptedHttpServer server{[&](const Request& request) {
    return has_ranges ? range_of(object, request) : Response{http::status::ok, 11, object};
  }};
  const auto store = store_at(server);
  CHECK(whole(*store, "key") == "");
  has_ranges = false;
  CHECK(whole(*store, "key") == "");
  object = "<Error><Code>NoSuchKey</Code></Error>";  // an object may be any XML
  CHECK(whole(*store, "key") == object);
}

TEST_CASE("S3 store: a range that does not fit is no part of the object", "[server]") {
  std::string range;
  const ScriptedHttpServer server{[&](const Request&) {
    Response response{http::status::partial_content, 11, "12345"};
    response.set(http::field::content_range, range);
    return response;
  }};
  const auto store = store_at(server);
  for (const char* wrong : {"", "bytes 0-3/5", "bytes 1-5/6", "bytes 0-4/4", "bytes 4-0/5",
                            "bytes 0-4/5x", "bytes 0-4/*", "0-4/5"}) {
    range = wrong;
    INFO(wrong);
    CHECK_FALSE(whole(*store, "key"));
  }
  range = "bytes 0-4/5";
  CHECK(whole(*store, "key") == "12345");
}

TEST_CASE("S3 store: a list goes on where its pages say", "[server]") {
  std::vector<std::string> targets;
  const ScriptedHttpServer server{[&](const Request& request) {
    targets.emplace_back(request.target());
    const bool is_first = targets.size() == 1;
    const std::string next =
        "<IsTruncated>true</IsTruncated><NextContinuationToken>a/+</"
        "NextContinuationToken>";
    return Response{http::status::ok, 11,
                    "<ListBucketResult>" + (is_first ? next : std::string()) + "<Contents><Key>p " +
                        (is_first ? "1" : "2") +
                        "</Key></Contents><Contents><Key>other</Key></Contents>"
                        "</ListBucketResult>"};
  }};
  const auto store = store_at(server);
  std::vector<std::string> keys;
  const auto listed = store->list("bucket", "p ", [&](std::string_view key) {
    keys.emplace_back(key);
    return true;
  });
  REQUIRE(listed);
  CHECK(keys == std::vector<std::string>{"p 1", "p 2"});
  CHECK(targets ==
        std::vector<std::string>{
            "/bucket?encoding-type=url&list-type=2&prefix=p%20",
            "/bucket?continuation-token=a%2F%2B&encoding-type=url&list-type=2&prefix=p%20"});
}

TEST_CASE("S3 store: refusals have S3's code and text", "[server]") {
  const ScriptedHttpServer server{[&](const Request&) {
    return Response{http::status::forbidden, 11,
                    "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"};
  }};
  const auto store = store_at(server);
  const auto read = whole(*store, "key");
  REQUIRE_FALSE(read);
  CHECK(read.error().code == "S3AccessDenied");
  CHECK(store->check_bucket("bucket"));  // a later request shows it
  CHECK(store->check_bucket("..").error().code == "S3NoSuchBucket");
  for (const char* key : {"", ".", "..", "a/../b", "./a"}) {
    CHECK(store->open("bucket", key).error().code == "S3AccessDenied");
    CHECK(store->create("bucket", key).error().code == "S3AccessDenied");
  }
}

TEST_CASE("S3 store: an interrupt ends a wait for the server", "[server]") {
  std::promise<void> arrived;
  std::promise<void> released;
  const ScriptedHttpServer server{[&](const Request&) {
    arrived.set_value();
    released.get_future().wait();
    return Response{http::status::ok, 11};
  }};
  const auto store = store_at(server);
  auto checked = std::async(std::launch::async, [&] { return store->check_bucket("bucket"); });
  arrived.get_future().wait();
  store->interrupt();
  CHECK_FALSE(checked.get());
  CHECK_FALSE(store->check_bucket("bucket"));  // and each later one, without a request
  released.set_value();
}

}  // namespace stator::data
