#include "engine/capacity.h"

#include <algorithm>
#include <numeric>

#include "protocol/limits.h"

namespace stator {
namespace {

std::int64_t started(std::size_t size_bytes, std::size_t unit_bytes) {
  return static_cast<std::int64_t>(
      std::max<std::size_t>(1, (size_bytes + unit_bytes - 1) / unit_bytes));
}

void write_units(JsonWriter& out, std::int64_t units_milli) {
  out.key("CapacityUnits");
  out.decimal(static_cast<double>(units_milli) / static_cast<double>(kMilliPerUnit));
}

void write_index_units(JsonWriter& out, std::string_view member,
                       const std::vector<ConsumedCapacity::IndexUnits>& indexes) {
  if (indexes.empty()) return;
  out.key(member);
  out.begin_object();
  for (const auto& index : indexes) {
    out.key(index.name);
    out.begin_object();
    write_units(out, index.units_milli);
    out.end_object();
  }
  out.end_object();
}

}  // namespace

std::int64_t write_units_milli(std::size_t size_bytes) {
  return started(size_bytes, limits::kWriteUnitBytes) * kMilliPerUnit;
}

std::int64_t read_units_milli(std::size_t size_bytes, bool consistent) {
  return started(size_bytes, limits::kReadUnitBytes) *
         (consistent ? kMilliPerUnit : kMilliPerUnit / 2);
}

std::int64_t ConsumedCapacity::total_units_milli() const {
  const auto add = [](std::int64_t sum, const IndexUnits& index) {
    return sum + index.units_milli;
  };
  const std::int64_t local =
      std::accumulate(local_indexes.begin(), local_indexes.end(), table_units_milli, add);
  return std::accumulate(global_indexes.begin(), global_indexes.end(), local, add);
}

void write_consumed_capacity(JsonWriter& out, ReturnConsumedCapacity wanted,
                             std::string_view table_name, const ConsumedCapacity& consumed) {
  if (wanted == ReturnConsumedCapacity::None) return;
  out.key("ConsumedCapacity");
  out.begin_object();
  out.member("TableName", table_name);
  write_units(out, consumed.total_units_milli());
  if (wanted == ReturnConsumedCapacity::Indexes) {
    out.key("Table");
    out.begin_object();
    write_units(out, consumed.table_units_milli);
    out.end_object();
    write_index_units(out, "LocalSecondaryIndexes", consumed.local_indexes);
    write_index_units(out, "GlobalSecondaryIndexes", consumed.global_indexes);
  }
  out.end_object();
}

}  // namespace stator
