// The sources of metrics, for the table in metrics.cpp.
#pragma once

#include "server/metrics/metrics.h"

namespace stator {

// request_metrics.cpp: what the server itself counts.
Result<void> add_requests(const Measured& measured, const Snapshot& snapshot, MetricPage& page);
Result<void> add_connections(const Measured& measured, const Snapshot& snapshot, MetricPage& page);
Result<void> add_memory(const Measured& measured, const Snapshot& snapshot, MetricPage& page);

// engine_metrics.cpp: what the engine tells.
Result<void> add_commits(const Measured& measured, const Snapshot& snapshot, MetricPage& page);
Result<void> add_tables(const Measured& measured, const Snapshot& snapshot, MetricPage& page);
Result<void> add_expiry(const Measured& measured, const Snapshot& snapshot, MetricPage& page);
Result<void> add_streams(const Measured& measured, const Snapshot& snapshot, MetricPage& page);
Result<void> add_clock(const Measured& measured, const Snapshot& snapshot, MetricPage& page);

// capacity_metrics.cpp: what tables can serve, and what was asked of them.
Result<void> add_throughput(const Measured& measured, const Snapshot& snapshot, MetricPage& page);

// process_metrics.cpp: what the system tells of the process, under the names that all programs use.
Result<void> add_process(const Measured& measured, const Snapshot& snapshot, MetricPage& page);

}  // namespace stator
