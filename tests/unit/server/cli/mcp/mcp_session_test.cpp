// The protocol of `stator mcp` in both eras, with tools that ask no server.
#include "server/cli/mcp/mcp_session.h"

#include <array>
#include <string>

#include <catch2/catch.hpp>

#include "server/cli/mcp/tools/tools.h"

namespace stator::mcp {
namespace {

using Catch::Contains;
using Catch::EndsWith;
using Catch::StartsWith;

Outcome echo(ToolContext& /*context*/, const JsonNode& arguments) {
  return Answer{"\"word\":\"" + std::string{arguments.members().front().value.text()} + '"'};
}
Outcome fail_always(ToolContext& /*context*/, const JsonNode& /*arguments*/) {
  return failed("it said \"no\"\nhint: ask again");
}
Outcome refuse_argument(ToolContext& /*context*/, const JsonNode& /*arguments*/) {
  return wrong_argument("name is odd");
}

const std::array<Tool, 3> kTools = {Tool{"echo",
                                         "Says it.",
                                         R"("word":{"type":"string"})",
                                         R"("word")",
                                         R"("word":{"type":"string"})",
                                         {.reads_only = true},
                                         echo},
                                    Tool{"fails", "Fails.", "", "", "", {}, fail_always},
                                    Tool{"refuses", "Refuses.", "", "", "", {}, refuse_argument}};

constexpr std::size_t kAnswerMax = 8192;

struct Client {
  ToolContext context{{}, Writes::Nowhere};
  McpSession session{kTools, context, kAnswerMax};

  // `message`: the members after the version.
  std::string ask(const std::string& message) {
    return session.answer(R"({"jsonrpc":"2.0",)" + message + "}");
  }
  std::string call(const std::string& params) {
    return ask(R"("id":1,"method":"tools/call","params":)" + params);
  }
};

// Parameters of the revision without sessions.
std::string modern(const std::string& members = {}) {
  return R"("params":{)" + members +
         R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
         R"("io.modelcontextprotocol/clientCapabilities":{}}})";
}

TEST_CASE("mcp session: a client that initializes", "[server]") {
  Client client;
  const std::string known =
      client.ask(R"("id":"a","method":"initialize","params":{"protocolVersion":"2025-06-18"})");
  CHECK_THAT(known,
             StartsWith(R"({"jsonrpc":"2.0","id":"a","result":{"protocolVersion":"2025-06-18",)"
                        R"("capabilities":{"tools":{}},"serverInfo":{"name":"stator",)"));
  CHECK_THAT(client.ask(R"("id":1,"method":"initialize","params":{"protocolVersion":"1999"})"),
             Contains(R"("protocolVersion":"2025-11-25")"));
  CHECK_THAT(
      client.ask(R"("id":1,"method":"initialize","params":{"protocolVersion":"2026-07-28"})"),
      Contains(R"("protocolVersion":"2025-11-25")"));
  CHECK(client.ask(R"("method":"notifications/initialized")").empty());
  CHECK(client.ask(R"("id":2,"method":"ping")") == R"({"jsonrpc":"2.0","id":2,"result":{}})");
  CHECK(
      client.call(R"({"name":"echo","arguments":{"word":"x"}})") ==
      R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"word\":\"x\"}"}],)"
      R"("structuredContent":{"word":"x"},"isError":false}})");
  CHECK_THAT(client.ask(R"("id":1,"method":"tools/list")"), EndsWith("}]}}"));
}

TEST_CASE("mcp session: a client without sessions", "[server]") {
  Client client;
  const std::string found = client.ask(R"("id":1,"method":"server/discover",)" + modern());
  CHECK_THAT(found, Contains(R"("supportedVersions":["2026-07-28","2025-11-25","2025-06-18",)"));
  CHECK_THAT(found, EndsWith(R"("cacheScope":"public","resultType":"complete"}})"));
  const std::string list = client.ask(R"("id":1,"method":"tools/list",)" + modern());
  CHECK_THAT(list, EndsWith(R"("cacheScope":"public","resultType":"complete"}})"));
  CHECK(list == client.ask(R"("id":1,"method":"tools/list",)" + modern()));
  const std::string call =
      R"("id":1,"method":"tools/call",)" + modern(R"("name":"echo","arguments":{"word":"x"},)");
  CHECK_THAT(client.ask(call), EndsWith(R"("isError":false,"resultType":"complete"}})"));
  CHECK_THAT(client.ask(R"("id":1,"method":"ping",)" + modern()), Contains("-32601"));
}

TEST_CASE("mcp session: versions that are none", "[server]") {
  Client client;
  CHECK(
      client.ask(R"("id":1,"method":"tools/list","params":{"_meta":)"
                 R"({"io.modelcontextprotocol/protocolVersion":"1900-01-01"}})") ==
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version",)"
      R"("data":{"supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],)"
      R"("requested":"1900-01-01"}}})");
  for (const char* const meta : {R"({"io.modelcontextprotocol/protocolVersion":7})", "7",
                                 R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"})"}) {
    CAPTURE(meta);
    CHECK_THAT(
        client.ask(R"("id":1,"method":"tools/list","params":{"_meta":)" + std::string{meta} + "}"),
        Contains("-32602"));
  }
  CHECK_THAT(client.ask(R"("id":1,"method":"tools/list","params":{"_meta":{"progressToken":1}})"),
             Contains(R"("tools":[)"));
}

TEST_CASE("mcp session: what is no request", "[server]") {
  Client client;
  const auto error = [&client](const std::string& line) { return client.session.answer(line); };
  CHECK(error("{") ==
        R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"this is no JSON"}})");
  for (const char* const text :
       {"[]", "7", "{}", R"({"jsonrpc":"1.0","method":"ping"})",
        R"({"jsonrpc":"2.0","id":null,"method":"ping"})",
        R"({"jsonrpc":"2.0","id":{},"method":"ping"})", R"({"jsonrpc":"2.0","method":7})"}) {
    CAPTURE(text);
    CHECK_THAT(error(text), StartsWith(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600)"));
  }
  CHECK_THAT(client.ask(R"("id":3,"method":"ping","params":[])"),
             Contains(R"("id":3,"error":{"code":-32602)"));
  CHECK_THAT(client.ask(R"("id":3,"method":"no/such")"), Contains(R"("code":-32601)"));
  CHECK(client.ask(R"("id":3,"result":{})").empty());
  CHECK(client.ask(R"("method":"no/such")").empty());
  CHECK_THAT(McpSession::answer_to_long_line(), Contains(R"("id":null,"error":{"code":-32600)"));
}

TEST_CASE("mcp session: tools and their errors", "[server]") {
  Client client;
  for (const char* const params :
       {R"({"name":"none"})", "{}", R"({"name":"echo"})", R"({"name":"echo","arguments":[]})",
        R"({"name":"echo","arguments":{"word":7}})", R"({"name":"echo","arguments":{"word":null}})",
        R"({"name":"echo","arguments":{"word":"x","more":1}})",
        R"({"name":"echo","arguments":{"word":"x","cursor":"7"}})", R"({"name":"refuses"})"}) {
    CAPTURE(params);
    CHECK_THAT(client.call(params),
               StartsWith(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602)"));
  }
  CHECK_THAT(client.call(R"({"name":"refuses"})"), Contains("refuses: name is odd"));
  CHECK(client.call(R"({"name":"fails"})") ==
        R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text",)"
        R"("text":"it said \"no\"\nhint: ask again"}],"isError":true}})");
}

TEST_CASE("mcp session: batches are of one revision", "[server]") {
  Client client;
  const std::string batch =
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},7])";
  CHECK_THAT(client.session.answer(batch), Contains("-32600"));
  client.ask(R"("id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"})");
  CHECK_THAT(client.session.answer(batch),
             StartsWith(R"([{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":null,)"));
  CHECK(client.session.answer(R"([{"jsonrpc":"2.0","method":"x"}])").empty());
  CHECK_THAT(client.session.answer("[]"), Contains("-32600"));
}

TEST_CASE("mcp session: the list of all tools is short", "[server]") {
  ToolContext context{{}, Writes::AtLoopback};
  McpSession session{all_tools(), context, kAnswerMax};
  const std::string list = session.answer(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  CHECK(list.size() < 12'288);
  for (const Tool& tool : all_tools()) CHECK_THAT(list, Contains(std::string{tool.name}));
}

TEST_CASE("mcp session: put_items takes 500 items", "[server]") {
  ToolContext context{{}, Writes::Nowhere};
  McpSession session{all_tools(), context, kAnswerMax};
  const auto put = [&session](std::size_t count) {
    std::string items = "{}";
    for (std::size_t i = 1; i < count; ++i) items += ",{}";
    return session.answer(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":)"
                          R"({"name":"put_items","arguments":{"table":"t","items":[)" +
                          items + "]}}}");
  };
  CHECK_THAT(put(500), Contains("\"isError\":true") && Contains("put_items"));
  CHECK_THAT(put(501), Contains("-32602") && Contains("items has more than 500 elements"));
}

TEST_CASE("mcp session: bounds of ids and batches", "[server]") {
  Client client;
  const auto ping = [&client](std::size_t letters) {
    return client.ask("\"id\":\"" + std::string(letters, 'i') + R"(","method":"ping")");
  };
  CHECK_THAT(ping(254), Contains("\"result\":{}"));
  CHECK_THAT(ping(255), Contains("-32600"));
  client.ask(R"("id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"})");
  const auto batch = [&client](std::size_t count) {
    std::string list;
    for (std::size_t i = 0; i < count; ++i)
      list.append(i == 0 ? "[" : ",").append(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
    return client.session.answer(list + "]");
  };
  CHECK_THAT(batch(100), StartsWith("[{"));
  CHECK_THAT(batch(101), Contains("-32600"));
}

}  // namespace
}  // namespace stator::mcp
