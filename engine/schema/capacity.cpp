#include "engine/schema/capacity.h"

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

void write_table_capacity(JsonWriter& out, ReturnConsumedCapacity wanted,
                          std::string_view table_name, const ConsumedCapacity& consumed) {
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

void ConsumedCapacity::add(const ConsumedCapacity& other) {
  const auto add_indexes = [](std::vector<IndexUnits>& sums, const std::vector<IndexUnits>& units) {
    for (const IndexUnits& index : units) {
      const auto sum = std::find_if(sums.begin(), sums.end(), [&](const IndexUnits& known) {
        return known.name == index.name;
      });
      if (sum != sums.end()) {
        sum->units_milli += index.units_milli;
      } else {
        sums.push_back(index);
      }
    }
  };
  table_units_milli += other.table_units_milli;
  add_indexes(local_indexes, other.local_indexes);
  add_indexes(global_indexes, other.global_indexes);
}

void write_consumed_capacity(JsonWriter& out, ReturnConsumedCapacity wanted,
                             std::string_view table_name, const ConsumedCapacity& consumed) {
  if (wanted == ReturnConsumedCapacity::None) return;
  out.key("ConsumedCapacity");
  write_table_capacity(out, wanted, table_name, consumed);
}

void write_consumed_capacities(JsonWriter& out, ReturnConsumedCapacity wanted,
                               std::span<const TableCapacity> tables) {
  if (wanted == ReturnConsumedCapacity::None) return;
  std::vector<const TableCapacity*> sorted;
  for (const TableCapacity& table : tables) sorted.push_back(&table);
  std::sort(sorted.begin(), sorted.end(), [](const TableCapacity* a, const TableCapacity* b) {
    return a->table_name < b->table_name;
  });
  out.key("ConsumedCapacity");
  out.begin_array();
  for (const TableCapacity* table : sorted)
    write_table_capacity(out, wanted, table->table_name, table->consumed);
  out.end_array();
}

}  // namespace stator
