// The writes of a model run.
#include <algorithm>

#include "tests/model/data_plane/oracle/transact_rules.h"
#include "tests/model/data_plane/oracle/write_rules.h"
#include "tests/model/data_plane/runs/run.h"

namespace stator::model {
namespace {

constexpr std::size_t kBatchWritesMax = 25;

std::vector<Path> targets(const Update& update) {
  std::vector<Path> paths;
  for (const Action& action : update.actions) paths.push_back(action.target);
  return paths;
}

constexpr const char* kUnsupportedType =
    "The update expression attempted to update the secondary index key to unsupported type";

constexpr const char* kTooLong =
    "The update expression attempted to update the secondary index key beyond allowed size limits";

std::string empty_index_key(Type type) {
  return "One or more parameter values are not valid. The update expression attempted to update a "
         "secondary index key to a value that is not supported. The AttributeValue for a key "
         "attribute cannot contain an empty " +
         std::string(type == Type::S ? "string" : "binary") + " value.";
}

// The type of the value an action gives to its target, where the request alone tells it.
std::optional<Type> told_type(const Action& action) {
  using Kind = Expression::Kind;
  if (action.section == Action::Section::Remove) return std::nullopt;
  if (action.section != Action::Section::Set) return action.operand.type;
  switch (action.value.kind) {
    case Kind::Constant:
      return action.value.constant.type;
    case Kind::ListAppend:
      return Type::L;
    case Kind::Plus:
    case Kind::Minus:
      return Type::N;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string Run::random_capacity(Json& request) {
  const std::string capacity = dice_.any({"", "TOTAL", "INDEXES", "INDEXES", "NONE"});
  if (!capacity.empty()) request["ReturnConsumedCapacity"] = Json::string(capacity);
  return capacity == "NONE" ? "" : capacity;
}

Run::WriteOptions Run::write_options(Json& request, bool is_update) {
  WriteOptions options;
  options.capacity = random_capacity(request);
  options.return_values =
      is_update ? dice_.any({"", "NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"})
                : dice_.any({"", "NONE", "ALL_OLD"});
  if (!options.return_values.empty()) {
    request["ReturnValues"] = Json::string(options.return_values);
  }
  options.wants_collection_metrics = dice_.percent(20);
  if (options.wants_collection_metrics) {
    request["ReturnItemCollectionMetrics"] = Json::string("SIZE");
  }
  options.returns_old_on_failure = dice_.percent(40);
  if (options.returns_old_on_failure) {
    request["ReturnValuesOnConditionCheckFailure"] = Json::string("ALL_OLD");
  }
  return options;
}

// A key that more often than not is stored.
Item Run::near_key(LiveTable& table) {
  const auto& items = table.model.items();
  if (items.empty() || dice_.percent(35)) return generator_.key(table.model.schema());
  auto found = items.begin();
  std::advance(found, static_cast<long>(dice_.below(items.size())));
  return table.model.key_of(found->second);
}

// Maybe gives the write a condition: whether the stored item meets it.
std::optional<bool> Run::condition(LiveTable& table, const Item* stored, bool is_legacy,
                                   ExpressionPrinter& printer, Json& request) {
  if (dice_.percent(50)) return std::nullopt;
  const Item nothing;
  const Item& tested = stored != nullptr ? *stored : nothing;
  const Scope scope = generator_.scope(table.model, nullptr);
  if (is_legacy) {
    const LegacyConditions conditions = generator_.legacy_conditions(scope, stored);
    print_legacy_conditions(conditions, "Expected", request, dice_);
    return matches(conditions, tested);
  }
  const Condition condition = generator_.condition(scope, stored, 3);
  request["ConditionExpression"] = Json::string(printer.condition(condition));
  return matches(condition, tested);
}

// Whether the condition is false; then the refusal has been checked.
bool Run::refused(std::string_view operation, const Json& request, const WriteOptions& options,
                  std::optional<bool> is_met, const Item* stored) {
  if (is_met.value_or(true)) return false;
  count("condition false");
  Json expected;
  expected["__type"] =
      Json::string("com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException");
  expected["message"] = Json::string("The conditional request failed");
  if (options.returns_old_on_failure && stored != nullptr) expected["Item"] = to_json(*stored);
  const test::Answer answer = send(operation, request);
  compare(operation, request, expected, parse_answer(answer.json));
  return true;
}

// What is wrong with the index keys of an update by the request alone, whatever is stored.
std::set<std::string> Run::told_index_key_errors(const TableSchema& schema,
                                                 const Update& update) const {
  std::set<std::string> errors;
  const auto definitions = schema.definitions();
  for (const Action& action : update.actions) {
    const auto key = definitions.find(action.target[0].name);
    const auto type = told_type(action);
    if (key == definitions.end() || !type) continue;
    if (*type != key->second) {
      errors.merge(type_mismatch(schema, {key->first, key->second}, *type));
    } else if (action.value.kind == Expression::Kind::Constant &&
               action.section == Action::Section::Set && *type != Type::N &&
               action.value.constant.text.empty()) {
      errors.insert(empty_index_key(*type));
    }
  }
  return errors;
}

// What is wrong with the index keys that an update leaves behind. Others may be wrong, because they
// are older than the index.
std::set<std::string> Run::index_key_errors(const TableSchema& schema, const Update& update,
                                            const Item& item) const {
  std::set<std::string> errors;
  const auto is_updated = [&](const std::string& name) {
    return std::any_of(update.actions.begin(), update.actions.end(),
                       [&](const Action& action) { return action.target[0].name == name; });
  };
  for (const auto& [name, type] : schema.definitions()) {
    const auto found = item.find(name);
    if (!is_updated(name) || found == item.end()) continue;
    if (found->second.type != type) {
      errors.insert(kUnsupportedType);
    } else if (type != Type::N && found->second.text.empty()) {
      errors.insert(empty_index_key(type));
    }
  }
  for (const IndexSchema& index : schema.indexes) {
    const auto is_touched = [&](const std::vector<KeyAttribute>& keys) {
      return std::any_of(keys.begin(), keys.end(),
                         [&](const KeyAttribute& key) { return is_updated(key.name); });
    };
    if (!fits(index, item) && (is_touched(index.partition_keys) || is_touched(index.sort_keys))) {
      errors.insert(kTooLong);
    }
  }
  return errors;
}

Json Run::collection_metrics(const LiveTable& table, const Value& partition) const {
  Json metrics;
  metrics["ItemCollectionKey"][table.model.schema().partition_key.name] = to_json(partition);
  metrics["SizeEstimateRangeGB"] = Json::list({Json::number("0.0"), Json::number("1.0")});
  return metrics;
}

Json Run::write_answer(LiveTable& table, const WriteOptions& options, const Item& key,
                       const Units& units, const Item& shown) const {
  const TableSchema& schema = table.model.schema();
  Json answer;
  if (!shown.empty()) answer["Attributes"] = to_json(shown);
  if (!options.capacity.empty()) {
    answer["ConsumedCapacity"] = consumed_json(options.capacity, schema.name, units);
  }
  if (options.wants_collection_metrics && schema.has_local_indexes()) {
    answer["ItemCollectionMetrics"] = collection_metrics(table, key.at(schema.partition_key.name));
  }
  return answer;
}

void Run::put() {
  LiveTable& table = any_table();
  const TableSchema& schema = table.model.schema();
  Item item = generator_.item(schema);
  if (dice_.percent(40)) {
    for (const auto& [name, value] : near_key(table)) item[name] = value;
  }
  const KeyValues key = table.model.key_values(item);
  const Item* stored = table.model.find(key);

  Json request;
  request["TableName"] = Json::string(schema.name);
  const WriteOptions options = write_options(request, false);
  ExpressionPrinter printer(dice_);
  const auto is_met = condition(table, stored, dice_.percent(30), printer, request);
  printer.finish(request);

  // An index key of a wrong type is told before the condition is looked at.
  const IndexSchema* index = schema.indexes.empty() ? nullptr : &dice_.any(schema.indexes);
  if (index != nullptr && !index->sort_keys.empty() && dice_.percent(3)) {
    const KeyAttribute& wrong = index->sort_keys[0];
    if (wrong.name != "pk" && wrong.name != "sk") {
      item[wrong.name] = Value{};
      request["Item"] = to_request(item, dice_);
      return expect_validation("PutItem", request, type_mismatch(schema, wrong, Type::Null));
    }
  }
  request["Item"] = to_request(item, dice_);
  if (refused("PutItem", request, options, is_met, stored)) return;
  if (overfills(table, key, &item)) return expect_overfull("PutItem", request);
  const Item shown = options.return_values == "ALL_OLD" && stored != nullptr ? *stored : Item{};
  const Units units = table.model.write(key, &item);
  expect("PutItem", request, write_answer(table, options, item, units, shown));
}

void Run::remove() {
  LiveTable& table = any_table();
  const Item key = near_key(table);
  const KeyValues values = table.model.key_values(key);
  const Item* stored = table.model.find(values);

  Json request;
  request["TableName"] = Json::string(table.model.schema().name);
  request["Key"] = to_request(key, dice_);
  const WriteOptions options = write_options(request, false);
  ExpressionPrinter printer(dice_);
  const auto is_met = condition(table, stored, dice_.percent(30), printer, request);
  printer.finish(request);
  if (refused("DeleteItem", request, options, is_met, stored)) return;
  const Item shown = options.return_values == "ALL_OLD" && stored != nullptr ? *stored : Item{};
  const Units units = table.model.write(values, nullptr);
  expect("DeleteItem", request, write_answer(table, options, key, units, shown));
}

// An update that is padded to the limit of its charge or a byte beyond; its condition is false, and
// is looked at only within the limit.
void Run::overcharge(LiveTable& table, Update update, const Item& key, const Item* stored) {
  constexpr std::size_t kChargeMax = 409'600;
  Action padding;
  padding.target = {member_step("padding")};
  padding.value.constant = Value::of_string("");
  update.actions.push_back(padding);
  const bool is_beyond = dice_.percent(50);
  const std::size_t charge = charge_bytes(update, stored != nullptr ? *stored : key);
  if (charge > kChargeMax || !told_index_key_errors(table.model.schema(), update).empty()) return;
  update.actions.back().value.constant =
      Value::of_string(std::string(kChargeMax - charge + (is_beyond ? 1 : 0), 'p'));
  Json request;
  request["TableName"] = Json::string(table.model.schema().name);
  request["Key"] = to_request(key, dice_);
  ExpressionPrinter printer(dice_);
  request["UpdateExpression"] = Json::string(printer.update(update));
  request["ConditionExpression"] = Json::string("attribute_exists(none_has_this)");
  printer.finish(request);
  count("charged to the limit");
  if (is_beyond) {
    return expect_validation("UpdateItem", request,
                             {"Item size to update has exceeded the maximum allowed size"});
  }
  refused("UpdateItem", request, {}, false, stored);
}

void Run::update() {
  LiveTable& table = any_table();
  const TableSchema& schema = table.model.schema();
  const Item key = near_key(table);
  const KeyValues values = table.model.key_values(key);
  const Item* stored = table.model.find(values);

  Json request;
  request["TableName"] = Json::string(schema.name);
  request["Key"] = to_request(key, dice_);
  const WriteOptions options = write_options(request, true);
  const bool is_legacy = dice_.percent(20);
  Update update;
  if (!dice_.percent(3)) {
    update = is_legacy ? generator_.legacy_update(schema) : generator_.update(schema, stored);
  }
  if (!is_legacy && !update.actions.empty() && dice_.percent(4)) {
    return overcharge(table, std::move(update), key, stored);
  }
  const Updated updated = apply(update, stored, key);
  if (updated.errors.empty() && !is_small_enough(schema, updated.item)) return;

  ExpressionPrinter printer(dice_);
  if (!update.actions.empty() && is_legacy) print_legacy_update(update, request, dice_);
  if (!update.actions.empty() && !is_legacy) {
    request["UpdateExpression"] = Json::string(printer.update(update));
  }
  const auto is_met = condition(table, stored, is_legacy, printer, request);
  printer.finish(request);
  const auto told_errors = told_index_key_errors(schema, update);
  if (!told_errors.empty()) return expect_validation("UpdateItem", request, told_errors);
  if (refused("UpdateItem", request, options, is_met, stored)) return;

  if (!updated.errors.empty()) return expect_validation("UpdateItem", request, updated.errors);
  const auto errors = index_key_errors(schema, update, updated.item);
  if (!errors.empty()) return expect_validation("UpdateItem", request, errors);

  Item shown;
  const Item before = stored != nullptr ? *stored : Item{};
  if (options.return_values == "ALL_OLD") shown = before;
  const bool exists_after = stored != nullptr || !only_takes(update);
  const Item after = exists_after ? updated.item : Item{};
  if (exists_after && overfills(table, values, &after))
    return expect_overfull("UpdateItem", request);
  if (options.return_values == "ALL_NEW") shown = after;
  if (options.return_values == "UPDATED_OLD") shown = project(before, targets(update));
  if (options.return_values == "UPDATED_NEW") shown = project(after, targets(update));
  const Units units = table.model.write(values, exists_after ? &after : nullptr);
  expect("UpdateItem", request, write_answer(table, options, key, units, shown));
}

// Whether the item collection would grow beyond its limit.
bool Run::overfills(const LiveTable& table, const KeyValues& key, const Item* after) const {
  const TableModel& model = table.model;
  if (!has_small_collections() || !model.schema().has_local_indexes()) return false;
  const Item* before = model.find(key);
  const std::size_t before_bytes = before != nullptr ? model.bytes_with_entries(*before) : 0;
  const std::size_t after_bytes = after != nullptr ? model.bytes_with_entries(*after) : 0;
  if (after_bytes <= before_bytes) return false;
  const auto limit = static_cast<std::size_t>(settings_.item_collection_bytes_max);
  return model.collection_bytes(key[0]) - before_bytes + after_bytes > limit;
}

void Run::expect_overfull(std::string_view operation, const Json& request) {
  count("collection too large");
  expect_error(operation, request, aws("ItemCollectionSizeLimitExceededException"),
               kCollectionTooLarge);
}

// A delete between two pages of a read.
void Run::quiet_delete(LiveTable& table, const KeyValues& key) {
  Json request;
  request["TableName"] = Json::string(table.model.schema().name);
  request["Key"] = to_request(table.model.key_of(*table.model.find(key)), dice_);
  table.model.write(key, nullptr);
  expect("DeleteItem", request, {});
}

// A put or delete without anything that depends on the state of a new index.
void Run::quiet_write(LiveTable& table) {
  const Item near = near_key(table);
  const KeyValues key = table.model.key_values(near);
  if (table.model.find(key) != nullptr && dice_.percent(40)) return quiet_delete(table, key);
  Item item = generator_.item(table.model.schema());
  for (const auto& [name, value] : near) item[name] = value;
  if (overfills(table, key, &item)) return;
  Json request;
  request["TableName"] = Json::string(table.model.schema().name);
  request["Item"] = to_request(item, dice_);
  table.model.write(key, &item);
  expect("PutItem", request, {});
}

void Run::batch_write() {
  Json request;
  const std::string capacity = random_capacity(request);
  const bool wants_metrics = dice_.percent(20);
  if (wants_metrics) request["ReturnItemCollectionMetrics"] = Json::string("SIZE");

  std::map<std::string, Units> units;
  CollectionsByTable metrics;
  std::map<std::string, std::set<KeyValues, KeyOrder>> used;
  for (std::size_t i = dice_.between(1, kBatchWritesMax); i > 0; --i) {
    LiveTable& table = any_table();
    const TableSchema& schema = table.model.schema();
    const bool is_put = dice_.percent(60);
    const Item item = is_put ? generator_.item(schema) : near_key(table);
    const KeyValues key = table.model.key_values(item);
    if (is_put && overfills(table, key, &item)) continue;  // nothing of the batch would be done
    if (!used[schema.name].insert(key).second) continue;
    Json write;
    write[is_put ? "PutRequest" : "DeleteRequest"][is_put ? "Item" : "Key"] =
        to_request(item, dice_);
    Json& list = request["RequestItems"][schema.name];
    list.kind = Json::Kind::Array;
    list.array.push_back(std::move(write));
    units[schema.name].add(table.model.write(key, is_put ? &item : nullptr));
    if (wants_metrics && schema.has_local_indexes()) {
      metrics[schema.name].insert(collection_metrics(table, key[0]).print());
    }
  }

  if (units.empty()) return;

  Json expected;
  expected["UnprocessedItems"] = {};
  if (!capacity.empty()) {
    Json& list = expected["ConsumedCapacity"] = Json::list();
    for (const auto& [name, consumed] : units) {
      list.array.push_back(consumed_json(capacity, name, consumed));
    }
  }
  Json actual = call("BatchWriteItem", request);
  take_collections("BatchWriteItem", request, metrics, actual);
  compare("BatchWriteItem", request, expected, actual);
}

// Takes the item collections, which come in any order, out of an answer, and compares them.
void Run::take_collections(std::string_view operation, const Json& request,
                           const CollectionsByTable& wanted, Json& actual) const {
  for (const auto& [name, collections] : wanted) {
    std::set<std::string> shown;
    if (const Json* all = actual.find("ItemCollectionMetrics")) {
      if (const Json* list = all->find(name)) {
        for (const Json& one : list->array) shown.insert(one.print());
        if (shown.size() != list->array.size()) shown.insert("one of them twice");
      }
    }
    if (shown != collections) {
      differ(operation, request, "the item collections of " + name, actual.print());
    }
    actual["ItemCollectionMetrics"].object.erase(name);
  }
  if (!wanted.empty() && actual["ItemCollectionMetrics"].object.empty()) {
    actual.object.erase("ItemCollectionMetrics");
  }
}

}  // namespace stator::model
