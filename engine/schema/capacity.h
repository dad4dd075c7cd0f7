// Capacity units: the arithmetic of what a request consumes. All amounts are thousandths of a unit,
// so that half units stay whole numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace stator {

inline constexpr std::int64_t kMilliPerUnit = 1000;

// One unit per started 1 KB, at least one.
std::int64_t write_units_milli(std::size_t size_bytes);
// One unit per started 4 KB, at least one; half of it for an eventually consistent read.
std::int64_t read_units_milli(std::size_t size_bytes, bool consistent);

// The cost of one access to one partition of a table or an index.
struct Charge {
  enum class Of : std::uint8_t { Table, LocalIndex, GlobalIndex };
  Of of = Of::Table;
  std::string_view index_name = {};  // a view into the Table
  // The partition key's bytes in that space; the charge's position is their
  // storage::partition_hash().
  std::string_view partition = {};
  std::int64_t units_milli = 0;
  std::string_view sort = {};  // ordered bytes in that space; empty if none or several items
  // The position of a charge without one partition key, such as a part of a Scan.
  std::optional<std::uint32_t> hash = {};
};

std::int64_t total_units_milli(std::span<const Charge> charges);

// The units that one request consumed of one table. Index names are views into the Table.
struct ConsumedCapacity {
  struct IndexUnits {
    std::string_view name;
    std::int64_t units_milli;
  };
  std::int64_t table_units_milli = 0;
  std::vector<IndexUnits> local_indexes;   // only indexes that were charged
  std::vector<IndexUnits> global_indexes;  // only indexes that were charged

  std::int64_t total_units_milli() const;
  void add(const Charge& charge);
  void add(std::span<const Charge> charges);
};

}  // namespace stator
