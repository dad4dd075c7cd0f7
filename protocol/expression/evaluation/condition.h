// ConditionExpression and FilterExpression: text to a checked tree, and whether an item meets it.
// The order of the checks is conformance/observed/expressions.md 4, the meaning
// conformance/observed/expressions.md 8.
#pragma once

#include <string_view>

#include "protocol/errors/result.h"
#include "protocol/expression/evaluation/attribute_source.h"
#include "protocol/expression/resolution/placeholders.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/memory/arena.h"
#include "protocol/service/wording.h"
#include "protocol/values/value.h"

namespace stator::expr {

// Parses and reports every error that needs no stored data, in the service's order. Marks the
// placeholders used. `parameter` ("ConditionExpression") names the expression in messages. The tree
// lives in `arena` and refers to `text` and to the source of `placeholders`.
Result<const Condition*> parse_condition(std::string_view text, std::string_view parameter,
                                         Placeholders& placeholders, Wording wording, Arena& arena);

// Whether the attributes meet the condition. Allocates only to compare lists or maps of equal size
// or to search them.
bool matches(const Condition& condition, const AttributeSource& source);

// Whether an item sorted by name meets the condition. A missing item is an empty one.
bool matches(const Condition& condition, Item item);

}  // namespace stator::expr
