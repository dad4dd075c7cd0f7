#include "server/explain/hints/hints.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/api/operation_table.h"
#include "engine/call/call.h"
#include "engine/call/scope.h"
#include "protocol/errors/rule.h"
#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "protocol/model/shapes.h"
#include "protocol/shapes/shape.h"
#include "server/explain/requests/cut_json.h"
#include "server/options/argument_errors.h"
#include "streams/operations.h"

namespace stator {

namespace {

using Part = RecentRequest::Part;

std::string after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? std::string() : std::string(text.substr(at + mark.size()));
}

void hint_at_reserved_word(const HintInput& hinted, std::vector<std::string>& hints) {
  if (hinted.request.rule != Rule::ReservedWord) return;
  const std::string word(hinted.request.rule_value(1));
  hints.push_back("Write #" + word + " in the expression, and send ExpressionAttributeNames={\"#" +
                  word + "\": \"" + word + "\"}");
}

// Detects "n = :n" instead of "SET n = :n".
void hint_at_update_clause(const HintInput& hinted, std::vector<std::string>& hints) {
  if (hinted.request.rule != Rule::Grammar || hinted.text(Part::Place) != "UpdateExpression")
    return;
  const JsonNode* const update = hinted.member("UpdateExpression");
  if (update == nullptr || update->kind() != JsonNode::Kind::String) return;
  std::string_view text = update->text();
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  std::string word(text.substr(0, text.find_first_of(" \t\r\n")));
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char byte) {
    return byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - 'a' + 'A')
                                      : static_cast<char>(byte);
  });
  for (const std::string_view clause : {"SET", "REMOVE", "ADD", "DELETE"})
    if (word == clause) return;
  std::string hint = "UpdateExpression begins with SET, REMOVE, ADD or DELETE";
  if (text.find('=') != std::string_view::npos) hint.append(": write SET ").append(text);
  hints.push_back(std::move(hint));
}

void hint_at_signature(const HintInput& hinted, std::vector<std::string>& hints) {
  if (!hinted.has_failed_with("MissingAuthenticationTokenException") &&
      !hinted.has_failed_with("IncompleteSignatureException") &&
      !hinted.has_failed_with("UnrecognizedClientException"))
    return;
  hints.push_back(
      "Requests are signed here as in the cloud, with any access key and secret: set "
      "AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local AWS_REGION=us-east-1, or send them "
      "through an SDK");
}

// The request shape of an operation in the API model, whether Stator supports it or not; nullptr if
// unknown.
const TypeSpec* shape_of(std::string_view operation) {
  for (const model::Request& request : model::kRequests)
    if (request.operation == operation) return request.shape;
  return nullptr;
}

void hint_at_condition(const HintInput& hinted, std::vector<std::string>& hints) {
  if (!hinted.has_failed_with("ConditionalCheckFailedException")) return;
  const JsonNode* const condition = hinted.member("ConditionExpression");
  if (condition != nullptr && condition->kind() == JsonNode::Kind::String)
    hints.push_back("The item, or that there was none, did not meet: " +
                    std::string(condition->text()));
  std::string values = unmet_statement_text(hinted);
  const TypeSpec* const shape = shape_of(hinted.text(Part::Operation));
  if (values.empty() && hinted.table != nullptr && hinted.asked != nullptr && shape != nullptr &&
      check_types(*hinted.asked, *shape))
    values = unmet_values_text(hinted, *hinted.table, *hinted.asked);
  if (!values.empty()) {
    values.front() = values.front() == 'i' ? 'I' : 'T';
    hints.push_back(std::move(values));
  }
  if (hinted.is_asked_whole && hinted.member("ReturnValuesOnConditionCheckFailure") == nullptr)
    hints.push_back("ReturnValuesOnConditionCheckFailure=ALL_OLD answers with the item as it was");
}

// Parts of the hint for an action of a transaction: "Put on 'orders'", its condition, and what the
// stored item has.
struct ActionText {
  std::string verb = {};
  std::string condition = {};
  std::string values = {};   // the stored item's, at the condition's attributes
  std::string missing = {};  // what it lacks
};
ActionText action_text(const HintInput& hinted, const JsonNode& action, std::string_view message) {
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
  if (table == nullptr || !check_types(*hinted.asked, model::kTransactWriteItemsInput)) return text;
  const Table* const found = hinted.tables.find(hinted.scope, table_name_of(table->text()));
  if (found == nullptr) return text;
  text.values = unmet_values_text(hinted, *found, verb.value);
  text.missing = missing_part_text(hinted, *found, verb.value, message);
  return text;
}

// The array's element at `index`; nullptr if there is none.
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

// Adds one line for each action that caused the cancellation.
void hint_at_cancellation(const HintInput& hinted, std::vector<std::string>& hints) {
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
    const bool is_condition = reason == "ConditionalCheckFailed";
    const std::string message = is_condition ? "" : message_of(element(details, i));
    const ActionText text =
        action != nullptr ? action_text(hinted, *action, message) : ActionText{};
    std::string hint = "Action " + std::to_string(i + 1) + " of " + std::to_string(count) +
                       text.verb + ": " + std::string(reason);
    if (is_condition && !text.condition.empty()) hint += ", it asked for " + text.condition;
    if (is_condition && !text.values.empty()) hint += "; " + text.values;
    if (!message.empty()) hint += ", " + message;
    if (!text.missing.empty()) hint += "; " + text.missing;
    hints.push_back(std::move(hint));
  }
}

void hint_at_json(const HintInput& hinted, std::vector<std::string>& hints) {
  if (!hinted.has_failed_with("SerializationException")) return;
  const RecentRequest& request = hinted.request;
  const bool is_number_for_text = request.rule == Rule::JsonType &&
                                  request.rule_value(1) == "NUMBER_VALUE" &&
                                  request.rule_value(2) == "String";
  if (is_number_for_text) {
    hints.push_back("Numbers are sent as text: {\"N\": \"5\"}, not {\"N\": 5}");
  } else if (hinted.asked == nullptr && hinted.request.is_whole(Part::Asked)) {
    hints.push_back("The body is no JSON object");
  }
}

bool is_built(std::string_view operation) {
  for (const OperationFamily& family : all_families()) {
    for (const Operation& built : family.rows)
      if (built.name == operation) return true;
  }
  return false;
}

// Why a service's operation is unknown, for one that is not today's DynamoDB.
std::string unknown_service_text(std::string_view service, std::string_view operation) {
  if (OperationTable(served_families()).has_service(service))
    return " has no operation '" + std::string(operation) + "' here: see docs/differences.md";
  if (service.starts_with("DynamoDB"))
    return " is another version of the API; here it is DynamoDB_20120810";
  return " is another service than DynamoDB: its client is set to this server's address, for "
         "instance by AWS_ENDPOINT_URL; AWS_ENDPOINT_URL_DYNAMODB is for DynamoDB alone";
}

// Why the operation is unknown.
std::string unknown_operation_text(std::string_view operation) {
  if (shape_of(operation) == nullptr) {
    std::vector<std::string> names;
    names.reserve(std::size(model::kRequests));
    for (const model::Request& request : model::kRequests) names.emplace_back(request.operation);
    return "no operation of DynamoDB" + did_you_mean(operation, names);
  }
  if (is_built(operation))
    return "built, but not with all that this request asks for, or not under the service that "
           "X-Amz-Target names: see docs/differences.md";
  return "an operation of DynamoDB that is not built here: see docs/differences.md";
}

void hint_at_operation(const HintInput& hinted, std::vector<std::string>& hints) {
  if (!hinted.has_failed_with("UnknownOperationException")) return;
  const std::string_view operation = hinted.text(Part::Operation);
  if (operation.empty()) {
    hints.push_back("The header X-Amz-Target says which operation is meant, and there was none");
    return;
  }
  const std::size_t dot = operation.rfind('.');
  if (dot != std::string_view::npos) {
    const std::string_view service = operation.substr(0, dot);
    hints.push_back("'" + std::string(service) + "'" +
                    unknown_service_text(service, operation.substr(dot + 1)));
    return;
  }
  const std::string_view member = hinted.text(Part::Place);
  hints.push_back("'" + std::string(operation) + "' is " +
                  (member.empty() ? unknown_operation_text(operation)
                                  : "built, but not its member " + std::string(member) +
                                        ": see docs/differences.md"));
}

// How many parts of a batch failed, and why.
std::string left_over_text(const PartialFailure& undone, std::string_view operation,
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

// A batch returns status 200 even if parts of it fail.
void hint_at_undone(const HintInput& hinted, std::vector<std::string>& hints) {
  const PartialFailure& undone = hinted.request.undone;
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

void hint_at_limits(const HintInput& hinted, std::vector<std::string>& hints) {
  const std::string_view limits = hinted.text(Part::Limits);
  if (limits.empty() || hinted.request.is_throttled_in_part()) return;
  hints.push_back("It was served, but the cloud would have throttled it: " + std::string(limits) +
                  ". --throttling enforce does, 'stator capacity' tells of the table");
}

void hint_at_stream_wait(const HintInput& hinted, std::vector<std::string>& hints) {
  if (hinted.waits == nullptr || hinted.request.has_failed()) return;
  std::string hint = hinted.waits->hint_for(hinted.request, hinted.scope);
  if (!hint.empty()) hints.push_back(std::move(hint));
}

// "lambda:Invoke", see triggers::LambdaApi::operation_of().
constexpr std::string_view kLambdaOperations = "lambda";

constexpr HintRule kHintRules[] = {
    hint_at_signature,     hint_at_operation,      hint_at_json,          hint_at_import,
    hint_at_missing_table, hint_at_foreign_region, hint_at_foreign_arn,   hint_at_missing_index,
    hint_at_definitions,   hint_at_keys,           hint_at_key_condition, hint_at_filtered_key,
    hint_at_reserved_word, hint_at_update_clause,  hint_at_condition,     hint_at_cancellation,
    hint_at_undone,        hint_at_limits,         hint_at_statement,     hint_at_filter_types,
    hint_at_query,         hint_at_filter,         hint_at_lag,           hint_at_tables_elsewhere,
    hint_at_missing_part,  hint_at_time_to_live,   hint_at_recovery,      hint_at_stream_wait,
};

}  // namespace

void cut(std::string& text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return;
  while (bytes_max > 0 && (static_cast<unsigned char>(text[bytes_max]) & 0xC0u) == 0x80u)
    --bytes_max;
  text.resize(bytes_max);
}

Findings findings_of(const RecentRequest& request, const Snapshot& snapshot,
                     const Settings& settings, StreamWaits* waits) {
  // The rules know DynamoDB's requests and errors; the message of another service says enough.
  if (request.text(Part::Operation).starts_with(kLambdaOperations)) return {};
  const TableView tables(snapshot);
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
  const HintInput hinted{.request = request,
                         .asked = is_object ? &*asked : nullptr,
                         .is_asked_whole = is_object && is_whole,
                         .tables = tables,
                         .settings = settings,
                         .now = tables.now(),
                         .scope = scope,
                         .table_name = table_name,
                         .table = tables.find(scope, table_name),
                         .waits = waits};
  Findings findings;
  findings.items = touched_items(
      request, [&](std::string_view name) { return tables.find(scope, table_name_of(name)); });
  if (request.has_fault()) {
    findings.hints = {"Injected by the fault rule " + std::string(request.text(Part::Fault)) +
                      ", not by the service"};
    return findings;
  }
  if (request.has_failed()) findings.refusal = refusal_of(hinted);
  for (const HintRule rule : kHintRules) rule(hinted, findings.hints);
  auto& hints = findings.hints;
  if (hints.size() > kHintsOfRequestMax) hints.resize(kHintsOfRequestMax);
  for (std::string& hint : hints) cut(hint, kHintBytesMax);
  return findings;
}

}  // namespace stator
