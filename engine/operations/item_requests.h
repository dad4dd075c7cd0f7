// What GetItem, PutItem and DeleteItem share: checks on their parameters, keys, and parts of their
// answers.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "engine/call.h"
#include "engine/capacity.h"
#include "engine/mutation.h"
#include "engine/snapshot.h"
#include "engine/table.h"
#include "protocol/expression/condition.h"
#include "protocol/json_tree.h"
#include "protocol/json_writer.h"
#include "protocol/result.h"
#include "protocol/value.h"

namespace stator {

// The key of an item as the store wants it: ordered bytes. Views into the item.
struct PrimaryKey {
  std::string_view partition;
  std::string_view sort;  // empty without a sort key
};

// `Can not use both expression and non-expression parameters …`; names in the service's order.
Result<void> check_not_mixed(const JsonNode& body, std::initializer_list<std::string_view> legacy,
                             std::initializer_list<std::string_view> expressions, Wording wording);

ReturnConsumedCapacity parse_return_consumed_capacity(const JsonNode& body);

// What PutItem and DeleteItem are asked to answer.
struct WriteAnswer {
  bool returns_old;
  bool returns_old_on_failure;
  bool wants_collection_metrics;
  ReturnConsumedCapacity return_consumed_capacity;
};
// ReturnValues can only be ALL_OLD or NONE here.
Result<WriteAnswer> parse_write_answer(const JsonNode& body, Wording wording);

// Rules for ConditionExpression and its placeholders in a write: first those of the members, then,
// once the values are checked, those of the expression. The condition is nullptr without one.
Result<void> check_condition_parameters(const JsonNode& body, Wording wording);
Result<const expr::Condition*> parse_write_condition(const JsonNode& body, Call& call);

// Conditions, projections and legacy conditions are still to come: a request that has one is
// refused, not half done.
Result<void> refuse_unbuilt(const JsonNode& body, std::initializer_list<std::string_view> names);

// The key inside an item to be put: each key attribute is checked for presence, type, emptiness and
// size.
Result<PrimaryKey> key_of_item(const Table& table, Item item);
// The `Key` of a lookup: exactly the key attributes.
Result<PrimaryKey> key_of_lookup(const Table& table, Item key);
// Index key attributes that the item has must have the right type and not be empty or too long.
Result<void> check_index_keys(const Table& table, Item item);

// A write of one item: what was stored, what will be.
struct ItemChange {
  std::optional<std::string_view> old_record;
  const Item* after = nullptr;  // nullptr: deleted
  std::size_t after_size_bytes = 0;
};
struct WriteOutcome {
  ConsumedCapacity consumed;
  std::int64_t collection_size_bytes = 0;  // after the write; tables with local indexes
};
// ConditionalCheckFailedException unless the stored item, or none, meets the condition (nullptr:
// always met).
Result<void> check_condition(const expr::Condition* condition, const WriteAnswer& answer,
                             const ItemChange& change, Call& call);
// Decides everything besides the record itself: statistics, units, the item collection.
Result<WriteOutcome> account_write(const Table& table, const PrimaryKey& key,
                                   const ItemChange& change, const Snapshot& snapshot,
                                   Mutation& mutation, Call& call);

// Renders the answer. `item_or_key` has at least the partition key.
void render_write(const WriteAnswer& wanted, std::string_view table_name, const Table& table,
                  const ItemChange& change, Item item_or_key, const WriteOutcome& outcome,
                  Call& call);

}  // namespace stator
