// WHERE as the parts of a table or an index that it allows: the values it gives to the partition
// key, and the ranges of the sort key.
#pragma once

#include <span>
#include <vector>

#include "engine/pages/read_target.h"
#include "protocol/arena.h"
#include "protocol/expression/ast.h"
#include "protocol/expression/key_condition.h"
#include "protocol/result.h"

namespace stator {

// What records must meet besides what their keys must: one condition, or two of these.
struct FilterTerm {
  const expr::Condition* condition = nullptr;
  const FilterTerm* left = nullptr;
  const FilterTerm* right = nullptr;
  bool is_lacking = false;  // it names what records of the index do not carry
};

struct KeyRegion {
  const Value* partition = nullptr;  // nullptr: any
  std::vector<expr::KeyCondition> sort;
  const FilterTerm* filter = nullptr;  // nullptr: nothing
  // It has tests of the sort key that are no range: it may overlap with others.
  bool is_loose = false;
  // The region holds records that WHERE does not allow.
  bool needs_filter = false;
  // Its conditions ask for two partition keys: there is nothing in it.
  bool is_empty = false;
};

// Whether every branch of the condition gives the partition key.
bool binds_partition(const expr::Condition& condition, const KeyAttribute& key);

// The regions that together hold all the condition allows, at least one of them not empty. As soon
// as more than `count_max` are not empty, one more than that; of empty ones no more than that.
// REQUIRES: it binds the partition key.
std::vector<KeyRegion> find_regions(const expr::Condition& condition, const ReadTarget& target,
                                    std::size_t count_max, Arena& arena);

}  // namespace stator
