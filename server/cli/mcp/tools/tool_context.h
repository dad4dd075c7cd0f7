// ToolContext: the endpoint that the tools of a process use, and what they may do there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "protocol/json/json_tree.h"
#include "server/cli/mcp/answers/tool.h"
#include "server/client/endpoint.h"
#include "server/data/transfer/dynamodb_client.h"

namespace stator::mcp {

// What the user allows.
enum class Writes : std::uint8_t {
  AtLoopback,  // at an endpoint of this machine
  Anywhere,
  Nowhere,
  WithToken,  // nowhere, because a request lacks the server's token
};

class ToolContext {
 public:
  // Connects at the first call.
  ToolContext(const data::Endpoint& endpoint, Writes writes);

  const data::Endpoint& endpoint() const { return client_.endpoint(); }
  data::DynamodbClient& client() { return client_; }
  // "http://localhost:8000"
  std::string address() const;

  bool may_write() const { return refusal_.empty(); }
  // Fails unless writes are allowed. `what`: the start of a sentence, such as "PutItem".
  tl::expected<void, ToolError> check_write(std::string_view what) const;

  // Calls an operation of DynamoDB, or of its streams. The response lives until the next call.
  tl::expected<JsonNode, ToolError> call(std::string_view operation, const std::string& body);

  // As above, but the endpoint decides the request without doing it; `explanation` becomes what it
  // says of it, as JSON. Any endpoint that is no Stator does the request.
  tl::expected<JsonNode, ToolError> call_dry(std::string_view operation, const std::string& body,
                                             std::string& explanation);

  // Asks the admin path: a GET, or with a body a POST. Passes the response to `use`.
  tl::expected<void, ToolError> ask(const std::string& path, const std::string& body,
                                    const std::function<void(const JsonNode&)>& use);
  // Returns the response as JSON.
  tl::expected<std::string, ToolError> ask_json(const std::string& path,
                                                const std::string& body = {});
  // Whether the endpoint is a Stator with an admin path now.
  bool is_stator();

 private:
  data::DynamodbClient client_;
  data::DynamodbClient dry_client_;
  std::string refusal_;  // why nothing may be written; empty: it may
};

// What the service says, with Stator's hints on lines of their own.
ToolError error_of(const data::Failure& failure);

}  // namespace stator::mcp
