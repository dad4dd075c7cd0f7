// DynamodbClient: calls operations of DynamoDB at any endpoint, one after the other, with retries.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "engine/seams/random.h"
#include "protocol/json/json_tree.h"
#include "protocol/memory/arena.h"
#include "server/client/endpoint.h"
#include "server/client/http_connection.h"

namespace stator::data {

struct Failure {
  std::string code;     // such as "ResourceNotFoundException"; empty if DynamoDB did not respond
  std::string message;  // for people; names the endpoint if DynamoDB did not respond
  std::vector<std::string> hints = {};  // for people; empty unless Endpoint::asks_why

  // "ValidationException: One or more …"
  std::string text() const { return code.empty() ? message : code + ": " + message; }
};

class DynamodbClient {
 public:
  // `was_answered`: the endpoint is known to be DynamoDB, because it responded to another client.
  explicit DynamodbClient(const Endpoint& endpoint, bool was_answered = false);

  // Returns the response, an object that lives until the next call. Retries throttled and failed
  // calls for about half a minute, and a call without a response in time once. Does not retry if
  // interrupted, or if the endpoint never responded as DynamoDB does.
  tl::expected<JsonNode, Failure> call(std::string_view operation, std::string_view body);
  // As above, for an operation of DynamoDB Streams.
  tl::expected<JsonNode, Failure> call_streams(std::string_view operation, std::string_view body);

  // What a Stator said of the last call, as JSON; empty unless it was asked why or for a dry run.
  const std::string& explanation() const { return explanation_; }

  const Endpoint& endpoint() const { return endpoint_; }

 private:
  struct Attempt;
  Attempt attempt(std::string_view target, std::string_view body);
  tl::expected<JsonNode, Failure> call_target(const std::string& target, std::string_view body);

  Endpoint endpoint_;
  std::string host_;
  HttpConnection connection_;
  SystemRandom random_;
  bool was_answered_;
  std::string answer_text_;
  std::string explanation_;
  Arena arena_;
};

}  // namespace stator::data
