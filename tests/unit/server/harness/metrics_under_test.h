// Test help: the metrics of an engine without a server around it.
#pragma once

#include <string>
#include <vector>

#include "engine/api/engine.h"
#include "engine/api/operation_table.h"
#include "server/faults/fault_rules.h"
#include "server/metrics/metrics.h"
#include "server/threads/worker.h"
#include "streams/operations.h"

namespace stator::test {

struct MetricsUnderTest {
  static constexpr std::size_t kMemoryBytes = 1 << 20;

  // The references must outlive this.
  MetricsUnderTest(const Engine& engine, const Settings& settings, const Clock& system_clock)
      : metrics({engine, settings, system_clock, operations, requests, memory, connections,
                 Timestamp{1'790'000'000'000'000}, &faults, [this] { return mappings; }}) {}

  // For the counters: the number of an operation.
  std::size_t number_of(std::string_view operation) const {
    return operations.number_of(*operations.find(std::string(kDynamoDbTarget).append(operation)));
  }

  const OperationTable operations{all_families()};
  AllRequestCounters requests{operations.rows().size() + 1};
  RequestMemory memory{kMemoryBytes};
  ConnectionCounts connections;
  faults::FaultRules faults{1, [](const std::string& /*line*/) {}};
  std::vector<triggers::MappingFigures> mappings;
  const Metrics metrics;
};

}  // namespace stator::test
