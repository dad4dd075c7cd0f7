// Capacity units: the arithmetic of what a request consumes, and how the answer reports it.
// Thousandths of a unit throughout, so that half units stay whole numbers. The rules are
// conformance/observed/capacity.md 2 and 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/schema/table.h"
#include "protocol/json_writer.h"

namespace stator {

inline constexpr std::int64_t kMilliPerUnit = 1000;

// One unit per started 1 KB, at least one.
std::int64_t write_units_milli(std::size_t size_bytes);
// One unit per started 4 KB, at least one; half of it when eventually consistent.
std::int64_t read_units_milli(std::size_t size_bytes, bool consistent);

enum class ReturnConsumedCapacity : std::uint8_t { None, Total, Indexes };

// What one request consumed. Index names are views into the Table.
struct ConsumedCapacity {
  struct IndexUnits {
    std::string_view name;
    std::int64_t units_milli;
  };
  std::int64_t table_units_milli = 0;
  std::vector<IndexUnits> local_indexes;   // those that were charged
  std::vector<IndexUnits> global_indexes;  // those that were charged

  std::int64_t total_units_milli() const;
  // Adds what a further access to the same table consumed.
  void add(const ConsumedCapacity& other);
};

// Writes the member "ConsumedCapacity", or nothing for None. `table_name` as the request had it: a
// name or an ARN.
void write_consumed_capacity(JsonWriter& out, ReturnConsumedCapacity wanted,
                             std::string_view table_name, const ConsumedCapacity& consumed);

// What a request on several tables consumed of one of them.
struct TableCapacity {
  std::string_view table_name;  // as the request had it
  ConsumedCapacity consumed;
};
// Writes the member as the list of such requests, sorted by name.
void write_consumed_capacities(JsonWriter& out, ReturnConsumedCapacity wanted,
                               std::span<const TableCapacity> tables);

}  // namespace stator
