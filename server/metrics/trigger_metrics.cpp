// Metrics of event source mappings.
#include <array>
#include <string_view>

#include "server/metrics/sources.h"
#include "server/triggers/mapping.h"

namespace stator {

Result<void> add_triggers(const MetricInputs& measured, const Snapshot& /*snapshot*/,
                          MetricPage& page) {
  if (!measured.triggers) return {};
  auto calls = MetricFamily::counter("stator_trigger_calls_total",
                                     "Calls of functions by event source mappings, by outcome.");
  auto records = MetricFamily::counter("stator_trigger_records_total",
                                       "Records that left an event source mapping, by how.");
  auto lag = MetricFamily::gauge("stator_trigger_lag_seconds",
                                 "Age of the oldest record that waits for its function.");
  for (const auto& mapping : measured.triggers()) {
    const std::string_view function = triggers::function_name_of(mapping.function_arn);
    const auto add = [&](std::string_view fate, std::uint64_t count) {
      records.add(count, {{"mapping", mapping.uuid}, {"function", function}, {"fate", fate}});
    };
    for (const auto& [outcome, count] : mapping.counts.calls)
      calls.add(count, {{"mapping", mapping.uuid}, {"function", function}, {"outcome", outcome}});
    add("delivered", mapping.counts.delivered);
    add("filtered", mapping.counts.filtered);
    add("discarded", mapping.counts.discarded);
    lag.add(mapping.lag, {{"mapping", mapping.uuid}, {"function", function}});
  }
  page.add(std::move(calls));
  page.add(std::move(records));
  page.add(std::move(lag));
  return {};
}

}  // namespace stator
