// KeyConditionExpression: text to a checked tree, and the tree to one condition per key attribute.
//
// Two steps, because the service checks the shape of the key condition only when every expression
// of the request has been parsed and every placeholder has been used
// (conformance/observed/errors.md 9.2).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "protocol/errors/result.h"
#include "protocol/expression/resolution/placeholders.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/memory/arena.h"
#include "protocol/service/wording.h"
#include "protocol/values/value.h"

namespace stator::expr {

// A query's condition on one key attribute.
struct KeyCondition {
  enum class Operator : std::uint8_t {
    Equal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Between,
    BeginsWith,
    Other,  // only from KeyConditions (legacy_conditions.h): an operator that keys do not support
  };

  std::string_view attribute;
  Operator op = Operator::Equal;
  Value lower = {};  // the operand; Between: the lower bound
  Value upper = {};  // Between only; not less than `lower` and of its type
};

// Parses and reports the errors that a KeyConditionExpression shares with other conditions, in the
// service's order. Marks the placeholders used. The tree lives in `arena` and refers to `text` and
// to the source of `placeholders`.
Result<const Condition*> parse_key_condition(std::string_view text, Placeholders& placeholders,
                                             Wording wording, Arena& arena);

// The conditions in the order of the text: at least one, no two on the same attribute. Reports
// every other error that needs no schema; the caller compares their number with the schema. `=`
// takes constants of every type, the other operators only types that have an order.
Result<std::span<const KeyCondition>> read_key_conditions(const Condition& condition,
                                                          Wording wording, Arena& arena);

}  // namespace stator::expr
