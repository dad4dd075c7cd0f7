// WHERE as regions of a table or an index: values of the partition key and ranges of the sort key.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/pages/read_target.h"
#include "protocol/errors/result.h"
#include "protocol/expression/evaluation/key_condition.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/memory/arena.h"
#include "protocol/values/value.h"

namespace stator {

// A condition on records beyond their keys: one condition, or the conjunction of two terms.
struct FilterTerm {
  const expr::Condition* condition = nullptr;
  const FilterTerm* left = nullptr;
  const FilterTerm* right = nullptr;
  bool is_lacking = false;  // it names attributes that the index does not carry
};

struct KeyRegion {
  const Value* partition = nullptr;  // nullptr means any
  std::vector<expr::KeyCondition> sort;
  const FilterTerm* filter = nullptr;  // nullptr means none
  // It has tests of the sort key that are no range, so it may overlap with others.
  bool is_loose = false;
  // The region contains records that WHERE does not allow.
  bool needs_filter = false;
  // Its conditions require two different partition keys, so it contains no record.
  bool is_empty = false;
};

// Whether every branch of the condition gives the partition key.
bool binds_partition(const expr::Condition& condition, const KeyAttribute& key);

// The values that `=` or IN compare the attribute with, wherever in the condition. If it binds the
// partition key, these include that of every record that it allows.
std::vector<const Value*> compared_values(const expr::Condition& condition, std::string_view name);

// Regions that together contain all records the condition allows, at least one of them not empty.
// Stops at count_max + 1 non-empty regions; returns at most as many empty ones. REQUIRES: the
// condition binds the partition key.
std::vector<KeyRegion> find_regions(const expr::Condition& condition, const ReadTarget& target,
                                    std::size_t count_max, Arena& arena);

}  // namespace stator
