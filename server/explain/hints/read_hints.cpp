// Hints about successful reads: their cost, and items they may have missed.
#include "server/explain/hints/hints.h"
#include "server/explain/hints/schema_text.h"

namespace stator {

namespace {

using Part = RecentRequest::Part;

// A read of at least this many items deserves a hint if it returned few of them.
constexpr std::int64_t kManyItems = 100;
constexpr std::int64_t kKeptPart = 10;

}  // namespace

// Detects a Scan whose filter a Query could answer.
void hint_at_query(const HintInput& hinted, std::vector<std::string>& hints) {
  if (hinted.request.walked.way != ReadStats::ReadKind::Scan || hinted.request.has_failed()) return;
  if (hinted.text(Part::Operation) != "Scan") {
    hints.push_back(
        "The statement names no partition key with = or IN in its WHERE, so all of the table or "
        "the index is read, as by a Scan");
    return;
  }
  if (hinted.table == nullptr || hinted.asked == nullptr) return;
  const auto attributes = equal_attributes(*hinted.asked, "FilterExpression");
  const auto choices = key_choices(*hinted.table);
  const KeyChoice* const fitting = choice_for(choices, attributes);
  if (fitting == nullptr) return;
  const std::string of =
      fitting->index_name.empty() ? "table" : "index " + std::string(fitting->index_name);
  hints.push_back("The filter gives the partition key of the " + of + ", " +
                  key_text(fitting->partition_keys, {}) +
                  ": a Query with it as KeyConditionExpression reads only these items");
}

void hint_at_filter(const HintInput& hinted, std::vector<std::string>& hints) {
  const ReadStats& walked = hinted.request.walked;
  const std::int64_t looked_at = walked.items_scanned;
  const std::int64_t matched = walked.items_matched;
  const bool is_by_limit = walked.end == ReadStats::End::Limit && !hinted.request.has_failed();
  if (is_by_limit && looked_at > 0 && matched == 0) {
    hints.push_back("Limit counts items before the filter: " + std::to_string(looked_at) +
                    " were looked at and none passed, go on with what LastEvaluatedKey or "
                    "NextToken says");
  }
  if (looked_at < kManyItems || matched * kKeptPart >= looked_at) return;
  hints.push_back(std::to_string(looked_at) + " items were read and paid for, and " +
                  std::to_string(matched) + " passed the filter: a filter saves no units");
}

void hint_at_lag(const HintInput& hinted, std::vector<std::string>& hints) {
  if (hinted.settings.eventual_read_lag.count() == 0 || hinted.text(Part::Operation) != "GetItem" ||
      !hinted.is_asked_whole || hinted.text(Part::Answered) != "{}")
    return;
  const JsonNode* const consistent = hinted.member("ConsistentRead");
  if (consistent != nullptr && consistent->kind() == JsonNode::Kind::True) return;
  hints.push_back(
      "Nothing was found by an eventually consistent read, which sees the past here "
      "(--eventual-read-lag): ConsistentRead sees every write that was answered");
}

}  // namespace stator
