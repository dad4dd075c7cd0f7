// Metrics of faults on demand.
#include "server/faults/fault_rules.h"
#include "server/metrics/sources.h"

namespace stator {

Result<void> add_faults(const MetricInputs& measured, const Snapshot& /*snapshot*/,
                        MetricPage& page) {
  if (measured.faults == nullptr) return {};
  auto fired = MetricFamily::counter("stator_injected_faults_total",
                                     "Requests that failed on demand, by rule and operation.");
  const auto rules = measured.faults->all();
  for (const auto& live : rules) {
    for (const auto& [operation, count] : live->fired_by_operation()) {
      fired.add(count, {{"rule", live->rule().name},
                        {"effect", live->rule().effect.name()},
                        {"operation", operation}});
    }
  }
  page.add(std::move(fired));
  page.add(MetricFamily::gauge("stator_fault_rules", "Rules for requests that fail on demand."),
           std::uint64_t{rules.size()});
  return {};
}

}  // namespace stator
