// Parses expression text by recursive descent. Reports syntax errors and all others that need only
// the text; ignores placeholders' meaning.
//
// At most kNestingMax open parentheses (functions' included) bound the recursion; runs of NOT are
// read in a loop, and a chain of AND or OR is one node. A valid text never reaches the bound: a
// pair of parentheses that is not redundant costs an operator, of which there may be 300, or
// belongs to a function, and 4096 bytes hold at most 682 levels of `size(` and `)`.
//
// Trees live in `arena` and refer to `text`. In a parsed tree every function is known and allowed
// where it stands, no identifier is a reserved word, and no index is above kListIndexMax.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "protocol/errors/result.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/expression/syntax/messages.h"
#include "protocol/memory/arena.h"

namespace stator::expr {

inline constexpr std::size_t kNestingMax = 700;

struct ParsedCondition {
  Condition* root;
  std::size_t operators;             // comparators, AND, OR, NOT, BETWEEN, IN
  std::size_t too_many_in_operands;  // operands of the first IN that has too many; 0 if none
};

Result<ParsedCondition> parse_condition_text(std::string_view text, const Messages& messages,
                                             Arena& arena);

// Returns at least one path.
Result<std::span<Path>> parse_projection_text(std::string_view text, const Messages& messages,
                                              Arena& arena);

// Returns at least one action; each section occurs at most once.
Result<Update*> parse_update_text(std::string_view text, const Messages& messages, Arena& arena);

}  // namespace stator::expr
