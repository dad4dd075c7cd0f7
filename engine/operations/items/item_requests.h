// Shared by the requests for single items: checks of their parameters, what a write touches, and
// the steps of a write from its plan to its response.
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
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"
#include "protocol/service/wording.h"

namespace stator {

enum class ReturnValues : std::uint8_t { None, AllOld, AllNew, UpdatedOld, UpdatedNew };

std::string_view to_text(ReturnValues value);

// What the response to a write contains.
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
// values are checked, those of Expected or of ConditionExpression and its placeholders. nullptr
// without a condition.
Result<void> check_condition_parameters(const JsonNode& body, Wording wording);
Result<const expr::Condition*> parse_write_condition(const JsonNode& body, Call& call);

// PutItem, UpdateItem or DeleteItem; lives in the call's arena.
struct WriteRequest {
  std::string_view table_name;
  WritePlan plan;
  WriteAnswer answer;
};

// Base of the three operations: everything after parsing.
struct WriteOperation {
  using Request = WriteRequest;

  // Decides, stages and renders.
  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call);
  static void resources(const Request& request, Resources& touched);
};

// The write of one item, with the action of its kind: PutItem, UpdateItem, DeleteItem or
// ConditionCheckItem. The caller sets what depends on the operation.
Resource touched_write(std::string_view table_name, const WritePlan& plan);

// The context for the decisions of one request, which will be staged in `mutation`.
WriteContext write_context(const Snapshot& snapshot, Mutation& mutation, Call& call,
                           const DecidedCollections* earlier = nullptr);

// Decides a single-item write and adds its units to the call. The condition may have failed.
// Errors: the plan does not fit the table, a transaction in flight holds the item, the write is
// rejected.
Result<Decision> decide_write(const Table& table, const WritePlan& plan, const Snapshot& snapshot,
                              Mutation& mutation, Call& call);

}  // namespace stator
