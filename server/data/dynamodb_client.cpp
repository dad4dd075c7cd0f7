#include "server/data/dynamodb_client.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "engine/seams/clock.h"
#include "protocol/json_reader.h"
#include "server/data/interrupt.h"
#include "server/data/json_text.h"

namespace stator::data {

namespace {

using std::chrono::milliseconds;

// 50 ms, 100 ms and so on to 5 s: 29 s in all at most.
constexpr int kAttemptsMax = 12;
constexpr milliseconds kPauseFirst{50};
constexpr milliseconds kPauseMax{5000};
// With the timeout that commands have by default, two minutes.
constexpr int kLateAttemptsMax = 2;

constexpr std::array<std::string_view, 7> kPassing = {"ProvisionedThroughputExceededException",
                                                      "ThrottlingException",
                                                      "RequestLimitExceeded",
                                                      "InternalServerError",
                                                      "InternalFailure",
                                                      "ServiceUnavailable",
                                                      "TransactionConflictException"};

// Of an answer with another status than 200.
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

}  // namespace

struct DynamodbClient::Attempt {
  tl::expected<JsonNode, Failure> result;
  bool may_pass = false;  // another attempt may have another result
  bool is_late = false;   // there was no answer in time
};

DynamodbClient::DynamodbClient(const Endpoint& endpoint, bool was_answered)
    : endpoint_{endpoint},
      host_{host_text(endpoint.server)},
      connection_{endpoint.server, endpoint.certificate_check},
      was_answered_{was_answered} {}

DynamodbClient::Attempt DynamodbClient::attempt(std::string_view target, std::string_view body) {
  const auto fields = signed_fields({.host = host_,
                                     .region = endpoint_.region,
                                     .target = target,
                                     .body = body,
                                     .unix_s = SystemClock{}.now().unix_s()},
                                    endpoint_.credentials);
  auto answer =
      connection_.ask({.path = "/", .fields = fields, .body = body, .keeps_connection = true});
  const std::string address = address_text(endpoint_.server);
  if (!answer) {
    const NoAnswer& error = answer.error();
    return {tl::unexpected(Failure{"", address + ": " + error.why}), was_answered_, error.is_late};
  }
  arena_.reset();
  answer_text_ = std::move(answer->body);
  // TagResource and UntagResource answer nothing at all.
  if (answer->status == 200 && answer_text_.empty() && was_answered_) answer_text_ = "{}";
  const auto read = read_json(answer_text_, arena_);
  const bool is_object = read && read->kind() == JsonNode::Kind::Object;
  if (answer->status == 200 && is_object) {
    was_answered_ = true;
    return {*read};
  }
  Failure failure = failure_of(is_object ? &*read : nullptr, answer->status, address);
  was_answered_ = was_answered_ || !failure.code.empty();
  const bool is_passing =
      (answer->status >= 500 && was_answered_) ||
      std::find(kPassing.begin(), kPassing.end(), failure.code) != kPassing.end();
  return {tl::unexpected(std::move(failure)), is_passing};
}

tl::expected<JsonNode, Failure> DynamodbClient::call(std::string_view operation,
                                                     std::string_view body) {
  const std::string target = "DynamoDB_20120810." + std::string(operation);
  milliseconds pause = kPauseFirst;
  int late_attempts = 0;
  for (int attempts = 1;; ++attempts) {
    Attempt made = attempt(target, body);
    if (made.is_late) ++late_attempts;
    const bool is_last = attempts == kAttemptsMax || late_attempts == kLateAttemptsMax;
    if (made.result || !made.may_pass || is_last) return std::move(made.result);
    // Half of it at random, so that those who were refused together do not come together again.
    const auto half = static_cast<std::uint64_t>(pause.count() / 2);
    if (wait_interrupted(milliseconds(half + random_.next() % (half + 1)))) {
      return std::move(made.result);
    }
    pause = std::min(2 * pause, kPauseMax);
  }
}

}  // namespace stator::data
