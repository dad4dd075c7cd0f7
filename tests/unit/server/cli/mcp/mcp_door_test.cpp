// The tools over HTTP: headers against the message, status codes of both revisions, who may write.
#include "server/cli/mcp/mcp_door.h"

#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/server/harness/parse_request.h"

namespace stator::mcp {
namespace {

using Catch::Contains;

constexpr const char* kMeta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                              R"("io.modelcontextprotocol/clientCapabilities":{}})";

std::string message(const std::string& method, const std::string& params) {
  return R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params + "}}";
}

// The headers of the revision without sessions.
std::string modern_headers(const std::string& method) {
  return "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " + method + "\r\n";
}

OriginOptions origins_with(const std::string& token) {
  OriginOptions origins;
  origins.token = token;
  return origins;
}

// A door whose server is never asked: nothing listens on its port.
struct Door {
  explicit Door(bool is_of_this_machine = true, const std::string& token = {})
      : door(origins_with(token)) {
    data::Endpoint endpoint;
    endpoint.server.host = "127.0.0.1";
    endpoint.server.port = 1;
    endpoint.region = "us-east-1";
    door.open(endpoint, is_of_this_machine);
  }

  AdminResponse post(const std::string& body, const std::string& headers = {}) {
    test::Feeder feeder;
    const auto progress =
        feeder.feed("POST /_stator/mcp HTTP/1.1\r\nHost: a.example\r\n" + headers +
                    "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    REQUIRE(progress == test::Feeder::Progress::Complete);
    return door.answer(feeder.request());
  }

  McpDoor door;
};

}  // namespace

TEST_CASE("mcp door: a client of an earlier revision", "[server]") {
  Door door;
  const AdminResponse begun = door.post(message("initialize", R"("protocolVersion":"2025-06-18")"));
  CHECK(begun.status == 200);
  CHECK_THAT(begun.body, Contains(R"("protocolVersion":"2025-06-18")"));
  const std::string headers = "MCP-Protocol-Version: 2025-06-18\r\n";
  CHECK_THAT(door.post(message("tools/list", ""), headers).body, Contains(R"("name":"overview")"));
  // A 404 would end the client's session.
  const AdminResponse unknown = door.post(message("no/such", ""), headers);
  CHECK(unknown.status == 200);
  CHECK_THAT(unknown.body, Contains("-32601"));
}

TEST_CASE("mcp door: a notification has no answer", "[server]") {
  Door door;
  const AdminResponse taken =
      door.post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  CHECK(taken.status == 202);
  CHECK(taken.body.empty());
}

TEST_CASE("mcp door: headers are as in the message", "[server]") {
  Door door;
  const std::string list = message("tools/list", kMeta);
  CHECK(door.post(list, modern_headers("tools/list")).status == 200);
  const auto refused = [&](const std::string& body, const std::string& headers,
                           const std::string& header) {
    const AdminResponse answer = door.post(body, headers);
    CHECK(answer.status == 400);
    CHECK_THAT(answer.body, Contains("the header " + header + " is not as in the message"));
  };
  refused(list, "", "MCP-Protocol-Version");
  refused(list, "MCP-Protocol-Version: 2025-06-18\r\n", "MCP-Protocol-Version");
  refused(list, "MCP-Protocol-Version: 2026-07-28\r\n", "Mcp-Method");
  refused(list, modern_headers("tools/call"), "Mcp-Method");
  const std::string call =
      message("tools/call", R"("name":"overview","arguments":{},)" + std::string(kMeta));
  refused(call, modern_headers("tools/call"), "Mcp-Name");
  refused(call, modern_headers("tools/call") + "Mcp-Name: sql\r\n", "Mcp-Name");
  CHECK(door.post(call, modern_headers("tools/call") + "Mcp-Name: overview\r\n").status == 200);
  // A message of an earlier revision under the header of a later one.
  refused(message("tools/list", ""), "MCP-Protocol-Version: 2026-07-28\r\n",
          "MCP-Protocol-Version");
}

TEST_CASE("mcp door: status codes of errors", "[server]") {
  Door door;
  const AdminResponse unknown = door.post(message("no/such", kMeta), modern_headers("no/such"));
  CHECK(unknown.status == 404);
  CHECK_THAT(unknown.body, Contains("-32601"));
  CHECK(door.post("no JSON").status == 400);
  CHECK(door.post("[]").status == 400);
  std::string old = message("tools/list", kMeta);
  old.replace(old.find("2026-07-28"), 10, "1900-01-01");
  const AdminResponse version =
      door.post(old, "MCP-Protocol-Version: 1900-01-01\r\nMcp-Method: tools/list\r\n");
  CHECK(version.status == 400);
  CHECK_THAT(version.body, Contains("-32022") && Contains("\"supported\""));
}

TEST_CASE("mcp door: a server for other machines lets the token write", "[server]") {
  Door door{/*is_of_this_machine=*/false, "secret"};
  const std::string write =
      message("tools/call", R"("name":"call","arguments":{"operation":"DeleteTable",)"
                            R"("request":{"TableName":"t"}},)" +
                                std::string(kMeta));
  const std::string headers = modern_headers("tools/call") + "Mcp-Name: call\r\n";
  const std::string refused = door.post(write, headers).body;
  CHECK_THAT(refused, Contains("token"));
  CHECK(door.post(write, headers + "x-stator-token: wrong\r\n").body == refused);
  // With the token it is sent, to nothing that listens.
  const std::string sent = door.post(write, headers + "x-stator-token: secret\r\n").body;
  CHECK(sent != refused);
  CHECK_THAT(sent, Contains("127.0.0.1:1"));
}

}  // namespace stator::mcp
