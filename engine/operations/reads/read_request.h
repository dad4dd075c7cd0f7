// What Query and Scan requests have in common: their shared members, the rules for Select, and
// what is asked of the items read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/call/call.h"
#include "engine/operations/reads/read_target.h"
#include "engine/operations/request_members.h"
#include "protocol/expression/condition.h"
#include "protocol/expression/placeholders.h"
#include "protocol/expression/projection.h"
#include "protocol/json_tree.h"
#include "protocol/result.h"
#include "protocol/value.h"

namespace stator {

enum class Select : std::uint8_t { AllAttributes, AllProjected, Specific, Count };

// Views into the body; lives in the call's arena.
struct ReadRequest {
  std::string_view table_name;
  std::optional<std::string_view> index_name;
  Select select;
  std::size_t limit;  // of items evaluated
  bool is_consistent;
  ReturnConsumedCapacity return_consumed_capacity;
  std::optional<Item> start_key;
  const expr::Condition* filter;             // nullptr: every item
  std::span<const expr::Path> filter_paths;  // all paths in the filter
  const expr::Projection* projection;        // nullptr: all there is
};

// The members without rules of their own; tells the call of them. Select, start key, filter and
// projection are still to be read.
ReadRequest read_common_members(const JsonNode& body, Call& call);

// FilterExpression and ProjectionExpression, in this order, into the request; the rest of it stays
// as it is where the body has none.
Result<void> parse_filter_and_projection(const JsonNode& body, expr::Placeholders& placeholders,
                                         ReadRequest& request, Call& call);

// Checks Select against the members that go with it. `is_query`: the new layer's wording differs.
Result<Select> parse_select(const JsonNode& body, bool is_query, Wording wording);

// All paths in a tree, nullptr being an empty one.
std::span<const expr::Path> paths_of(const expr::Condition* condition, Arena& arena);

// A global index must carry what is asked for.
Result<void> check_selected(const ReadTarget& target, const ReadRequest& request);
// Whether items must be read from the table, because a local index does not carry what is asked
// for.
bool needs_table_items(const ReadTarget& target, const ReadRequest& request);

}  // namespace stator
