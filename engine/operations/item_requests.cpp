#include "engine/operations/item_requests.h"

#include <algorithm>
#include <string>

#include "engine/index.h"
#include "engine/storage/item_codec.h"
#include "protocol/item_size.h"
#include "protocol/limits.h"
#include "protocol/shape.h"

namespace stator {
namespace {

// Whether any of the members is present.
bool has_any(const JsonNode& body, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return body.find(name) != nullptr; });
}

std::string present_names(const JsonNode& body, std::initializer_list<std::string_view> names) {
  std::string list;
  for (const std::string_view name : names) {
    if (body.find(name) == nullptr) continue;
    if (!list.empty()) list += ", ";
    list += name;
  }
  return list;
}

std::string_view empty_kind(Type type) {
  return type == Type::B ? "empty binary value" : "empty string value";
}

Error empty_key(const KeyAttribute& key, Type type) {
  std::string message(kNotValidParameter);
  message.append("The AttributeValue for a key attribute cannot contain an ")
      .append(empty_kind(type));
  return Error::validation(message.append(". Key: ").append(key.name));
}

Error partition_key_too_long() {
  return Error::validation(std::string(kInvalidParameter) +
                           "Size of hashkey has exceeded the maximum size limit of" +
                           std::to_string(limits::kPartitionKeyBytesMax) + " bytes");
}

Error sort_key_too_long() {
  return Error::validation(std::string(kInvalidParameter) +
                           "Aggregated size of all range keys has exceeded the size limit of " +
                           std::to_string(limits::kSortKeyBytesMax) + " bytes");
}

bool is_empty_key(const Value& value) { return value.type() != Type::N && value.bytes().empty(); }

// Numbers are never too long: their ordered bytes are few.
Result<void> check_key_size(std::string_view bytes, bool is_partition) {
  if (is_partition && bytes.size() > limits::kPartitionKeyBytesMax) return partition_key_too_long();
  if (!is_partition && bytes.size() > limits::kSortKeyBytesMax) return sort_key_too_long();
  return {};
}

Result<std::string_view> key_value_of_item(const KeyAttribute& key, Item item, bool is_partition) {
  const Value* value = find_attribute(item, key.name);
  if (value == nullptr) {
    return Error::validation(std::string(kInvalidParameter) + "Missing the key " + key.name +
                             " in the item");
  }
  if (value->type() != key.type) {
    std::string message(kInvalidParameter);
    message.append("Type mismatch for key ")
        .append(key.name)
        .append(" expected: ")
        .append(type_name(key.type));
    return Error::validation(message.append(" actual: ").append(type_name(value->type())));
  }
  if (is_empty_key(*value)) return empty_key(key, key.type);
  STATOR_CHECK(check_key_size(value->bytes(), is_partition));
  return value->bytes();
}

Error key_mismatch() {
  return Error::validation("The provided key element does not match the schema");
}

Result<std::string_view> key_value_of_lookup(const KeyAttribute& key, Item item,
                                             bool is_partition) {
  const Value* value = find_attribute(item, key.name);
  if (value == nullptr || value->type() != key.type) return key_mismatch();
  if (is_empty_key(*value)) return empty_key(key, key.type);
  STATOR_CHECK(check_key_size(value->bytes(), is_partition));
  return value->bytes();
}

Result<void> check_index_key(const KeyAttribute& key, std::string_view index_name, Item item) {
  const Value* value = find_attribute(item, key.name);
  if (value == nullptr) return {};
  if (value->type() != key.type) {
    std::string message(kInvalidParameter);
    message.append("Type mismatch for Index Key ").append(key.name).append(" Expected: ");
    message.append(type_name(key.type)).append(" Actual: ").append(type_name(value->type()));
    return Error::validation(message.append(" IndexName: ").append(index_name));
  }
  if (!is_empty_key(*value)) return {};
  std::string message(kNotValidParameter);
  message.append(
      "A value specified for a secondary index key is not supported. The AttributeValue for a key "
      "attribute ");
  message.append("cannot contain an ")
      .append(empty_kind(key.type))
      .append(". IndexName: ")
      .append(index_name);
  return Error::validation(message.append(", IndexKey: ").append(key.name));
}

// Several sort keys of an index share the limit.
Result<void> check_index_key_sizes(const std::vector<KeyAttribute>& keys, Item item,
                                   bool is_partition) {
  std::size_t size_bytes = 0;
  for (const KeyAttribute& key : keys) {
    const Value* value = find_attribute(item, key.name);
    if (value != nullptr) size_bytes += value->bytes().size();
  }
  const std::size_t size_max =
      is_partition ? limits::kPartitionKeyBytesMax : limits::kSortKeyBytesMax;
  if (size_bytes <= size_max) return {};
  return is_partition ? partition_key_too_long() : sort_key_too_long();
}

template <class Index>
Result<void> check_index(const Index& index, Item item) {
  for (const KeyAttribute& key : index.partition_keys)
    STATOR_CHECK(check_index_key(key, index.name, item));
  for (const KeyAttribute& key : index.sort_keys)
    STATOR_CHECK(check_index_key(key, index.name, item));
  STATOR_CHECK(check_index_key_sizes(index.partition_keys, item, /*is_partition=*/true));
  return check_index_key_sizes(index.sort_keys, item, /*is_partition=*/false);
}

// The item collection of tables with local indexes: its size, and the limit that growing meets.
Result<void> account_collection(const Table& table, const PrimaryKey& key, std::int64_t difference,
                                const Snapshot& snapshot, Mutation& mutation,
                                WriteOutcome& outcome) {
  if (table.local_indexes.empty()) return {};
  STATOR_TRY(const std::int64_t size_bytes, snapshot.collection_size_bytes(table, key.partition));
  outcome.collection_size_bytes = size_bytes + difference;
  if (difference > 0 && outcome.collection_size_bytes > limits::kItemCollectionBytesMax) {
    return Error(ErrorCode::ItemCollectionSizeLimitExceeded, "Collection size exceeded.");
  }
  mutation.count_collection(table.space, key.partition, difference);
  return {};
}

// "ItemCollectionMetrics", for tables with local indexes.
void write_collection_metrics(JsonWriter& out, const Table& table, Item item_or_key,
                              std::int64_t size_bytes) {
  if (table.local_indexes.empty()) return;
  constexpr std::int64_t kBytesPerGb = std::int64_t{1} << 30;
  const auto lower_gb = static_cast<double>(size_bytes / kBytesPerGb);
  out.key("ItemCollectionMetrics");
  out.begin_object();
  out.key("ItemCollectionKey");
  out.begin_object();
  out.key(table.partition_key.name);
  out.before_value();
  append_value_json(out.out(), *find_attribute(item_or_key, table.partition_key.name));
  out.end_object();
  out.key("SizeEstimateRangeGB");
  out.begin_array();
  out.decimal(lower_gb);
  out.decimal(lower_gb + 1);
  out.end_array();
  out.end_object();
}

}  // namespace

Result<void> check_not_mixed(const JsonNode& body, std::initializer_list<std::string_view> legacy,
                             std::initializer_list<std::string_view> expressions, Wording wording) {
  if (!has_any(body, legacy) || !has_any(body, expressions)) return {};
  return Error::validation(
      wording.enveloped("Can not use both expression and non-expression parameters in the same "
                        "request: Non-expression parameters: {" +
                        present_names(body, legacy) + "} Expression parameters: {" +
                        present_names(body, expressions) + "}"));
}

Result<void> check_condition_parameters(const JsonNode& body, Wording wording) {
  STATOR_CHECK(
      check_not_mixed(body, {"Expected", "ConditionalOperator"}, {"ConditionExpression"}, wording));
  const bool has_condition = body.find("ConditionExpression") != nullptr;
  return expr::Placeholders::check_wanted(
      body, has_condition, has_condition ? "" : "ConditionExpression is null", wording);
}

Result<const expr::Condition*> parse_write_condition(const JsonNode& body, Call& call) {
  const auto text = string_member(body, "ConditionExpression");
  if (!text) return nullptr;
  STATOR_TRY(auto placeholders, expr::Placeholders::read(body, call.wording, call.arena));
  STATOR_TRY(
      const expr::Condition* condition,
      expr::parse_condition(*text, "ConditionExpression", placeholders, call.wording, call.arena));
  STATOR_CHECK(placeholders.check_all_used(call.wording));
  return condition;
}

ReturnConsumedCapacity parse_return_consumed_capacity(const JsonNode& body) {
  const auto text = string_member(body, "ReturnConsumedCapacity");
  if (!text || *text == "NONE") return ReturnConsumedCapacity::None;
  return *text == "TOTAL" ? ReturnConsumedCapacity::Total : ReturnConsumedCapacity::Indexes;
}

Result<WriteAnswer> parse_write_answer(const JsonNode& body, Wording wording) {
  const auto returns = string_member(body, "ReturnValues");
  if (returns && *returns != "NONE" && *returns != "ALL_OLD") {
    return Error::validation(wording.enveloped("ReturnValues can only be ALL_OLD or NONE"));
  }
  return WriteAnswer{
      .returns_old = returns == "ALL_OLD",
      .returns_old_on_failure =
          string_member(body, "ReturnValuesOnConditionCheckFailure") == "ALL_OLD",
      .wants_collection_metrics = string_member(body, "ReturnItemCollectionMetrics") == "SIZE",
      .return_consumed_capacity = parse_return_consumed_capacity(body)};
}

Result<void> refuse_unbuilt(const JsonNode& body, std::initializer_list<std::string_view> names) {
  if (has_any(body, names)) return Error::unknown_operation();
  return {};
}

Result<PrimaryKey> key_of_item(const Table& table, Item item) {
  PrimaryKey key;
  STATOR_TRY(key.partition, key_value_of_item(table.partition_key, item, /*is_partition=*/true));
  if (table.sort_key) {
    STATOR_TRY(key.sort, key_value_of_item(*table.sort_key, item, /*is_partition=*/false));
  }
  return key;
}

Result<PrimaryKey> key_of_lookup(const Table& table, Item item) {
  if (item.size() != (table.sort_key ? 2 : 1)) return key_mismatch();
  PrimaryKey key;
  STATOR_TRY(key.partition, key_value_of_lookup(table.partition_key, item, /*is_partition=*/true));
  if (table.sort_key) {
    STATOR_TRY(key.sort, key_value_of_lookup(*table.sort_key, item, /*is_partition=*/false));
  }
  return key;
}

Result<void> check_index_keys(const Table& table, Item item) {
  for (const LocalIndex& index : table.local_indexes) STATOR_CHECK(check_index(index, item));
  for (const GlobalIndex& index : table.global_indexes) STATOR_CHECK(check_index(index, item));
  return {};
}

Result<void> check_condition(const expr::Condition* condition, const WriteAnswer& answer,
                             const ItemChange& change, Call& call) {
  if (condition == nullptr) return {};
  Item before;
  std::size_t before_size_bytes = 0;
  if (change.old_record) {
    const storage::EncodedItem stored(*change.old_record);
    before = stored.decode(call.arena);
    before_size_bytes = stored.size_bytes();
  }
  if (expr::matches(*condition, before)) return {};
  // A failed write costs what the larger of both items would; without a stored item, one unit.
  call.units_milli = change.old_record
                         ? write_units_milli(std::max(before_size_bytes, change.after_size_bytes))
                         : kMilliPerUnit;
  Error error(ErrorCode::ConditionalCheckFailed, "The conditional request failed");
  if (!answer.returns_old_on_failure || !change.old_record) return error;
  std::string item = "\"Item\":";
  append_item_json(item, before);
  return std::move(error).with_members(std::move(item));
}

Result<WriteOutcome> account_write(const Table& table, const PrimaryKey& key,
                                   const ItemChange& change, const Snapshot& snapshot,
                                   Mutation& mutation, Call& call) {
  WriteOutcome outcome;
  const bool existed = change.old_record.has_value();
  const std::size_t before_size_bytes =
      existed ? storage::EncodedItem(*change.old_record).size_bytes() : 0;
  const auto difference = static_cast<std::int64_t>(change.after_size_bytes) -
                          static_cast<std::int64_t>(before_size_bytes);
  outcome.consumed.table_units_milli =
      write_units_milli(std::max(before_size_bytes, change.after_size_bytes));
  mutation.count(table.space, {(change.after != nullptr ? 1 : 0) - (existed ? 1 : 0), difference});
  if (table.has_indexes()) {
    Item before;
    if (existed) before = storage::EncodedItem(*change.old_record).decode(call.arena);
    const std::int64_t index_bytes = account_indexes(table, existed ? &before : nullptr,
                                                     change.after, mutation, outcome.consumed);
    STATOR_CHECK(
        account_collection(table, key, difference + index_bytes, snapshot, mutation, outcome));
  }
  call.units_milli = outcome.consumed.total_units_milli();
  return outcome;
}

void render_write(const WriteAnswer& wanted, std::string_view table_name, const Table& table,
                  const ItemChange& change, Item item_or_key, const WriteOutcome& outcome,
                  Call& call) {
  JsonWriter out(call.reply);
  out.begin_object();
  if (wanted.returns_old && change.old_record) {
    out.key("Attributes");
    out.before_value();
    storage::EncodedItem(*change.old_record).append_json(call.reply);
  }
  write_consumed_capacity(out, wanted.return_consumed_capacity, table_name, outcome.consumed);
  if (wanted.wants_collection_metrics) {
    write_collection_metrics(out, table, item_or_key, outcome.collection_size_bytes);
  }
  out.end_object();
}

}  // namespace stator
