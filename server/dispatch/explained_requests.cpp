// Dispatcher: what is counted, recorded and logged of requests, and those that ask for more than
// their response, an explanation or a dry run.

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "engine/api/dry_run.h"
#include "engine/api/operation_table.h"
#include "server/dispatch/dispatcher.h"
#include "server/dispatch/fault_effects.h"
#include "server/dispatch/stream_readers.h"
#include "server/explain/explanation.h"
#include "server/explain/hints/hints.h"
#include "server/explain/requests/completed_request.h"
#include "server/http/own_tools.h"
#include "server/http/request_kind.h"
#include "server/log/log.h"
#include "server/triggers/api/lambda_api.h"

namespace stator {

namespace {

// The operation's name, known or not, with its service if that is not DynamoDB, or not its current
// version; empty if the request names none.
std::string_view asked_operation(const HttpRequest& request, const Call& call,
                                 const OperationTable& operations) {
  if (call.operation != nullptr) return call.operation->name;
  const std::string_view target = request.header(Header::XAmzTarget);
  const std::size_t dot = target.rfind('.');
  const bool is_dynamodb =
      dot == std::string_view::npos ||
      (other_service(request).empty() && operations.has_service(target.substr(0, dot)));
  return is_dynamodb ? target.substr(dot + 1) : target;
}

}  // namespace

CompletedRequest Dispatcher::answered(const HttpRequest& request, const Exchange& exchange,
                                      const Error* error, std::chrono::nanoseconds took,
                                      std::string_view id) const {
  return {.call = exchange.call,
          .error = error,
          .id = id,
          .operation = asked_operation(request, exchange.call, operations_),
          .asked = exchange.asked,
          .body_bytes = exchange.body_bytes,
          .now = engine_.clock().now(),
          .took = took,
          .is_of_console = is_of_console(request),
          .is_of_agent = request.header(Header::UserAgent) == own_tools::kMcp,
          .status = error != nullptr ? status_of(exchange, *error) : std::uint16_t{200},
          .fault = exchange.fault ? &exchange.fault : nullptr,
          .is_committed = exchange.fault && exchange.call.access == Access::Write &&
                          (error == nullptr || error == fault_after(exchange)),
          .agent = request.header(Header::UserAgent),
          .connection = request.connection()};
}

void Dispatcher::log_unbuilt_member(const Call& call, const Error& error) const {
  const std::string_view member = error.broken_rule().place;
  if (call.operation == nullptr || error.code() != ErrorCode::UnknownOperation || member.empty())
    return;
  log_.unknown_member(call.operation->name, member);
}

void Dispatcher::log_answer(const HttpRequest& request, const Exchange& exchange,
                            std::uint16_t status, const Error* error) const {
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - exchange.started);
  if (!log_.wants(took)) return;
  const Call& call = exchange.call;
  std::string asked(is_for_lambda(request) ? triggers::LambdaApi::operation_of(request)
                                           : asked_operation(request, call, operations_));
  // Or a method and path.
  if (asked.empty()) asked.append(method_name(request.method())).append(" ").append(request.path());
  log_.write({.operation = asked,
              .table = call.table_name,
              .status = status,
              .error = error != nullptr ? error_info(error->code()).name : std::string_view(),
              .error_message = error != nullptr ? error->message() : std::string_view(),
              .request_id = writer_.last_request_id(),
              .region = call.caller.region,
              .access_key = call.caller.access_key,
              .units_milli = call.units_milli,
              .took_us = took.count()});
}

void Dispatcher::record(const HttpRequest& request, const CompletedRequest& what) {
  if (recent_ == nullptr || request.is_of_own_tool()) return;
  recent_->add(kind_of(what), [&what](RecentRequest& kept) { keep(what, kept); });
}

void Dispatcher::note_reader(const HttpRequest& request, const Exchange& exchange) {
  StreamReaders* const readers = admin_->readers();
  const Call& call = exchange.call;
  if (readers == nullptr || call.operation == nullptr || call.operation->name != "GetRecords" ||
      is_of_console(request))
    return;
  auto reader = position_after(exchange.asked, call.reply);
  if (!reader) return;
  reader->agent = request.header(Header::UserAgent).substr(0, ShardReader::kAgentBytesMax);
  // A header may have any bytes, and a page shows them.
  std::replace_if(
      reader->agent.begin(), reader->agent.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  reader->access_key = call.caller.access_key;
  reader->last_seen = engine_.clock().now();
  readers->note(*std::move(reader));
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
  const Settings* const changed = admin_ != nullptr ? admin_->changed_settings() : nullptr;
  Findings findings;
  const auto looked = engine_.look(reads_, [&](const Snapshot& snapshot) {
    findings = findings_of(*kept, snapshot, changed != nullptr ? *changed : options_.settings);
    return Result<void>();
  });
  if (!looked) findings.hints = {looked.error().message()};
  return header_text(*kept, findings, exchange.would.get());
}

}  // namespace stator
