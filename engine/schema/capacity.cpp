#include "engine/schema/capacity.h"

#include <algorithm>
#include <numeric>

#include "protocol/service/limits.h"

namespace stator {
namespace {

std::int64_t started(std::size_t size_bytes, std::size_t unit_bytes) {
  return static_cast<std::int64_t>(
      std::max<std::size_t>(1, (size_bytes + unit_bytes - 1) / unit_bytes));
}

using IndexUnits = ConsumedCapacity::IndexUnits;

void add_units(std::vector<IndexUnits>& sums, const Charge& charge) {
  const auto sum = std::find_if(sums.begin(), sums.end(), [&](const IndexUnits& known) {
    return known.name == charge.index_name;
  });
  if (sum != sums.end()) {
    sum->units_milli += charge.units_milli;
  } else {
    sums.push_back({charge.index_name, charge.units_milli});
  }
}

}  // namespace

std::int64_t write_units_milli(std::size_t size_bytes) {
  return started(size_bytes, limits::kWriteUnitBytes) * kMilliPerUnit;
}

std::int64_t read_units_milli(std::size_t size_bytes, bool consistent) {
  return started(size_bytes, limits::kReadUnitBytes) *
         (consistent ? kMilliPerUnit : kMilliPerUnit / 2);
}

std::int64_t total_units_milli(std::span<const Charge> charges) {
  return std::accumulate(
      charges.begin(), charges.end(), std::int64_t{0},
      [](std::int64_t sum, const Charge& charge) { return sum + charge.units_milli; });
}

std::int64_t ConsumedCapacity::total_units_milli() const {
  const auto sum_up = [](std::int64_t sum, const IndexUnits& index) {
    return sum + index.units_milli;
  };
  const std::int64_t local =
      std::accumulate(local_indexes.begin(), local_indexes.end(), table_units_milli, sum_up);
  return std::accumulate(global_indexes.begin(), global_indexes.end(), local, sum_up);
}

void ConsumedCapacity::add(const Charge& charge) {
  switch (charge.of) {
    case Charge::Of::Table:
      table_units_milli += charge.units_milli;
      break;
    case Charge::Of::LocalIndex:
      add_units(local_indexes, charge);
      break;
    case Charge::Of::GlobalIndex:
      add_units(global_indexes, charge);
      break;
  }
}

void ConsumedCapacity::add(std::span<const Charge> charges) {
  for (const Charge& charge : charges) add(charge);
}

}  // namespace stator
