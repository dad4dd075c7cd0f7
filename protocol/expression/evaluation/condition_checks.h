// The static checks of a parsed condition (parser.h).
#pragma once

#include "protocol/errors/result.h"
#include "protocol/expression/resolution/placeholders.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/expression/syntax/messages.h"
#include "protocol/expression/syntax/parser.h"

namespace stator::expr {

// Which side checks that constants of `<`, BETWEEN and similar operators have a type with an order.
enum class OrderCheck : std::uint8_t { Here, ByCaller };

// Resolves the placeholders and reports every error that needs no stored data.
Result<const Condition*> check_condition(const ParsedCondition& parsed, const Messages& messages,
                                         Placeholders& placeholders, OrderCheck order_check);

// Checks a condition of a statement, which has no placeholders.
Result<void> check_resolved_condition(const ParsedCondition& condition);

}  // namespace stator::expr
