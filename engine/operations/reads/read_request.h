// What Query and Scan requests have in common: their shared members and the rules for Select.
#pragma once

#include <string_view>

#include "engine/call/call.h"
#include "engine/operations/request_members.h"
#include "engine/operations/resources.h"
#include "engine/pages/read_plan.h"
#include "protocol/expression/placeholders.h"
#include "protocol/json_tree.h"
#include "protocol/result.h"

namespace stator {

// Views into the body; Plan is a QueryPlan or a ScanPlan. Lives in the call's arena.
template <class Plan>
struct PageRequest {
  std::string_view table_name;
  ReturnConsumedCapacity return_consumed_capacity;
  Plan plan;
};

// The members without rules of their own; tells the call of them. Select, start key, filter and
// projection are still to be read.
ReadPlan read_common_members(const JsonNode& body, Call& call);

// FilterExpression and ProjectionExpression, in this order, into the plan; the rest of it stays as
// it is where the body has none.
Result<void> parse_filter_and_projection(const JsonNode& body, expr::Placeholders& placeholders,
                                         ReadPlan& plan, Call& call);

// Checks Select against the members that go with it. `is_query`: the new layer's wording differs.
Result<Select> parse_select(const JsonNode& body, bool is_query, Wording wording);

// The table or the index that a page is read from.
void read_resources(std::string_view table_name, const ReadPlan& plan, Resources& touched);

}  // namespace stator
