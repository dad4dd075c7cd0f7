// KeyConditionExpression: text to a checked tree, and the tree to one condition per key attribute.
//
// Two steps, because the service checks the shape of the key condition only when every expression
// of the request has been parsed and every placeholder has been used
// (conformance/observed/errors.md 9.2).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "protocol/arena.h"
#include "protocol/expression/ast.h"
#include "protocol/expression/placeholders.h"
#include "protocol/result.h"
#include "protocol/value.h"
#include "protocol/wording.h"

namespace stator::expr {

// What a query asks of one key attribute.
struct KeyCondition {
  enum class Operator : std::uint8_t {
    Equal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Between,
    BeginsWith,
    Other,  // only from KeyConditions (legacy_conditions.h): no operator of a key condition
  };

  std::string_view attribute;
  Operator op = Operator::Equal;
  Value lower = {};  // the operand; Between: the lower bound
  Value upper = {};  // Between only; not less than `lower` and of its type
};

// Parses and reports the errors a KeyConditionExpression shares with other conditions, in the
// service's order; marks the placeholders used. The tree lives in `arena` and refers to `text` and
// to what `placeholders` was read from.
Result<const Condition*> parse_key_condition(std::string_view text, Placeholders& placeholders,
                                             Wording wording, Arena& arena);

// The conditions in the order of the text, for at least one attribute and never two for the same.
// Reports everything else that makes a condition no key condition and needs no schema; the caller
// counts them against the schema. `=` takes constants of every type, the other operators only those
// that have an order.
Result<std::span<const KeyCondition>> read_key_conditions(const Condition& condition,
                                                          Wording wording, Arena& arena);

}  // namespace stator::expr
