// Plans of reads of a table or an index, as plain values: a Query or a Scan from any source. They
// name no table and refer to their source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "engine/pages/read_target.h"
#include "engine/storage/stores/item_store.h"
#include "protocol/errors/result.h"
#include "protocol/expression/evaluation/condition.h"
#include "protocol/expression/evaluation/key_condition.h"
#include "protocol/expression/evaluation/projection.h"
#include "protocol/memory/arena.h"
#include "protocol/values/value.h"

namespace stator {

enum class Select : std::uint8_t { AllAttributes, AllProjected, Specific, Count };

struct ReadPlan {
  std::optional<std::string_view> index_name;
  Select select = Select::AllAttributes;
  std::size_t limit = std::numeric_limits<std::size_t>::max();  // items evaluated
  bool is_consistent = false;
  std::optional<Item> start_key;
  const expr::Condition* filter = nullptr;       // nullptr: every item matches
  std::span<const expr::Path> filter_paths;      // paths_of(filter)
  const expr::Projection* projection = nullptr;  // nullptr: all attributes
};

struct QueryPlan {
  ReadPlan read;
  std::span<const expr::KeyCondition> conditions;
  storage::Direction direction = storage::Direction::Forward;
  bool is_legacy_filter = false;  // the filter was a QueryFilter, as errors call it
  bool may_filter_keys = false;   // allowed in statements
  // The filter's paths that an index must carry, in the order in which errors name them; empty: all
  // its paths.
  std::optional<std::span<const expr::Path>> needed_paths;
};

// One of `total` equal parts of the hash space.
struct Segment {
  std::uint64_t number = 0;
  std::uint64_t total = 1;

  std::uint32_t begin() const { return border(number); }
  std::uint32_t end() const { return border(number + 1); }

 private:
  std::uint32_t border(std::uint64_t of) const;
};

struct ScanPlan {
  ReadPlan read;
  Segment segment;
};

// All paths in a tree; nullptr is an empty tree.
std::span<const expr::Path> paths_of(const expr::Condition* condition, Arena& arena);

// Number of the filter's operands if no expression could have as many: QueryFilter and ScanFilter
// limit neither conditions nor candidates. 0 if an expression could.
std::size_t unlimited_operands(const expr::Condition* filter);

// Checks that a global index carries the selected attributes.
Result<void> check_selected(const ReadTarget& target, const ReadPlan& plan);
// Checks that an index carries the attributes of a query's filter, unless items are read from the
// table.
Result<void> check_filter_carried(const ReadTarget& target, const QueryPlan& plan);
// Whether items must be read from the table, because a local index does not carry the selected
// attributes.
bool needs_table_items(const ReadTarget& target, const ReadPlan& plan);

}  // namespace stator
