// What the transactions of a model run ask for.
#include <array>
#include <utility>

#include "tests/model/data_plane/oracle/transact_rules.h"
#include "tests/model/data_plane/oracle/write_rules.h"
#include "tests/model/data_plane/runs/run.h"

namespace stator::model {
namespace {

using Kind = TransactAction::Kind;

// Of the text of a request, so that none is larger than the service takes.
constexpr std::size_t kRequestBytesMax = 4'000'000;

constexpr std::array<const char*, 4> kKindNames{"Put", "Update", "Delete", "ConditionCheck"};

// Makes a key of the table empty, if one can be.
void plan_empty_key(const TableSchema& schema, TransactAction& action) {
  for (const KeyAttribute& key : {schema.partition_key, schema.sort_key.value_or(KeyAttribute{})}) {
    if (key.name.empty() || key.type == Type::N) continue;
    action.key.at(key.name).text.clear();
    action.empty_key =
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
        "contain an empty " +
        std::string(key.type == Type::S ? "string" : "binary") + " value. Key: " + key.name;
    return;
  }
}

// Of a Put: the first index by name that has the key.
std::string empty_index_key(const TableSchema& schema, const KeyAttribute& key) {
  return "One or more parameter values are not valid. A value specified for a secondary index key "
         "is not supported. The AttributeValue for a key attribute cannot contain an empty " +
         std::string(key.type == Type::S ? "string" : "binary") +
         " value. IndexName: " + first_index_with(schema, key) + ", IndexKey: " + key.name;
}

}  // namespace

// A Put's item; now and then an index refuses it.
void Run::plan_put(const LiveTable& table, TransactAction& action) {
  const TableSchema& schema = table.model.schema();
  action.item = generator_.item(schema);
  for (const auto& [name, value] : action.key) action.item[name] = value;
  const IndexSchema* index = schema.indexes.empty() ? nullptr : &dice_.any(schema.indexes);
  if (index == nullptr || index->sort_keys.empty() || !dice_.percent(2)) return;
  const KeyAttribute& wrong = index->sort_keys[0];
  if (wrong.name == "pk" || wrong.name == "sk") return;
  Value& value = action.item[wrong.name] = Value{};
  if (wrong.type == Type::N || dice_.percent(50)) {
    action.misfits = type_mismatch(schema, wrong, Type::Null);
    return;
  }
  value.type = wrong.type;
  if (action.empty_key.empty()) action.empty_key = empty_index_key(schema, wrong);
}

// One whose condition holds, when that is hoped for. Empty: it would leave what the model can tell.
std::optional<TransactAction> Run::plan_action(bool is_hopeful) {
  LiveTable& table = any_table();
  const TableSchema& schema = table.model.schema();
  TransactAction action;
  action.kind = dice_.any(
      {Kind::Put, Kind::Put, Kind::Update, Kind::Update, Kind::Update, Kind::Delete, Kind::Check});
  action.table_name = schema.name;
  action.key = near_key(table);
  action.returns_old_on_failure = dice_.percent(40);
  const Item* stored = table.model.find(table.model.key_values(action.key));

  Json request;
  request["TableName"] = Json::string(schema.name);
  if (action.returns_old_on_failure)
    request["ReturnValuesOnConditionCheckFailure"] = Json::string("ALL_OLD");
  ExpressionPrinter printer(dice_);
  if (dice_.permille(4)) plan_empty_key(schema, action);
  if (action.kind == Kind::Put) {
    plan_put(table, action);
    request["Item"] = to_request(action.item, dice_);
  } else {
    request["Key"] = to_request(action.key, dice_);
    if (dice_.permille(5)) {
      request["Key"]["other"] = to_json(Value::of_string("a"));
      action.misfits = {kKeyMismatch};
    }
  }
  if (action.kind == Kind::Update) {
    action.update = generator_.update(schema, stored);
    if (action.update.actions.empty()) return std::nullopt;
    request["UpdateExpression"] = Json::string(printer.update(action.update));
  }
  if (action.kind == Kind::Check || dice_.percent(40)) {
    Condition condition = generator_.condition(generator_.scope(table.model, nullptr), stored, 3);
    const bool holds = matches(condition, stored != nullptr ? *stored : Item{});
    if (is_hopeful && !holds)
      condition = {.kind = Condition::Kind::Not, .operands = {}, .children = {condition}};
    request["ConditionExpression"] = Json::string(printer.condition(condition));
    action.condition = std::move(condition);
  }
  printer.finish(request);
  action.json[kKindNames[static_cast<std::size_t>(action.kind)]] = std::move(request);
  const TransactOutcome outcome = outcome_of(action);
  if (outcome.is_too_large || (is_hopeful && !outcome.errors.empty())) return std::nullopt;
  return action;
}

std::vector<TransactAction> Run::plan_actions() {
  const std::size_t wanted = dice_.percent(75)   ? dice_.between(1, 5)
                             : dice_.percent(80) ? dice_.between(5, 25)
                                                 : dice_.between(50, kActionsMax);
  const bool is_hopeful = dice_.percent(60);
  std::vector<TransactAction> actions;
  std::map<std::string, std::set<KeyValues, KeyOrder>> used;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < wanted; ++i) {
    auto action = plan_action(is_hopeful);
    if (!action) continue;
    const KeyValues key = table_named(action->table_name)->model.key_values(action->key);
    if (!used[action->table_name].insert(key).second && !dice_.percent(4)) continue;
    bytes += action->json.print().size();
    if (bytes > kRequestBytesMax) break;
    actions.push_back(std::move(*action));
  }
  return actions;
}

// A new one, one that is kept by whichever operation, or one of a cancelled transaction of this
// one, which kept nothing under it, or not any more; or none.
std::string Run::choose_token(const std::string& operation) {
  if (dice_.percent(40)) return {};
  if (!kept_.empty() && dice_.percent(8)) return dice_.any(kept_).sent.token;
  const std::string& burnt = burnt_tokens_[operation];
  if (!burnt.empty() && dice_.percent(20)) return burnt;
  return "token " + std::to_string(++tokens_made_);
}

}  // namespace stator::model
