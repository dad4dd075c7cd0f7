// Test help: the metrics of an engine without a server around it.
#pragma once

#include <string>

#include "engine/engine.h"
#include "server/metrics/metrics.h"
#include "server/worker.h"
#include "tests/unit/engine/all_operations.h"

namespace stator::test {

struct MetricsUnderTest {
  static constexpr std::size_t kMemoryBytes = 1 << 20;

  // The references must outlive this.
  MetricsUnderTest(const Engine& engine, const Settings& settings, const Clock& system_clock)
      : metrics({engine, settings, system_clock, operations, requests, memory, connections,
                 Timestamp{1'790'000'000'000'000}}) {}

  // For the counters: the number of an operation.
  std::size_t number_of(std::string_view operation) const {
    return operations.number_of(*operations.find(std::string(kDynamoDbTarget).append(operation)));
  }

  const OperationTable operations = all_operations();
  AllRequestCounters requests{operations.rows().size() + 1};
  RequestMemory memory{kMemoryBytes};
  ConnectionCounts connections;
  const Metrics metrics;
};

}  // namespace stator::test
