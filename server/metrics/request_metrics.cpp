// Metrics of the server: requests, connections, memory.
#include <map>
#include <string>

#include "engine/api/operation_table.h"
#include "server/metrics/sources.h"
#include "server/threads/worker.h"

namespace stator {

namespace {

// One label for all unknown operations, so that clients cannot create labels.
constexpr std::string_view kUnknownOperation = "unknown";

std::string_view operation_name(const OperationTable& operations, std::size_t number) {
  return number < operations.rows().size() ? operations.label(number) : kUnknownOperation;
}

void add_operation(std::string_view operation, const OperationTotals& totals,
                   MetricFamily& requests, MetricFamily& errors, MetricFamily& throttled,
                   MetricFamily& latencies) {
  std::map<std::uint16_t, std::uint64_t> by_status;
  if (totals.succeeded > 0) by_status[200] = totals.succeeded;
  for (std::size_t i = 0; i < kErrorCodes; ++i) {
    if (totals.errors[i] == 0) continue;
    const ErrorInfo& info = error_info(static_cast<ErrorCode>(i));
    by_status[info.http_status] += totals.errors[i];
    errors.add(totals.errors[i], {{"operation", operation}, {"type", info.name}});
  }
  if (by_status.empty()) return;
  if (totals.throttled > 0) throttled.add(totals.throttled, {{"operation", operation}});
  for (const auto& [status, count] : by_status)
    requests.add(count, {{"operation", operation}, {"code", std::to_string(status)}});
  latencies.add_latencies(kLatencyBounds, totals.buckets, std::chrono::nanoseconds(totals.took_ns),
                          {{"operation", operation}});
}

}  // namespace

Result<void> add_requests(const MetricInputs& measured, const Snapshot& /*snapshot*/,
                          MetricPage& page) {
  auto requests = MetricFamily::counter("stator_requests_total",
                                        "Requests answered, by operation and HTTP status.");
  auto errors = MetricFamily::counter("stator_request_errors_total",
                                      "Requests answered with an error, by operation and type.");
  auto latencies = MetricFamily::histogram(
      "stator_request_duration_seconds",
      "From a request's last byte being read to its answer being written, by operation.");
  auto throttled = MetricFamily::counter(
      "stator_throttled_calls_total",
      "Requests of which at least a part was throttled, or should have been, by operation.");
  const RequestTotals totals = measured.requests.totals();
  for (std::size_t i = 0; i < totals.operations.size(); ++i) {
    add_operation(operation_name(measured.operations, i), totals.operations[i], requests, errors,
                  throttled, latencies);
  }
  page.add(std::move(requests));
  page.add(std::move(errors));
  page.add(std::move(throttled));
  page.add(std::move(latencies));
  page.add(MetricFamily::counter("stator_console_requests_total",
                                 "Requests of the web console, which no other metric counts."),
           totals.of_console);
  auto refused = MetricFamily::counter("stator_refused_requests_total",
                                       "What was answered without being looked at, by reason.");
  refused.add(totals.refusals.malformed, {{"reason", "malformed"}});
  refused.add(totals.refusals.too_large, {{"reason", "too_large"}});
  refused.add(measured.memory.refusals(), {{"reason", "memory"}});
  page.add(std::move(refused));
  return {};
}

Result<void> add_connections(const MetricInputs& measured, const Snapshot& /*snapshot*/,
                             MetricPage& page) {
  const ConnectionCounts& counts = measured.connections;
  page.add(MetricFamily::gauge("stator_connections", "Connections that are open."),
           std::uint64_t{counts.open.load(std::memory_order_relaxed)});
  page.add(MetricFamily::counter("stator_connections_accepted_total", "Connections served."),
           counts.accepted.load(std::memory_order_relaxed));
  page.add(MetricFamily::counter("stator_connections_refused_total",
                                 "Connections beyond --max-connections, which got status 503."),
           counts.refused.load(std::memory_order_relaxed));
  return {};
}

Result<void> add_memory(const MetricInputs& measured, const Snapshot& /*snapshot*/,
                        MetricPage& page) {
  page.add(MetricFamily::gauge("stator_request_memory_bytes",
                               "Bytes of --max-memory that requests and unread responses hold."),
           std::uint64_t{measured.memory.budget().used_bytes()});
  page.add(MetricFamily::gauge("stator_request_memory_limit_bytes", "--max-memory."),
           std::uint64_t{measured.memory.budget().bytes_max()});
  return {};
}

}  // namespace stator
