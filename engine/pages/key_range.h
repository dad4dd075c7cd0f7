// Matches the key conditions of a Query with the key schema of its target: the partition, and the
// range of sort bytes in it.
#pragma once

#include <span>
#include <string_view>

#include "engine/pages/read_target.h"
#include "engine/storage/stores/item_store.h"
#include "protocol/errors/result.h"
#include "protocol/expression/evaluation/key_condition.h"
#include "protocol/memory/arena.h"
#include "protocol/service/wording.h"

namespace stator {

struct KeyRange {
  std::string_view partition;
  storage::SortRange sort;
  bool has_sort_condition;
  bool is_one_item;  // the table's whole key is given: at most one item

  // Whether a record with these sort bytes is in the range.
  bool contains(std::string_view sort_bytes) const {
    return sort_bytes >= sort.lower && (sort.upper.empty() || sort_bytes < sort.upper);
  }
};

// Converts conditions to a range. Every partition key needs `=`; sort keys are used from the first
// on, and only the last one used may have another operator. The range refers to `arena` and to the
// conditions.
Result<KeyRange> key_range(const ReadTarget& target, std::span<const expr::KeyCondition> conditions,
                           Wording wording, Arena& arena);

// The old wording rejects more than two conditions even before the table lookup, except on an index
// of many keys (ReadTarget::has_many_keys()).
Result<void> check_old_count(std::span<const expr::KeyCondition> conditions, bool has_many_keys,
                             Wording wording);

}  // namespace stator
