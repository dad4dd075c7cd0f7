// What the operations on single items share: checks on their parameters, and parts of their
// answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "engine/call/call.h"
#include "engine/items/item_write.h"
#include "engine/schema/capacity.h"
#include "engine/schema/table.h"
#include "protocol/expression/condition.h"
#include "protocol/json_tree.h"
#include "protocol/json_writer.h"
#include "protocol/result.h"
#include "protocol/value.h"

namespace stator {

// `Can not use both expression and non-expression parameters …`; names in the service's order.
Result<void> check_not_mixed(const JsonNode& body, std::initializer_list<std::string_view> legacy,
                             std::initializer_list<std::string_view> expressions, Wording wording);

ReturnConsumedCapacity parse_return_consumed_capacity(const JsonNode& body);

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

// ConditionalCheckFailedException unless the stored item, or none, meets the condition (nullptr:
// always met). `after_size_bytes` is billed when the proposed item is the larger one; 0 without
// one.
Result<void> check_condition(const expr::Condition* condition, const WriteAnswer& answer,
                             const StoredItem& before, std::size_t after_size_bytes, Call& call);

// The metrics of one item collection, an object. `item_or_key` has at least the partition key.
void write_collection_metrics(JsonWriter& out, const Table& table, Item item_or_key,
                              std::int64_t size_bytes);

// Renders the answer and notes the units for the log. `item_or_key` as above; `attributes` are
// those of ReturnValues, left out when there are none (the old item is known without them).
void render_write(const WriteAnswer& wanted, std::string_view table_name, const ItemChange& change,
                  Item item_or_key, const WriteOutcome& outcome, Call& call, Item attributes = {});

}  // namespace stator
