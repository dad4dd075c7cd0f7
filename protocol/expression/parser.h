// Expression text to tree, by recursive descent: syntax and the errors that can be told from the
// text alone. Placeholders are not looked at.
//
// Recursion is bounded by kNestingMax open parentheses (those of functions included), runs of NOT
// are read in a loop, and chains of AND or OR are one node. An acceptable text never reaches the
// bound: every pair of parentheses that is not redundant costs an operator, of which there may be
// 300, or belongs to a function, of which 4096 bytes hold at most 682 levels: `size(` and `)`.
//
// Trees live in `arena` and refer to `text`. Every function is known and allowed where it stands,
// no identifier is a reserved word, no index is beyond kListIndexMax.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "protocol/arena.h"
#include "protocol/expression/ast.h"
#include "protocol/expression/messages.h"
#include "protocol/result.h"

namespace stator::expr {

inline constexpr std::size_t kNestingMax = 700;

struct ParsedCondition {
  Condition* root;
  std::size_t operators;             // comparators, AND, OR, NOT, BETWEEN, IN
  std::size_t too_many_in_operands;  // of the first IN that has too many, or 0
};

Result<ParsedCondition> parse_condition_text(std::string_view text, const Messages& messages,
                                             Arena& arena);

// At least one path.
Result<std::span<Path>> parse_projection_text(std::string_view text, const Messages& messages,
                                              Arena& arena);

// At least one action, each section at most once.
Result<Update*> parse_update_text(std::string_view text, const Messages& messages, Arena& arena);

}  // namespace stator::expr
