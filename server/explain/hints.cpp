#include "server/explain/hints.h"

#include <algorithm>
#include <utility>

#include "engine/call/call.h"
#include "engine/operations/operation_table.h"
#include "protocol/arena.h"
#include "protocol/json_reader.h"
#include "server/command_mistakes.h"
#include "server/explain/cut_json.h"

namespace stator {

namespace {

using Part = RecentRequest::Part;

std::string after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? std::string() : std::string(text.substr(at + mark.size()));
}

void hint_at_reserved_word(const Hinted& hinted, std::vector<std::string>& hints) {
  const std::string word = after(hinted.text(Part::Message), "reserved keyword: ");
  if (word.empty()) return;
  hints.push_back("Write #" + word + " in the expression, and send ExpressionAttributeNames={\"#" +
                  word + "\": \"" + word + "\"}");
}

void hint_at_signature(const Hinted& hinted, std::vector<std::string>& hints) {
  if (!hinted.has_failed_with("MissingAuthenticationTokenException") &&
      !hinted.has_failed_with("IncompleteSignatureException") &&
      !hinted.has_failed_with("UnrecognizedClientException"))
    return;
  hints.push_back(
      "Requests are signed here as in the cloud, with any access key and secret: set "
      "AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local AWS_REGION=us-east-1, or send them "
      "through an SDK");
}

void hint_at_condition(const Hinted& hinted, std::vector<std::string>& hints) {
  if (!hinted.has_failed_with("ConditionalCheckFailedException")) return;
  const JsonNode* const condition = hinted.member("ConditionExpression");
  if (condition != nullptr && condition->kind() == JsonNode::Kind::String)
    hints.push_back("The item, or that there was none, did not meet: " +
                    std::string(condition->text()));
  if (hinted.is_asked_whole && hinted.member("ReturnValuesOnConditionCheckFailure") == nullptr)
    hints.push_back("ReturnValuesOnConditionCheckFailure=ALL_OLD answers with the item as it was");
}

// "Put on 'orders'" of an action of a transaction, and what it asked for.
struct ActionText {
  std::string verb = {};
  std::string condition = {};
};
ActionText action_text(const JsonNode& action) {
  if (action.kind() != JsonNode::Kind::Object || action.members().empty()) return {};
  const JsonMember& verb = action.members().front();
  ActionText text{.verb = ", " + std::string(verb.name)};
  if (verb.value.kind() != JsonNode::Kind::Object) return text;
  const JsonNode* const table = verb.value.find("TableName");
  const JsonNode* const condition = verb.value.find("ConditionExpression");
  if (table != nullptr && table->kind() == JsonNode::Kind::String)
    text.verb.append(" on '").append(table->text()).append("'");
  if (condition != nullptr && condition->kind() == JsonNode::Kind::String)
    text.condition = condition->text();
  return text;
}

// What an array has there; nullptr: nothing, or it is none.
const JsonNode* element(const JsonNode* array, std::size_t index) {
  const bool is_there = array != nullptr && array->kind() == JsonNode::Kind::Array &&
                        index < array->elements().size();
  return is_there ? &array->elements()[index] : nullptr;
}

std::string message_of(const JsonNode* reason) {
  const bool is_object = reason != nullptr && reason->kind() == JsonNode::Kind::Object;
  const JsonNode* const message = is_object ? reason->find("Message") : nullptr;
  const bool is_text = message != nullptr && message->kind() == JsonNode::Kind::String;
  return is_text ? std::string(message->text()) : std::string();
}

// One line for each action that was the reason.
void hint_at_cancellation(const Hinted& hinted, std::vector<std::string>& hints) {
  const std::string reasons = after(hinted.text(Part::Message), "specific reasons [");
  if (reasons.empty()) return;
  Arena arena;
  std::string answer = closed_json("{" + std::string(hinted.text(Part::Reasons)) + "}");
  const auto told = read_json(answer, arena);
  const bool is_object = told && told->kind() == JsonNode::Kind::Object;
  const JsonNode* const details = is_object ? told->find("CancellationReasons") : nullptr;
  const JsonNode* const actions = hinted.member("TransactItems");
  const std::string_view all = std::string_view(reasons).substr(0, reasons.find(']'));
  const auto count = 1 + std::count(all.begin(), all.end(), ',');
  std::string_view rest = all;
  for (std::size_t i = 0; !rest.empty() && hints.size() < kHintsOfRequestMax; ++i) {
    const std::size_t end = std::min(rest.find(", "), rest.size());
    const std::string_view reason = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 2, rest.size()));
    if (reason == "None") continue;
    const JsonNode* const action = element(actions, i);
    const ActionText text = action != nullptr ? action_text(*action) : ActionText{};
    std::string hint = "Action " + std::to_string(i + 1) + " of " + std::to_string(count) +
                       text.verb + ": " + std::string(reason);
    const bool is_condition = reason == "ConditionalCheckFailed";
    if (is_condition && !text.condition.empty()) hint += ", it asked for " + text.condition;
    const std::string message = is_condition ? "" : message_of(element(details, i));
    if (!message.empty()) hint += ", " + message;
    hints.push_back(std::move(hint));
  }
}

void hint_at_json(const Hinted& hinted, std::vector<std::string>& hints) {
  if (!hinted.has_failed_with("SerializationException")) return;
  if (hinted.tells("NUMBER_VALUE cannot be converted to String")) {
    hints.push_back("Numbers are sent as text: {\"N\": \"5\"}, not {\"N\": 5}");
  } else if (hinted.asked == nullptr && hinted.request.is_whole(Part::Asked)) {
    hints.push_back("The body is no JSON object");
  }
}

void hint_at_operation(const Hinted& hinted, std::vector<std::string>& hints) {
  if (!hinted.has_failed_with("UnknownOperationException")) return;
  const std::string_view operation = hinted.text(Part::Operation);
  if (operation.empty()) {
    hints.push_back("The header X-Amz-Target says which operation is meant, and there was none");
    return;
  }
  hints.push_back("'" + std::string(operation) +
                  "' is no operation of DynamoDB, or one that is not built here");
}

// What of a batch of items or keys was not done, and why.
std::string left_over_text(const LeftUndone& undone, std::string_view operation,
                           std::string_view limits) {
  const bool is_read = operation == "BatchGetItem";
  const std::int32_t others = undone.parts - undone.throttled;
  std::string text = std::to_string(undone.parts) +
                     (is_read ? " of its keys were not read: " : " of its writes were not made: ");
  if (undone.throttled > 0)
    text += std::to_string(undone.throttled) + " throttled (" + std::string(limits) + ")";
  if (others > 0) {
    text += undone.throttled > 0 ? ", " : "";
    text += std::to_string(others) + (is_read ? " because the answer was full"
                                              : " because transactions were writing the items");
  }
  return text + ". Send what stands in " + (is_read ? "UnprocessedKeys" : "UnprocessedItems") +
         " again, after pauses that grow";
}

// A batch succeeds whatever became of its parts.
void hint_at_undone(const Hinted& hinted, std::vector<std::string>& hints) {
  const LeftUndone& undone = hinted.request.undone;
  if (undone.parts == 0) return;
  constexpr std::string_view kStatus = "The status is 200, but ";
  if (undone.first_place == 0) {
    hints.push_back(std::string(kStatus) + left_over_text(undone, hinted.text(Part::Operation),
                                                          hinted.text(Part::Limits)));
    return;
  }
  hints.push_back(std::string(kStatus) + std::to_string(undone.parts) +
                  " of the statements failed, each has its Error in Responses. Statement " +
                  std::to_string(undone.first_place) + ": " +
                  std::string(hinted.text(Part::Reasons)));
}

void hint_at_limits(const Hinted& hinted, std::vector<std::string>& hints) {
  const std::string_view limits = hinted.text(Part::Limits);
  if (limits.empty() || hinted.request.is_throttled_in_part()) return;
  hints.push_back("It was served, but the cloud would have throttled it: " + std::string(limits) +
                  ". --throttling enforce does, 'stator capacity' tells of the table");
}

constexpr HintRule kRules[] = {
    hint_at_signature,      hint_at_operation,     hint_at_json,          hint_at_missing_table,
    hint_at_foreign_region, hint_at_foreign_arn,   hint_at_missing_index, hint_at_definitions,
    hint_at_keys,           hint_at_key_condition, hint_at_filtered_key,  hint_at_reserved_word,
    hint_at_condition,      hint_at_cancellation,  hint_at_undone,        hint_at_limits,
    hint_at_query,          hint_at_filter,        hint_at_lag,
};

}  // namespace

void cut(std::string& text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return;
  while (bytes_max > 0 && (static_cast<unsigned char>(text[bytes_max]) & 0xC0u) == 0x80u)
    --bytes_max;
  text.resize(bytes_max);
}

Findings findings_of(const RecentRequest& request, const Snapshot& snapshot,
                     const Settings& settings) {
  Call call;
  call.settings = &settings;
  call.caller = {request.text(Part::Region), request.text(Part::AccessKey), {}};
  const std::string_view scope = scope_of(call, call.arena);
  const std::string_view table_name = table_name_of(request.text(Part::Table));
  const bool is_whole = request.is_whole(Part::Asked);
  const std::string_view kept = request.text(Part::Asked);
  std::string body = is_whole ? std::string(kept) : closed_json(kept);
  const auto asked = !body.empty() ? read_json(body, call.arena) : std::nullopt;
  const bool is_object = asked && asked->kind() == JsonNode::Kind::Object;
  const Hinted hinted{.request = request,
                      .asked = is_object ? &*asked : nullptr,
                      .is_asked_whole = is_object && is_whole,
                      .catalog = snapshot.catalog(),
                      .settings = settings,
                      .now = snapshot.now(),
                      .scope = scope,
                      .table_name = table_name,
                      .table = snapshot.catalog().find(scope, table_name, snapshot.now())};
  Findings findings;
  if (request.has_failed()) findings.refusal = refusal_of(hinted);
  for (const HintRule rule : kRules) rule(hinted, findings.hints);
  auto& hints = findings.hints;
  if (hints.size() > kHintsOfRequestMax) hints.resize(kHintsOfRequestMax);
  for (std::string& hint : hints) cut(hint, kHintBytesMax);
  return findings;
}

}  // namespace stator
