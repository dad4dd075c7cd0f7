// The parameters for conditions that predate expressions: Expected, QueryFilter, ScanFilter and
// KeyConditions. Each is a map from an attribute's name to an operator with its arguments. They
// become the same trees as expressions, so there is one evaluator. conformance/observed/errors.md
// 8.1 lists the checks of an entry.
//
// REQUIRES: the JSON types and constraints of the members were checked. Names are whole attributes:
// a dot in a name is part of it. Entries are checked in the order of the text; of a repeated name
// the last one counts. Results refer to the body and to the arena.
#pragma once

#include <span>
#include <string_view>

#include "protocol/errors/result.h"
#include "protocol/expression/evaluation/key_condition.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/json/json_tree.h"
#include "protocol/memory/arena.h"
#include "protocol/service/wording.h"

namespace stator::expr {

// Reads `Expected` and `ConditionalOperator` of a write. nullptr if nothing is expected.
Result<const Condition*> read_expected(const JsonNode& body, Wording wording, Arena& arena);

// Reads `member`, which is "QueryFilter" or "ScanFilter", and `ConditionalOperator`. nullptr
// without an entry. Each path in the tree has one element, and each attribute occurs in one entry
// only.
Result<const Condition*> read_filter(const JsonNode& body, std::string_view member, Wording wording,
                                     Arena& arena);

// Reads `KeyConditions`, in the order of the text; no two on one attribute. Empty if the member is
// absent, and in the current profile also if it has no entry. Operators that keys do not support
// (NE, IN, CONTAINS, NOT_CONTAINS, NULL, NOT_NULL) become KeyCondition::Operator::Other, because
// the service rejects them only after the table lookup. The caller compares the number of entries
// with the schema; in the classic profile there is at least one.
Result<std::span<const KeyCondition>> read_key_conditions(const JsonNode& body, Wording wording,
                                                          Arena& arena);

}  // namespace stator::expr
