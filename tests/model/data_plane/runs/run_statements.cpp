// The transactions of statements of a model run. What a statement does is that of an action, so
// only how it is asked for differs.
#include <algorithm>
#include <utility>

#include "tests/model/data_plane/oracle/transact_rules.h"
#include "tests/model/data_plane/runs/run.h"

namespace stator::model {
namespace {

using Kind = TransactAction::Kind;

constexpr std::size_t kStatementsMax = 12;

std::string in_quotes(const std::string& name) { return "\"" + name + "\""; }

Condition existence(bool exists) {
  Condition condition;
  condition.kind = exists ? Condition::Kind::Exists : Condition::Kind::NotExists;
  Operand key;
  key.path = {member_step("pk")};
  condition.operands = {key};
  return condition;
}

// A statement and its parameters, in the order of its text.
class Statement {
 public:
  explicit Statement(Dice& dice) : dice_(dice) {}

  void say(const std::string& text) { text_ += text; }
  void say_parameter(const Value& value) {
    text_ += "?";
    parameters_.push_back(to_request(value, dice_));
  }
  void say_key(const Item& key) {
    say(" WHERE ");
    std::string between;
    for (const auto& [name, value] : key) {
      say(between + in_quotes(name) + " = ");
      say_parameter(value);
      between = " AND ";
    }
  }
  Json json() const {
    Json json;
    json["Statement"] = Json::string(text_);
    if (!parameters_.empty()) json["Parameters"] = Json::list(parameters_);
    return json;
  }

 private:
  Dice& dice_;
  std::string text_;
  std::vector<Json> parameters_;
};

void say_insert(const TransactAction& action, Statement& statement) {
  statement.say("INSERT INTO " + in_quotes(action.table_name) + " VALUE {");
  std::string between;
  for (const auto& [name, value] : action.item) {
    statement.say(between + "'" + name + "': ");
    statement.say_parameter(value);
    between = ", ";
  }
  statement.say("}");
}

void say_update(const TransactAction& action, Statement& statement) {
  statement.say("UPDATE " + in_quotes(action.table_name));
  for (const Action& each : action.update.actions) {
    const std::string target = in_quotes(each.target[0].name);
    if (each.section == Action::Section::Remove) {
      statement.say(" REMOVE " + target);
    } else {
      statement.say(" SET " + target + " = ");
      statement.say_parameter(each.value.constant);
    }
  }
  statement.say_key(action.key);
}

void say_exists(const TransactAction& action, Statement& statement) {
  statement.say("EXISTS(SELECT * FROM " + in_quotes(action.table_name));
  statement.say_key(action.key);
  const std::vector<Operand>& operands = action.condition->operands;
  statement.say(" AND " + in_quotes(operands[0].path[0].name) + " = ");
  statement.say_parameter(operands[1].constant);
  statement.say(")");
}

}  // namespace

// Sets or removes some attributes, as whole ones: paths are what expressions are tried with.
Update Run::plan_sets(const TableSchema& schema) {
  Update update;
  const auto add = [&](const std::string& name, Value value) {
    Action each;
    each.target = {member_step(name)};
    if (dice_.percent(25)) each.section = Action::Section::Remove;
    each.value.constant = std::move(value);
    update.actions.push_back(std::move(each));
  };
  for (const auto& [name, value] : generator_.item(schema)) {
    if (name != "pk" && name != "sk" && dice_.percent(30)) add(name, value);
  }
  if (update.actions.empty()) add("n1", generator_.value_of(Type::N, 0));
  return update;
}

// Whether n1 is a number, more often than not the stored item's.
Condition Run::plan_test(const Item* stored) {
  Condition equal;
  equal.kind = Condition::Kind::Compare;
  Operand attribute;
  attribute.path = {member_step("n1")};
  Operand constant;
  constant.kind = Operand::Kind::Constant;
  const Value* found = stored != nullptr ? find(*stored, attribute.path) : nullptr;
  const bool is_near = found != nullptr && found->type == Type::N && dice_.percent(70);
  constant.constant = is_near ? *found : generator_.value_of(Type::N, 0);
  equal.operands = {attribute, constant};
  return equal;
}

TransactAction Run::plan_statement(LiveTable& table) {
  const TableSchema& schema = table.model.schema();
  TransactAction action;
  action.kind =
      dice_.any({Kind::Put, Kind::Put, Kind::Update, Kind::Update, Kind::Delete, Kind::Check});
  action.table_name = schema.name;
  action.key = near_key(table);
  action.returns_old_on_failure = dice_.percent(30);
  Statement statement(dice_);
  switch (action.kind) {
    case Kind::Put:
      action.is_insert = true;
      action.condition = existence(false);
      action.item = generator_.item(schema);
      for (const auto& [name, value] : action.key) action.item[name] = value;
      say_insert(action, statement);
      break;
    case Kind::Update:
      action.condition = existence(true);
      action.update = plan_sets(schema);
      say_update(action, statement);
      break;
    case Kind::Delete:
      statement.say("DELETE FROM " + in_quotes(action.table_name));
      statement.say_key(action.key);
      break;
    case Kind::Check:
      action.condition = plan_test(table.model.find(table.model.key_values(action.key)));
      say_exists(action, statement);
  }
  action.json = statement.json();
  if (action.returns_old_on_failure)
    action.json["ReturnValuesOnConditionCheckFailure"] = Json::string("ALL_OLD");
  return action;
}

void Run::execute_transaction() {
  const bool is_hopeful = dice_.percent(70);
  std::map<std::string, std::set<KeyValues, KeyOrder>> used;
  std::vector<TransactAction> actions;
  for (std::size_t i = dice_.between(1, kStatementsMax); i > 0; --i) {
    TransactAction action = plan_statement(any_table());
    const TransactOutcome outcome = outcome_of(action);
    if (outcome.is_too_large || (is_hopeful && !(outcome.is_met && outcome.errors.empty())))
      continue;
    const KeyValues key = table_named(action.table_name)->model.key_values(action.key);
    if (!used[action.table_name].insert(key).second && !dice_.percent(4)) continue;
    actions.push_back(std::move(action));
  }
  if (actions.empty()) return;
  send_transaction({kStatements, std::move(actions), choose_token(kStatements)});
}

void Run::execute_reads() {
  Json request;
  const std::string capacity = random_capacity(request);
  Json& list = request["TransactStatements"] = Json::list();
  std::vector<TransactRead> reads;
  std::map<std::string, std::set<KeyValues, KeyOrder>> used;
  for (std::size_t i = dice_.between(1, kStatementsMax); i > 0; --i) {
    TransactRead read{&any_table(), {}, {}};
    const TableModel& table = read.table->model;
    read.key = near_key(*read.table);
    if (!used[table.schema().name].insert(table.key_values(read.key)).second) continue;
    if (dice_.percent(40)) read.paths = generator_.attributes(generator_.scope(table, nullptr));
    std::string columns;
    for (const Path& path : read.paths)
      columns += (columns.empty() ? "" : ", ") + in_quotes(path[0].name);
    Statement statement(dice_);
    statement.say("SELECT " + (columns.empty() ? "*" : columns) + " FROM " +
                  in_quotes(table.schema().name));
    statement.say_key(read.key);
    list.array.push_back(statement.json());
    reads.push_back(std::move(read));
  }
  check_reads(request, capacity, reads);
}

}  // namespace stator::model
