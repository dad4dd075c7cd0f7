#include "server/cli/mcp/tools/tool_context.h"

#include <algorithm>
#include <array>
#include <utility>

#include "protocol/json/json_node_text.h"
#include "server/client/admin_client.h"
#include "server/client/http_connection.h"
#include "server/options/server_address.h"

namespace stator::mcp {

namespace {

constexpr std::array<std::string_view, 4> kStreamOperations = {"DescribeStream", "GetRecords",
                                                               "GetShardIterator", "ListStreams"};

std::string refusal_of(const data::Endpoint& endpoint, Writes writes) {
  if (writes == Writes::WithToken)
    return "this server listens beyond its machine: writes need its token as x-stator-token";
  if (writes == Writes::Nowhere) return "stator mcp runs with --read-only";
  if (writes == Writes::Anywhere || is_loopback(endpoint.server)) return {};
  return address_text(endpoint.server) +
         " is not of this machine, and stator mcp runs without --allow-writes";
}

data::Endpoint dry(data::Endpoint endpoint) {
  endpoint.is_dry_run = true;
  return endpoint;
}

}  // namespace

ToolContext::ToolContext(const data::Endpoint& endpoint, Writes writes)
    : client_{endpoint}, dry_client_{dry(endpoint)}, refusal_{refusal_of(endpoint, writes)} {}

std::string ToolContext::address() const { return address_text(endpoint().server); }

tl::expected<void, ToolError> ToolContext::check_write(std::string_view what) const {
  if (may_write()) return {};
  return failed(std::string{what} + " may write, and " + refusal_);
}

tl::expected<JsonNode, ToolError> ToolContext::call(std::string_view operation,
                                                    const std::string& body) {
  const bool is_of_streams = std::find(kStreamOperations.begin(), kStreamOperations.end(),
                                       operation) != kStreamOperations.end();
  auto answer =
      is_of_streams ? client_.call_streams(operation, body) : client_.call(operation, body);
  if (!answer) return tl::unexpected(error_of(answer.error()));
  return *answer;
}

tl::expected<JsonNode, ToolError> ToolContext::call_dry(std::string_view operation,
                                                        const std::string& body,
                                                        std::string& explanation) {
  auto answer = dry_client_.call(operation, body);
  explanation = dry_client_.explanation();
  if (!answer) return tl::unexpected(error_of(answer.error()));
  return *answer;
}

tl::expected<void, ToolError> ToolContext::ask(const std::string& path, const std::string& body,
                                               const std::function<void(const JsonNode&)>& use) {
  auto asked = ask_admin(endpoint().server, path, body, use);
  if (!asked) return failed(std::move(asked).error());
  return {};
}

tl::expected<std::string, ToolError> ToolContext::ask_json(const std::string& path,
                                                           const std::string& body) {
  std::string text;
  auto asked = ask(path, body, [&text](const JsonNode& answer) { append_node_json(text, answer); });
  if (!asked) return tl::unexpected(std::move(asked).error());
  return text;
}

bool ToolContext::is_stator() {
  return ask("/_stator/clock", {}, [](const JsonNode&) {}).has_value();
}

ToolError error_of(const data::Failure& failure) {
  std::string text = failure.text();
  for (const std::string& hint : failure.hints) text.append("\nhint: ").append(hint);
  return {ToolError::Kind::Failure, std::move(text)};
}

}  // namespace stator::mcp
