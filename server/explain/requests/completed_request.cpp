#include "server/explain/requests/completed_request.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/capacity/throttling_reason.h"
#include "protocol/errors/rule.h"
#include "server/explain/requests/index_units.h"

namespace stator {

namespace {

using Part = RecentRequest::Part;

// "TableReadProvisionedThroughputExceeded, IndexWriteKeyRangeThroughputExceeded", each name once.
// Has space for all sixteen without allocation, because it runs for each request over a limit.
class LimitNames {
 public:
  explicit LimitNames(const Charging& charging) {
    for (const RefusedEvent& event : charging.refused()) {
      for (const capacity::Refusal& refusal : event.by) add(to_text(refusal.reason));
    }
  }
  std::string_view text() const { return {bytes_.data(), size_}; }

 private:
  void add(std::string_view name) {
    constexpr std::string_view kBetween = ", ";
    if (text().find(name) != std::string_view::npos) return;
    if (size_ + kBetween.size() + name.size() > bytes_.size()) return;
    if (size_ > 0) append(kBetween);
    append(name);
  }
  void append(std::string_view part) {
    std::copy(part.begin(), part.end(), bytes_.begin() + size_);
    size_ += part.size();
  }

  std::array<char, 1024> bytes_;  // the first size_ are set
  std::size_t size_ = 0;
};

// Operations that change or list tables are rare, and hints cover mistakes in them.
bool is_about_tables(std::string_view operation) {
  return operation.starts_with("Create") || operation.starts_with("List") ||
         (operation.starts_with("Update") && operation != "UpdateItem");
}

// Whether a read found nothing, or scanned more items than it returned.
bool is_poor_read(const CompletedRequest& answered) {
  const ReadStats& walked = answered.call.walked;
  if (walked.way == ReadStats::ReadKind::None)
    return answered.operation == "GetItem" && answered.call.reply == "{}";
  return walked.way == ReadStats::ReadKind::Scan || walked.items_matched == 0 ||
         walked.items_matched < walked.items_scanned;
}

void keep_rule(const Error& error, RecentRequest& kept) {
  const BrokenRule& broken = error.broken_rule();
  kept.rule = broken.rule;
  const std::string_view statement = error.statement();
  const auto begin = static_cast<std::size_t>(statement.data() - error.message().data());
  const std::size_t message_bytes = kept.text(Part::Message).size();
  kept.statement_begin = static_cast<std::uint16_t>(std::min(begin, message_bytes));
  kept.statement_bytes =
      static_cast<std::uint16_t>(std::min(statement.size(), message_bytes - kept.statement_begin));
  kept.set(Part::Place, broken.place);
  constexpr std::array kValues = {Part::Value1, Part::Value2, Part::Value3, Part::Value4};
  static_assert(kValues.size() == kRuleValuesMax);
  for (std::size_t i = 0; i < kValues.size(); ++i) kept.set(kValues[i], broken.values[i]);
}

}  // namespace

RecentKind kind_of(const CompletedRequest& answered) {
  if (answered.is_of_console) return RecentKind::Console;
  if (answered.error != nullptr || answered.fault != nullptr || !answered.other_error.name.empty())
    return RecentKind::Failed;
  const bool may_have_hint = answered.call.undone.parts > 0 ||
                             !answered.call.charging.refused().empty() || is_poor_read(answered) ||
                             is_about_tables(answered.operation);
  return may_have_hint ? RecentKind::MayHaveHint : RecentKind::Other;
}

void keep(const CompletedRequest& answered, RecentRequest& kept) {
  const auto& [call, error, id, operation, asked, body_bytes, now, took, is_of_console, is_of_agent,
               status, fault, is_committed, agent, connection, other_error] = answered;
  kept.is_of_console = is_of_console;
  kept.is_of_agent = is_of_agent;
  kept.connection = connection;
  kept.time = now;
  kept.took = std::chrono::duration_cast<std::chrono::microseconds>(took);
  kept.units_milli = call.units_milli;
  kept.status = status;
  kept.fault = {};
  if (fault != nullptr) {
    kept.fault = {fault->effect().name(), fault->number, is_committed};
    kept.set(Part::Fault, fault->of->rule().name);
  }
  kept.walked = call.walked;
  kept.walked.index_name = {};
  kept.undone = error == nullptr ? call.undone : PartialFailure{};
  kept.undone.first_error = {};
  kept.rule = Rule::None;
  kept.statement_begin = 0;
  kept.statement_bytes = 0;
  kept.set(Part::Id, id);
  kept.set(Part::Operation, operation);
  kept.set(Part::Table, call.table_name);
  kept.set(Part::Region, call.caller.region);
  kept.set(Part::AccessKey, call.caller.access_key);
  kept.set(Part::Asked, asked, body_bytes);
  kept.set(Part::Index, call.walked.index_name);
  kept.set(Part::Agent, agent);
  if (error != nullptr) {
    kept.set(Part::Error, error_info(error->code()).name);
    kept.set(Part::Message, error->message());
    keep_rule(*error, kept);
    if (error->code() == ErrorCode::TransactionCanceled) kept.set(Part::Reasons, error->members());
    return;
  }
  if (!other_error.name.empty()) {
    kept.set(Part::Error, other_error.name);
    kept.set(Part::Message, other_error.message);
    return;
  }
  kept.set(Part::Answered, call.reply);
  if (!call.index_uses.empty()) {
    const IndexUnitsText units(call.index_uses);
    kept.set(Part::IndexUnits, units.text(), units.whole_bytes());
  }
  if (!call.undone.first_error.empty()) kept.set(Part::Reasons, call.undone.first_error);
  if (!call.charging.refused().empty()) kept.set(Part::Limits, LimitNames(call.charging).text());
}

}  // namespace stator
