// The static checks of a parsed condition (parser.h).
#pragma once

#include "protocol/expression/ast.h"
#include "protocol/expression/messages.h"
#include "protocol/expression/parser.h"
#include "protocol/expression/placeholders.h"
#include "protocol/result.h"

namespace stator::expr {

// Who checks that the constants of `<`, BETWEEN and their like have an order.
enum class OrderCheck : std::uint8_t { Here, ByCaller };

// Puts in what the placeholders stand for and reports every error that needs no stored data.
Result<const Condition*> check_condition(const ParsedCondition& parsed, const Messages& messages,
                                         Placeholders& placeholders, OrderCheck order_check);

// The same for a condition of a statement, in which nothing stands for anything else.
Result<void> check_resolved_condition(const ParsedCondition& condition);

}  // namespace stator::expr
