#include "server/explain/hints.h"

#include <algorithm>
#include <utility>

#include "engine/call/call.h"
#include "engine/operations/operation_table.h"
#include "protocol/arena.h"
#include "protocol/json_reader.h"
#include "server/command_mistakes.h"

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
  if (hinted.member("ReturnValuesOnConditionCheckFailure") == nullptr)
    hints.push_back("ReturnValuesOnConditionCheckFailure=ALL_OLD answers with the item as it was");
}

// One line for each action that was the reason.
void hint_at_cancellation(const Hinted& hinted, std::vector<std::string>& hints) {
  std::string reasons = after(hinted.text(Part::Message), "specific reasons [");
  const JsonNode* const actions = hinted.member("TransactItems");
  if (reasons.empty() || actions == nullptr || actions->kind() != JsonNode::Kind::Array) return;
  std::string_view rest(reasons);
  rest = rest.substr(0, rest.find(']'));
  for (const JsonNode& action : actions->elements()) {
    const std::size_t end = std::min(rest.find(", "), rest.size());
    const std::string_view reason = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 2, rest.size()));
    const bool is_whole = action.kind() == JsonNode::Kind::Object && !action.members().empty();
    if (reason == "None" || reason.empty() || !is_whole) continue;
    const JsonMember& verb = action.members().front();
    std::string hint = "Action " + std::to_string(&action - actions->elements().data() + 1) +
                       " of " + std::to_string(actions->elements().size()) + ", " +
                       std::string(verb.name);
    if (verb.value.kind() == JsonNode::Kind::Object) {
      const JsonNode* const table = verb.value.find("TableName");
      const JsonNode* const condition = verb.value.find("ConditionExpression");
      if (table != nullptr && table->kind() == JsonNode::Kind::String)
        hint.append(" on '").append(table->text()).append("'");
      hint.append(": ").append(reason);
      if (condition != nullptr && condition->kind() == JsonNode::Kind::String)
        hint.append(", it asked for ").append(condition->text());
    }
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

void hint_at_limits(const Hinted& hinted, std::vector<std::string>& hints) {
  const std::string_view limits = hinted.text(Part::Limits);
  if (limits.empty()) return;
  hints.push_back("It was served, but the cloud would have throttled it: " + std::string(limits) +
                  ". --throttling enforce does, 'stator capacity' tells of the table");
}

constexpr HintRule kRules[] = {
    hint_at_signature,
    hint_at_operation,
    hint_at_json,
    hint_at_missing_table,
    hint_at_foreign_region,
    hint_at_missing_index,
    hint_at_definitions,
    hint_at_keys,
    hint_at_key_condition,
    hint_at_filtered_key,
    hint_at_reserved_word,
    hint_at_condition,
    hint_at_cancellation,
    hint_at_limits,
    hint_at_query,
    hint_at_filter,
    hint_at_lag,
};

}  // namespace

std::vector<std::string> hints_for(const RecentRequest& request, const Snapshot& snapshot,
                                   const Settings& settings) {
  Call call;
  call.settings = &settings;
  call.caller = {request.text(Part::Region), request.text(Part::AccessKey), {}};
  const std::string_view scope = scope_of(call, call.arena);
  const std::string_view table_name = table_name_of(request.text(Part::Table));
  std::string body(request.text(Part::Asked));
  const auto asked =
      request.is_whole(Part::Asked) && !body.empty() ? read_json(body, call.arena) : std::nullopt;
  const bool is_object = asked && asked->kind() == JsonNode::Kind::Object;
  const Hinted hinted{.request = request,
                      .asked = is_object ? &*asked : nullptr,
                      .catalog = snapshot.catalog(),
                      .settings = settings,
                      .now = snapshot.now(),
                      .scope = scope,
                      .table_name = table_name,
                      .table = snapshot.catalog().find(scope, table_name, snapshot.now())};
  std::vector<std::string> hints;
  for (const HintRule rule : kRules) rule(hinted, hints);
  if (hints.size() > kHintsOfRequestMax) hints.resize(kHintsOfRequestMax);
  for (std::string& hint : hints) {
    if (hint.size() > kHintBytesMax) hint.resize(kHintBytesMax);
  }
  return hints;
}

}  // namespace stator
