// Parses expression text. Reports syntax errors and all others that need only
// the text; ignores placeholders' meaning.
//
// Parentheses and functions are kept on a stack of their own, and a chain of AND or OR is one node,
// so that the nesting of a text is bounded by its length alone, and a text that nests too deeply
// has the error that it would have otherwise. A valid tree is at most 1024 nodes deep: `size(` and
// `)` need 6 bytes, `NOT ` needs 4.
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
