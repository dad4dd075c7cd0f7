// Metrics: what GET /metrics answers, for a Prometheus that scrapes. Each is described in
// docs/metrics.md.
//
// A source is a function that adds families, and a line in the table of metrics.cpp. Counters stand
// beside what they count and are read when somebody asks; tables are asked then.
#pragma once

#include <string>

#include "engine/call/settings.h"
#include "engine/call/work.h"
#include "engine/seams/clock.h"
#include "engine/state/snapshot.h"
#include "protocol/result.h"
#include "server/connection_counts.h"
#include "server/metrics/metric_family.h"
#include "server/metrics/request_counters.h"

namespace stator {

class Engine;
class OperationTable;
class RequestMemory;

// What is measured; all of it outlives the Metrics.
struct Measured {
  const Engine& engine;
  const Settings& settings;
  const Clock& system_clock;
  const OperationTable& operations;
  // By OperationTable::number_of(), and one more for what names none of them.
  const AllRequestCounters& requests;
  const RequestMemory& memory;
  const ConnectionCounts& connections;
  Timestamp started;  // by the system's clock
};

// What a source adds from. `snapshot` is the latest state.
struct MetricSource {
  Result<void> (*add)(const Measured& measured, const Snapshot& snapshot, MetricPage& page);
};

class Metrics {
 public:
  explicit Metrics(Measured measured) : measured_(measured) {}

  // The page. From any thread. The error is for an operator; it may be that `audience` left.
  Result<std::string> page(Audience& audience) const;

 private:
  Measured measured_;
};

}  // namespace stator
