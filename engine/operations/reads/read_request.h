// Shared by Query and Scan requests: common members and the rules for Select.
#pragma once

#include <string_view>

#include "engine/call/call.h"
#include "engine/operations/request_members.h"
#include "engine/operations/resources.h"
#include "engine/pages/read_plan.h"
#include "protocol/errors/result.h"
#include "protocol/expression/resolution/placeholders.h"
#include "protocol/json/json_tree.h"
#include "protocol/memory/arena.h"
#include "protocol/service/wording.h"

namespace stator {

// Views into the body; Plan is a QueryPlan or a ScanPlan. Lives in the call's arena.
template <class Plan>
struct PageRequest {
  std::string_view table_name;
  ReturnConsumedCapacity return_consumed_capacity;
  Plan plan;
};

// Reads the members without rules of their own and records them in the call. Does not read Select,
// start key, filter and projection.
ReadPlan read_common_members(const JsonNode& body, Call& call);

// Reads FilterExpression and ProjectionExpression, in this order, into the plan; an absent one
// leaves its part unchanged.
Result<void> parse_filter_and_projection(const JsonNode& body, expr::Placeholders& placeholders,
                                         ReadPlan& plan, Wording wording, Arena& arena);

// Whether names and values of placeholders go with the expressions of a Query.
Result<void> check_placeholders_wanted(const JsonNode& body, Wording wording);

// Reads all expressions of a Query: filter and projection into the plan, as above, and returns the
// key condition, nullptr if absent. `cache` may be nullptr.
Result<const expr::Condition*> parse_read_expressions(const JsonNode& body, ReadPlan& plan,
                                                      Wording wording, Arena& arena,
                                                      expr::ExpressionCache* cache);

// Checks Select against the members that depend on it. `is_query`: the new layer's wording differs.
Result<Select> parse_select(const JsonNode& body, bool is_query, Wording wording);

// The table or the index that a page is read from, without key conditions.
Resource touched_page(std::string_view table_name, const ReadPlan& plan,
                      ReturnConsumedCapacity return_consumed_capacity);

}  // namespace stator
