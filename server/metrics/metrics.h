// Metrics: the page GET /metrics, for Prometheus. docs/metrics.md describes each metric.
//
// A source is a function that adds families, and a line in the table of metrics.cpp. Counters are
// members of what they count; a request for the page reads them and the tables.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/call/settings.h"
#include "engine/call/work.h"
#include "engine/seams/clock.h"
#include "protocol/errors/result.h"
#include "server/connections/connection_counts.h"
#include "server/dispatch/request_counters.h"
#include "server/metrics/metric_family.h"
#include "server/triggers/delivery/mapping_figures.h"

namespace stator {

class Engine;
class OperationTable;
class RequestMemory;
namespace faults {
class FaultRules;
}
class Snapshot;

// What sources read; must outlive the Metrics.
struct MetricInputs {
  const Engine& engine;
  const Settings& settings;
  const Clock& system_clock;
  const OperationTable& operations;
  // By OperationTable::number_of(); the last one counts unknown operations.
  const AllRequestCounters& requests;
  const RequestMemory& memory;
  const ConnectionCounts& connections;
  Timestamp started;                           // by the system's clock
  const faults::FaultRules* faults = nullptr;  // nullptr: no request fails on demand
  // Of the event source mappings; empty: there are none.
  std::function<std::vector<triggers::MappingFigures>()> triggers = {};
};

// Input of a source. `snapshot` is the latest state.
struct MetricSource {
  Result<void> (*add)(const MetricInputs& measured, const Snapshot& snapshot, MetricPage& page);
};

class Metrics {
 public:
  explicit Metrics(MetricInputs measured) : measured_(std::move(measured)) {}

  // Writes the page. Any thread. The error is for an operator; `stop_condition` may be the reason.
  Result<std::string> page(StopCondition& stop_condition) const;

 private:
  MetricInputs measured_;
};

}  // namespace stator
