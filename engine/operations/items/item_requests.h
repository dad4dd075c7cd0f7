// What the requests for single items share: checks on their parameters, and the way of a write from
// its plan to its answer.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/call/call.h"
#include "engine/items/item_decision.h"
#include "engine/items/item_plan.h"
#include "engine/operations/request_members.h"
#include "engine/operations/resources.h"
#include "engine/state/mutation.h"
#include "engine/state/snapshot.h"
#include "protocol/json_tree.h"
#include "protocol/result.h"
#include "protocol/wording.h"

namespace stator {

enum class ReturnValues : std::uint8_t { None, AllOld, AllNew, UpdatedOld, UpdatedNew };

// What a write is asked to answer.
struct WriteAnswer {
  ReturnValues returns;
  bool returns_old_on_failure;
  bool wants_collection_metrics;
  ReturnConsumedCapacity return_consumed_capacity;
};
// For PutItem and DeleteItem, whose ReturnValues can only be ALL_OLD or NONE.
Result<WriteAnswer> parse_write_answer(const JsonNode& body, Wording wording);
// For UpdateItem.
WriteAnswer parse_update_answer(const JsonNode& body);

// Rules for the condition of PutItem and DeleteItem: first those of the members, then, once the
// values are checked, those of Expected or of ConditionExpression and its placeholders. The
// condition is nullptr without one.
Result<void> check_condition_parameters(const JsonNode& body, Wording wording);
Result<const expr::Condition*> parse_write_condition(const JsonNode& body, Call& call);

// PutItem, UpdateItem or DeleteItem; lives in the call's arena.
struct WriteRequest {
  std::string_view table_name;
  WritePlan plan;
  WriteAnswer answer;
};

// What the three have in common once they are parsed; they derive from it.
struct WriteOperation {
  using Request = WriteRequest;

  // Decides, enters and renders.
  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call);
  static void resources(const Request& request, Resources& touched);
};

// For the decisions of one request; `mutation` is where they will be entered.
WriteContext write_context(const Snapshot& snapshot, Mutation& mutation, Call& call,
                           const DecidedCollections* earlier = nullptr);

// What becomes of the one item that a request writes; tells the call of the units. The condition
// may have failed. Errors: the plan does not fit the table, a transaction in flight holds the item,
// the write is refused.
Result<Decision> decide_write(const Table& table, const WritePlan& plan, const Snapshot& snapshot,
                              Mutation& mutation, Call& call);

}  // namespace stator
