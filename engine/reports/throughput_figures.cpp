#include "engine/reports/throughput_figures.h"

#include <algorithm>
#include <utility>

#include "engine/catalog/catalog.h"
#include "engine/state/snapshot.h"

namespace stator {

std::string_view to_text(LimitedChange change) {
  return change == LimitedChange::Decrease ? "Decrease" : "OnDemandSwitch";
}

std::uint64_t limited_changes(const ThroughputStats& figures, LimitedChange change) {
  return figures.own->limited_changes[static_cast<std::size_t>(change)].load(
      std::memory_order_relaxed);
}

Result<std::vector<ThroughputStats>> throughput_figures(const Snapshot& snapshot,
                                                        Isolation isolation) {
  std::vector<ThroughputStats> figures;
  snapshot.catalog().for_each([&](const Table& table) {
    if (table.status(snapshot.now()) == TableStatus::Gone) return;
    const auto label = label_of(table.scope, table.region, table.name, isolation);
    if (!label || table.runtime->throughput == nullptr) return;
    figures.push_back({*label,
                       {},
                       types_of({&table.partition_key, 1}),
                       table.sort_key ? table.sort_key->type : Type::B,
                       table.runtime,
                       table.runtime,
                       table.runtime->throughput});
    for (const GlobalIndex& index : table.global_indexes) {
      figures.push_back({*label, index.name, types_of(index.partition_keys), Type::B, table.runtime,
                         index.runtime, index.runtime->throughput});
    }
  });
  std::stable_sort(figures.begin(), figures.end(),
                   [](const auto& left, const auto& right) { return left.label < right.label; });
  return figures;
}

std::uint64_t throttled_requests(const Table& table) {
  const capacity::ThroughputState* const state = table.runtime->throughput.get();
  const capacity::ThrottleTally* const tally = state == nullptr ? nullptr : state->tally();
  if (tally == nullptr) return 0;
  std::uint64_t requests = 0;
  for (const auto& events : tally->events) requests += events.load(std::memory_order_relaxed);
  return requests;
}

std::vector<std::shared_ptr<capacity::ThroughputState>> throughput_states(
    const Snapshot& snapshot) {
  std::vector<std::shared_ptr<capacity::ThroughputState>> states;
  snapshot.catalog().for_each([&](const Table& table) {
    if (table.runtime->throughput == nullptr) return;
    states.push_back(table.runtime->throughput);
    for (const GlobalIndex& index : table.global_indexes)
      states.push_back(index.runtime->throughput);
  });
  return states;
}

}  // namespace stator
