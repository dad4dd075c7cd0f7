#include "server/dispatch/request_counters.h"

namespace stator {

void RequestCounters::add_to(RequestTotals& totals) const {
  const auto value = [](const Counter& counter) { return counter.load(std::memory_order_relaxed); };
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const Row& row = operations_[i];
    OperationTotals& total = totals.operations[i];
    total.succeeded += value(row.succeeded);
    total.throttled += value(row.throttled);
    for (std::size_t code = 0; code < kErrorCodes; ++code)
      total.errors[code] += value(row.errors[code]);
    for (std::size_t bucket = 0; bucket < row.buckets.size(); ++bucket)
      total.buckets[bucket] += value(row.buckets[bucket]);
    total.took_ns += value(row.took_ns);
  }
  totals.of_console += value(of_console_);
  totals.refusals.malformed += value(malformed_);
  totals.refusals.too_large += value(too_large_);
}

RequestCounters& AllRequestCounters::add_dispatcher() {
  const std::scoped_lock lock(mutex_);
  return *dispatchers_.emplace_back(std::make_unique<RequestCounters>(operations_));
}

RequestTotals AllRequestCounters::totals() const {
  RequestTotals totals{std::vector<OperationTotals>(operations_), 0, {}};
  const std::scoped_lock lock(mutex_);
  for (const auto& dispatcher : dispatchers_) dispatcher->add_to(totals);
  return totals;
}

}  // namespace stator
