// Dispatcher: what is counted and recorded of requests, and those that ask for more than their
// response, an explanation or a dry run.

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "engine/api/dry_run.h"
#include "engine/api/operation_table.h"
#include "server/dispatch/dispatcher.h"
#include "server/explain/explanation.h"
#include "server/explain/hints/hints.h"
#include "server/log/log.h"

namespace stator {

void Dispatcher::record(const HttpRequest& request, const CompletedRequest& what) {
  if (recent_ == nullptr || request.is_of_own_tool()) return;
  recent_->add(kind_of(what), [&what](RecentRequest& kept) { keep(what, kept); });
}

void Dispatcher::dropped(const HttpRequest& request, const Exchange& exchange) {
  const auto took = std::chrono::steady_clock::now() - exchange.started;
  CompletedRequest what = answered(request, exchange, nullptr, took, {});
  what.status = 0;
  what.is_committed = false;
  record(request, what);
}

void Dispatcher::count_answer(const HttpRequest& request, const Exchange& exchange,
                              const Error* error, std::chrono::nanoseconds took) const {
  if (is_of_console(request)) return counters_->count_of_console();
  const Operation* const operation = exchange.call.operation;
  counters_->count(
      operation != nullptr ? operations_.number_of(*operation) : operations_.rows().size(),
      error != nullptr ? std::optional(error->code()) : std::nullopt, took,
      !exchange.call.charging.refused().empty());
}

// Decides by the latest state, as a write does.
Result<void> Dispatcher::run_dry_for(StopCondition& stop_condition, Exchange& exchange) {
  Call& call = exchange.call;
  if (!has_dry_run(*call.operation))
    return Error::validation("x-stator-dry-run works for operations on items only");
  call.work.begin(&stop_condition);
  call.walked = {};
  call.undone = {};
  auto would = std::make_unique<DryRun>();
  Result<void> outcome;
  const auto looked = engine_.look(reads_, [&](const Snapshot& snapshot) {
    outcome = run_dry(call, snapshot, *would);
    return Result<void>();
  });
  call.work.set_stop_condition(nullptr);
  if (!looked) {
    log::warn("a dry run failed: " + looked.error().message());
    return Error::internal_server_error();
  }
  if (outcome) exchange.would = std::move(would);
  return outcome;
}

// Runs only for requests with the header, so its cost does not matter.
std::string Dispatcher::explain(const HttpRequest& request, const Exchange& exchange,
                                const Error* error) {
  const auto kept = std::make_unique<RecentRequest>();
  const auto took = std::chrono::steady_clock::now() - exchange.started;
  keep(answered(request, exchange, error, took, {}), *kept);
  Findings findings;
  const auto looked = engine_.look(reads_, [&](const Snapshot& snapshot) {
    findings = findings_of(*kept, snapshot, options_.settings);
    return Result<void>();
  });
  if (!looked) findings.hints = {looked.error().message()};
  return header_text(*kept, findings, exchange.would.get());
}

}  // namespace stator
