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

struct KeyRegion {
  const Value* partition = nullptr;  // nullptr: any
  std::vector<expr::KeyCondition> sort;
  // It has tests of the sort key that are no range: it may overlap with others.
  bool is_loose = false;
  // The region holds records that WHERE does not allow.
  bool needs_filter = false;
};

// Whether every branch of the condition gives the partition key.
bool binds_partition(const expr::Condition& condition, const KeyAttribute& key);

// Of the branches that OR joins the one that tells what an index lacks: that with the greatest
// value for the partition key; nullptr: a branch lacks nothing. REQUIRES: it binds the partition
// key.
const expr::Condition* telling_branch(const expr::Condition& condition, const ReadTarget& target,
                                      Arena& arena);

// The regions that together hold all the condition allows; as soon as there are more than
// `count_max`, one more than that. REQUIRES: it binds the partition key.
std::vector<KeyRegion> find_regions(const expr::Condition& condition, const ReadTarget& target,
                                    std::size_t count_max);

}  // namespace stator
