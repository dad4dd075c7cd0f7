// ConditionExpression and FilterExpression: text to a checked tree, and whether an item meets it.
// The order of the checks is conformance/observed/expressions.md 4, the meaning
// conformance/observed/expressions.md 8.
#pragma once

#include <string_view>

#include "protocol/arena.h"
#include "protocol/expression/ast.h"
#include "protocol/expression/attribute_source.h"
#include "protocol/expression/placeholders.h"
#include "protocol/result.h"
#include "protocol/value.h"
#include "protocol/wording.h"

namespace stator::expr {

// Parses and reports every error that needs no stored data, in the service's order; marks the
// placeholders used. `parameter` ("ConditionExpression") names the expression in messages. The tree
// lives in `arena` and refers to `text` and to what `placeholders` was read from.
Result<const Condition*> parse_condition(std::string_view text, std::string_view parameter,
                                         Placeholders& placeholders, Wording wording, Arena& arena);

// Whether the attributes meet the condition; allocates nothing unless lists or maps are compared
// with others of their size, or searched.
bool matches(const Condition& condition, const AttributeSource& source);

// The same for an item sorted by name. An item that does not exist is an empty one.
bool matches(const Condition& condition, Item item);

}  // namespace stator::expr
