#include "server/triggers/batches/function_answer.h"

#include <algorithm>
#include <utility>

#include "protocol/json/json_node_text.h"
#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "streams/sequence_number.h"

namespace stator::triggers {

namespace {

constexpr std::string_view kIdentifier = "itemIdentifier";

BatchAnswer failed_answer(std::string why) {
  BatchAnswer answer;
  answer.has_failed = true;
  answer.why = std::move(why);
  return answer;
}

// The place of the record that an entry names; empty if it names none.
std::optional<std::size_t> place_of(const JsonNode& entry, std::span<const TriggerRecord> records) {
  if (entry.kind() != JsonNode::Kind::Object) return {};
  const JsonNode* const identifier = entry.find(kIdentifier);
  if (identifier == nullptr || identifier->kind() != JsonNode::Kind::String) return {};
  const auto number = position_of(identifier->text(), false);
  if (!number || sequence_number(*number) != identifier->text()) return {};
  const auto found = std::lower_bound(
      records.begin(), records.end(), *number,
      [](const TriggerRecord& record, std::uint64_t wanted) { return record.number < wanted; });
  if (found == records.end() || found->number != *number) return {};
  return static_cast<std::size_t>(found - records.begin());
}

// Sets what is done by `batchItemFailures`, whose absence means all.
void read_failures(const JsonNode& body, std::span<const TriggerRecord> records,
                   BatchAnswer& answer) {
  const JsonNode* const failures = body.find("batchItemFailures");
  if (failures == nullptr) return;
  if (failures->kind() != JsonNode::Kind::Array) {
    answer = failed_answer("batchItemFailures is no list");
    return;
  }
  for (const JsonNode& entry : failures->elements()) {
    const auto place = place_of(entry, records);
    if (!place) {
      answer = failed_answer("batchItemFailures has an entry that names no record of the batch");
      return;
    }
    answer.done = std::min(answer.done, *place);
    answer.has_failed = true;
  }
  if (answer.has_failed) answer.why = "the function reported failed records";
}

}  // namespace

BatchAnswer read_answer(const CallResult& result, std::span<const TriggerRecord> records,
                        const AnswerRules& rules) {
  BatchAnswer answer;
  answer.done = records.size();
  if (!rules.reports_item_failures && !rules.has_window) return answer;
  const bool is_blank = result.body.find_first_not_of(" \t\r\n") == std::string::npos;
  Arena arena;
  std::string text = result.body;
  const auto body = is_blank ? std::optional(JsonNode()) : read_json(text, arena);
  const bool is_object = body && body->kind() == JsonNode::Kind::Object;
  if (rules.has_window) {
    const JsonNode* const state = is_object ? body->find("state") : nullptr;
    if (state == nullptr || state->kind() != JsonNode::Kind::Object)
      return failed_answer("the answer has no state, which a tumbling window needs");
    append_node_json(answer.state, *state);
  }
  if (!rules.reports_item_failures || (body && body->is_null())) return answer;
  if (!is_object) return failed_answer("the answer is not a JSON object");
  std::string state = std::move(answer.state);
  read_failures(*body, records, answer);
  answer.state = std::move(state);
  return answer;
}

}  // namespace stator::triggers
