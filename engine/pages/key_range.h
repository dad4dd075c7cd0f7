// Key conditions of a Query against the key schema of what it reads: the
// partition, and the range of sort bytes in it.
#pragma once

#include <span>
#include <string_view>

#include "engine/pages/read_target.h"
#include "engine/storage/item_store.h"
#include "protocol/arena.h"
#include "protocol/expression/key_condition.h"
#include "protocol/result.h"
#include "protocol/wording.h"

namespace stator {

struct KeyRange {
  std::string_view partition;
  storage::SortRange sort;
  bool has_sort_condition;
  bool is_one_item;  // the whole key of a table is given: one item at most

  // Whether a record with these sort bytes is inside.
  bool contains(std::string_view sort_bytes) const {
    return sort_bytes >= sort.lower && (sort.upper.empty() || sort_bytes < sort.upper);
  }
};

// Every partition key needs its `=`; sort keys are used from the first on, and
// only the last one used may have another operator. What the range refers to
// lives in `arena` or in the conditions.
Result<KeyRange> key_range(const ReadTarget& target, std::span<const expr::KeyCondition> conditions,
                           Wording wording, Arena& arena);

// In the old wording more than two conditions are refused even before the table is looked up; on an
// index of many keys (ReadTarget::has_many_keys()) they are not.
Result<void> check_old_count(std::span<const expr::KeyCondition> conditions, bool has_many_keys,
                             Wording wording);

}  // namespace stator
