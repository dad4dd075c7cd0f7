// The sources of metrics, for the table in metrics.cpp.
#pragma once

#include "server/metrics/metrics.h"

namespace stator {

// request_metrics.cpp: the server's own counters.
Result<void> add_requests(const MetricInputs& measured, const Snapshot& snapshot, MetricPage& page);
Result<void> add_connections(const MetricInputs& measured, const Snapshot& snapshot,
                             MetricPage& page);
Result<void> add_memory(const MetricInputs& measured, const Snapshot& snapshot, MetricPage& page);

// fault_metrics.cpp: requests that failed on demand.
Result<void> add_faults(const MetricInputs& measured, const Snapshot& snapshot, MetricPage& page);

// trigger_metrics.cpp: what event source mappings deliver.
Result<void> add_triggers(const MetricInputs& measured, const Snapshot& snapshot, MetricPage& page);

// engine_metrics.cpp: the engine's statistics.
Result<void> add_commits(const MetricInputs& measured, const Snapshot& snapshot, MetricPage& page);
Result<void> add_tables(const MetricInputs& measured, const Snapshot& snapshot, MetricPage& page);
Result<void> add_expiry(const MetricInputs& measured, const Snapshot& snapshot, MetricPage& page);
Result<void> add_streams(const MetricInputs& measured, const Snapshot& snapshot, MetricPage& page);
Result<void> add_clock(const MetricInputs& measured, const Snapshot& snapshot, MetricPage& page);

// capacity_metrics.cpp: limits and use of tables.
Result<void> add_throughput(const MetricInputs& measured, const Snapshot& snapshot,
                            MetricPage& page);

// process_metrics.cpp: the process, from the system, under the names that all programs use.
Result<void> add_process(const MetricInputs& measured, const Snapshot& snapshot, MetricPage& page);

}  // namespace stator
