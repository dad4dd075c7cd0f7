#include "server/data/transfer/dynamodb_client.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/operations/operation.h"
#include "engine/seams/clock.h"
#include "protocol/json/json_reader.h"
#include "server/client/backoff.h"
#include "server/client/signature.h"
#include "server/data/transfer/interrupt.h"
#include "server/data/transfer/json_text.h"
#include "server/options/server_address.h"
#include "streams/operations.h"

namespace stator::data {

namespace {

// Pauses of 29 s in all at most.
constexpr int kAttemptsMax = 12;

constexpr std::array<std::string_view, 7> kPassing = {"ProvisionedThroughputExceededException",
                                                      "ThrottlingException",
                                                      "RequestLimitExceeded",
                                                      "InternalServerError",
                                                      "InternalFailure",
                                                      "ServiceUnavailable",
                                                      "TransactionConflictException"};

constexpr std::string_view kExplainField = "x-stator-explain";
constexpr std::string_view kDryRunField = "x-stator-dry-run";

// Converts a response with a status other than 200.
Failure failure_of(const JsonNode* answer, unsigned status, const std::string& address) {
  std::string_view type = answer == nullptr ? "" : text_in(*answer, "__type");
  type.remove_prefix(type.rfind('#') + 1);
  if (answer == nullptr || type.empty()) {
    return {"", address + " answered status " + std::to_string(status) +
                    ", is it an endpoint of DynamoDB?"};
  }
  std::string_view message = text_in(*answer, "message");
  if (message.empty()) message = text_in(*answer, "Message");
  return {std::string(type), std::string(message)};
}

// The hints of an explanation, the value of a header. Empty if it is none.
std::vector<std::string> hints_of(std::string_view explanation) {
  std::string text{explanation};
  Arena arena;
  const auto read = read_json(text, arena);
  const JsonNode* const hints =
      read && read->kind() == JsonNode::Kind::Object ? read->find("hints") : nullptr;
  std::vector<std::string> result;
  if (hints == nullptr || hints->kind() != JsonNode::Kind::Array) return result;
  for (const JsonNode& hint : hints->elements())
    if (hint.kind() == JsonNode::Kind::String) result.emplace_back(hint.text());
  return result;
}

}  // namespace

struct DynamodbClient::Attempt {
  tl::expected<JsonNode, Failure> result;
  bool may_pass = false;  // another attempt may succeed
  bool is_late = false;   // no response in time
};

DynamodbClient::DynamodbClient(const Endpoint& endpoint, bool was_answered)
    : endpoint_{endpoint},
      host_{host_text(endpoint.server)},
      connection_{endpoint.server, endpoint.certificate_check},
      was_answered_{was_answered} {}

DynamodbClient::Attempt DynamodbClient::attempt(std::string_view target, std::string_view body) {
  auto fields = signed_fields({.host = host_,
                               .region = endpoint_.region,
                               .target = target,
                               .body = body,
                               .unix_s = SystemClock{}.now().unix_s()},
                              endpoint_.credentials);
  if (endpoint_.asks_why) fields.emplace_back(kExplainField, "1");
  if (endpoint_.is_dry_run) fields.emplace_back(kDryRunField, "1");
  if (!endpoint_.user_agent.empty()) fields.emplace_back("User-Agent", endpoint_.user_agent);
  auto answer =
      connection_.ask({.path = "/", .fields = fields, .body = body, .keeps_connection = true});
  const std::string address = address_text(endpoint_.server);
  explanation_.clear();
  if (!answer) {
    const HttpClientError& error = answer.error();
    return {tl::unexpected(Failure{"", address + ": " + error.why}), was_answered_, error.is_late};
  }
  arena_.reset();
  explanation_ = answer->field(kExplainField);
  answer_text_ = std::move(answer->body);
  // TagResource and UntagResource respond with an empty body.
  if (answer->status == 200 && answer_text_.empty() && was_answered_) answer_text_ = "{}";
  const auto read = read_json(answer_text_, arena_);
  const bool is_object = read && read->kind() == JsonNode::Kind::Object;
  if (answer->status == 200 && is_object) {
    was_answered_ = true;
    return {*read};
  }
  Failure failure = failure_of(is_object ? &*read : nullptr, answer->status, address);
  failure.hints = hints_of(explanation_);
  was_answered_ = was_answered_ || !failure.code.empty();
  const bool is_passing =
      (answer->status >= 500 && was_answered_) ||
      std::find(kPassing.begin(), kPassing.end(), failure.code) != kPassing.end();
  return {tl::unexpected(std::move(failure)), is_passing};
}

tl::expected<JsonNode, Failure> DynamodbClient::call(std::string_view operation,
                                                     std::string_view body) {
  return call_target(std::string(kDynamoDbTarget).append(operation), body);
}

tl::expected<JsonNode, Failure> DynamodbClient::call_streams(std::string_view operation,
                                                             std::string_view body) {
  return call_target(std::string(kDynamoDbStreamsTarget).append(operation), body);
}

tl::expected<JsonNode, Failure> DynamodbClient::call_target(const std::string& target,
                                                            std::string_view body) {
  Backoff backoff{random_, kAttemptsMax};
  for (;;) {
    Attempt made = attempt(target, body);
    if (made.result || !made.may_pass) return std::move(made.result);
    const auto pause = backoff.next_pause(made.is_late);
    if (!pause || wait_interrupted(*pause)) return std::move(made.result);
  }
}

}  // namespace stator::data
