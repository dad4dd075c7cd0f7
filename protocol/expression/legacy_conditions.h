// The parameters that conditions had before expressions: Expected, QueryFilter, ScanFilter and
// KeyConditions, each a map from an attribute's name to an operator with its arguments. They become
// the same trees as expressions, so there is one evaluation. The checks of an entry are
// conformance/observed/errors.md 8.1.
//
// The JSON types and constraints of the members are checked already. Names are whole attributes: a
// dot in one is part of it. Entries are checked in the order of the text; of a repeated name the
// last one counts. What is read refers to the body and to the arena.
#pragma once

#include <span>
#include <string_view>

#include "protocol/arena.h"
#include "protocol/expression/ast.h"
#include "protocol/expression/key_condition.h"
#include "protocol/json_tree.h"
#include "protocol/result.h"
#include "protocol/wording.h"

namespace stator::expr {

// `Expected` and `ConditionalOperator` of a write. nullptr when nothing is expected.
Result<const Condition*> read_expected(const JsonNode& body, Wording wording, Arena& arena);

// `member` is "QueryFilter" or "ScanFilter"; reads `ConditionalOperator` too. nullptr without an
// entry. The tree's paths have one element each, and each attribute is named by one entry.
Result<const Condition*> read_filter(const JsonNode& body, std::string_view member, Wording wording,
                                     Arena& arena);

// `KeyConditions`, in the order of the text; never two for one attribute. Empty when the member is
// absent, and in the current profile also when it has no entry. An operator that is none of a key
// condition's (NE, IN, CONTAINS, NOT_CONTAINS, NULL, NOT_NULL) is KeyCondition::Operator::Other:
// the service refuses it only after the table lookup. The caller counts the entries against the
// schema; in the classic profile there is at least one.
Result<std::span<const KeyCondition>> read_key_conditions(const JsonNode& body, Wording wording,
                                                          Arena& arena);

}  // namespace stator::expr
