// Plans of reads that walk through a table or an index, as plain values: a
// Query or a Scan, whoever asks for it. They name no table, and refer to what
// they were made from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "engine/pages/read_target.h"
#include "engine/storage/item_store.h"
#include "protocol/arena.h"
#include "protocol/expression/condition.h"
#include "protocol/expression/key_condition.h"
#include "protocol/expression/projection.h"
#include "protocol/result.h"
#include "protocol/value.h"

namespace stator {

enum class Select : std::uint8_t { AllAttributes, AllProjected, Specific, Count };

struct ReadPlan {
  std::optional<std::string_view> index_name;
  Select select = Select::AllAttributes;
  std::size_t limit = std::numeric_limits<std::size_t>::max();  // of items evaluated
  bool is_consistent = false;
  std::optional<Item> start_key;
  const expr::Condition* filter = nullptr;       // nullptr: every item
  std::span<const expr::Path> filter_paths;      // paths_of(filter)
  const expr::Projection* projection = nullptr;  // nullptr: all there is
};

struct QueryPlan {
  ReadPlan read;
  std::span<const expr::KeyCondition> conditions;
  storage::Direction direction = storage::Direction::Forward;
  bool is_legacy_filter = false;  // the filter was a QueryFilter, and errors call it so
  bool may_filter_keys = false;   // as statements may
  // What an index must carry of the filter's paths, in the order in which names are told; empty:
  // all of them.
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

// All paths in a tree, nullptr being an empty one.
std::span<const expr::Path> paths_of(const expr::Condition* condition, Arena& arena);

// Operands of a filter that no expression could be: of QueryFilter and ScanFilter neither
// conditions nor candidates are limited. 0: an expression could be like it.
std::size_t unlimited_operands(const expr::Condition* filter);

// A global index must carry what is asked for.
Result<void> check_selected(const ReadTarget& target, const ReadPlan& plan);
// The filter of a query: an index must carry what it names, unless items are read from the table.
Result<void> check_filter_carried(const ReadTarget& target, const QueryPlan& plan);
// Whether items must be read from the table, because a local index does not
// carry what is asked for.
bool needs_table_items(const ReadTarget& target, const ReadPlan& plan);

}  // namespace stator
