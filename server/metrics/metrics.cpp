#include "server/metrics/metrics.h"

#include <utility>

#include "engine/api/engine.h"
#include "server/metrics/sources.h"

namespace stator {

namespace {

constexpr MetricSource kSources[] = {
    {add_requests}, {add_connections}, {add_memory}, {add_commits}, {add_tables}, {add_throughput},
    {add_expiry},   {add_streams},     {add_clock},  {add_process}, {add_faults}, {add_triggers},
};

}  // namespace

Result<std::string> Metrics::page(StopCondition& stop_condition) const {
  MetricPage page;
  const auto add_all = [&](const Snapshot& snapshot) -> Result<void> {
    for (const MetricSource& source : kSources) {
      if (stop_condition.should_stop()) return Work::stopped();
      STATOR_CHECK(source.add(measured_, snapshot, page));
    }
    return {};
  };
  Engine::Reader reader(measured_.engine);
  STATOR_CHECK(measured_.engine.look(reader, add_all));
  return std::move(page).text();
}

}  // namespace stator
