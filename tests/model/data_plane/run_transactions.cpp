// The transactions of a model run.
//
// What an action does is worked out when it is sent, so a transaction that is sent again, with its
// token or after that has ended, is judged like a new one.
#include <algorithm>
#include <array>

#include "tests/model/data_plane/run.h"
#include "tests/model/data_plane/transact_rules.h"
#include "tests/model/data_plane/write_rules.h"

namespace stator::model {
namespace {

using Kind = TransactAction::Kind;

constexpr std::chrono::microseconds kTokenLife = std::chrono::minutes(10);
constexpr std::size_t kKeptMax = 40;
// Of the text of a request, so that none is larger than the service takes.
constexpr std::size_t kRequestBytesMax = 4'000'000;
constexpr const char* kNoTable = "NoTable";

constexpr std::array<const char*, 4> kKindNames{"Put", "Update", "Delete", "ConditionCheck"};

Json actions_json(const std::vector<TransactAction>& actions) {
  Json list = Json::list();
  for (const TransactAction& action : actions) list.array.push_back(action.json);
  return list;
}

// An index key that the request says is empty is told at once, one of a wrong type by position.
bool is_told_at_once(const std::string& error) {
  return error.starts_with("One or more parameter values are not valid");
}

}  // namespace

LiveTable* Run::table_named(const std::string& name) {
  const auto found = std::find_if(tables_.begin(), tables_.end(), [&](const auto& table) {
    return table->model.schema().name == name;
  });
  return found == tables_.end() ? nullptr : found->get();
}

// Tokens end, and are swept or not.
void Run::pass_time() {
  using namespace std::chrono_literals;
  count("time passed");
  driver_->clock().advance(
      dice_.any<std::chrono::microseconds>({1us, 1s, 1min, 3min, 10min - 1us, 10min}));
  while (dice_.percent(70) && driver_->sweep()) {
  }
}

// --- What is asked -------------------------------------------------------------------------------

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
  if (action.kind == Kind::Put) {
    action.item = generator_.item(schema);
    for (const auto& [name, value] : action.key) action.item[name] = value;
    const IndexSchema* index = schema.indexes.empty() ? nullptr : &dice_.any(schema.indexes);
    if (index != nullptr && !index->sort_keys.empty() && dice_.percent(1)) {
      const KeyAttribute& wrong = index->sort_keys[0];
      if (wrong.name != "pk" && wrong.name != "sk") {
        action.item[wrong.name] = Value{};
        action.misfits = type_mismatch(schema, wrong, Type::Null);
      }
    }
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

// A new one, one that is kept, or one of a transaction that was cancelled; or none.
std::string Run::choose_token() {
  if (dice_.percent(40)) return {};
  if (!kept_.empty() && dice_.percent(8)) return dice_.any(kept_).token;
  if (!burnt_token_.empty() && dice_.percent(20)) return burnt_token_;
  return "token " + std::to_string(++tokens_made_);
}

void Run::transact_write() {
  if (!kept_.empty() && dice_.percent(15)) return repeat(dice_.below(kept_.size()));
  std::vector<TransactAction> actions = plan_actions();
  if (actions.empty()) return;
  if (dice_.percent(1)) {
    TransactAction& action = actions[dice_.below(actions.size())];
    action.table_name = kNoTable;
    for (auto& [name, member] : action.json.object) member["TableName"] = Json::string(kNoTable);
  }
  if (dice_.percent(1)) {
    // One that asks for nothing, or for two things at once, is told of before all else.
    Json request;
    Json& list = request["TransactItems"] = actions_json(actions);
    Json& element = list.array[dice_.below(list.array.size())];
    const bool is_empty = dice_.percent(50);
    if (is_empty) {
      element = Json{};
    } else {
      for (const char* name : {"Put", "Delete"}) {
        element[name]["TableName"] = Json::string(kNoTable);
        element[name][name == std::string_view("Put") ? "Item" : "Key"]["pk"] =
            to_json(Value::of_string("a"));
      }
    }
    return expect_validation(
        kWrite, request,
        {is_empty ? "Invalid Request: TransactWriteRequest should contain Delete or Put or Update "
                    "request"
                  : "TransactItems can only contain one of Check, Put, Update or Delete"});
  }
  send_transaction(actions, choose_token());
}

// Sends again what had its effect, with its token.
void Run::repeat(std::size_t kept) {
  const KeptTransaction again = kept_[kept];
  const auto is_beyond_the_model = [&](const TransactAction& action) {
    return table_named(action.table_name) != nullptr && outcome_of(action).is_too_large;
  };
  // Indexes made since then refuse what was fine.
  if (again.index_changes != index_changes_ ||
      std::any_of(again.actions.begin(), again.actions.end(), is_beyond_the_model)) {
    kept_.erase(kept_.begin() + static_cast<long>(kept));
    return;
  }
  count("transaction sent again");
  send_transaction(again.actions, again.token);
}

// --- What is answered ----------------------------------------------------------------------------

void Run::send_transaction(const std::vector<TransactAction>& actions, const std::string& token) {
  Json request;
  const std::string capacity = random_capacity(request);
  if (dice_.percent(20)) request["ReturnItemCollectionMetrics"] = Json::string("SIZE");
  if (!token.empty()) request["ClientRequestToken"] = Json::string(token);
  request["TransactItems"] = actions_json(actions);

  std::vector<Reason> reasons;
  if (refused_whole(actions, request, reasons)) return;
  if (repeated(actions, token, request, capacity)) return;
  std::vector<TransactOutcome> outcomes;
  if (reasons.empty()) reasons = reasons_against(actions, outcomes);
  if (reasons.empty()) return enter(actions, outcomes, token, request, capacity);
  count("transaction cancelled");
  expect_cancelled(kWrite, request, reasons);
  burnt_token_ = token;
}

// Whether there is something wrong that concerns the whole request; then the refusal has been
// checked. Keys that do not fit become reasons.
bool Run::refused_whole(const std::vector<TransactAction>& actions, const Json& request,
                        std::vector<Reason>& reasons) {
  std::map<std::string, std::set<KeyValues, KeyOrder>> used;
  bool is_twice = false;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const TransactAction& action = actions[i];
    const LiveTable* table = table_named(action.table_name);
    if (table == nullptr) {
      count("transaction on a missing table");
      if (is_twice && reasons.empty()) {
        expect_validation(kWrite, request, {kTwice});
      } else {
        expect_error(kWrite, request, aws("ResourceNotFoundException"),
                     "Requested resource not found");
      }
      return true;
    }
    std::set<std::string> at_once;
    std::set<std::string> misfits = action.misfits;
    for (const std::string& error : told_index_key_errors(table->model.schema(), action.update))
      (is_told_at_once(error) ? at_once : misfits).insert(error);
    if (!at_once.empty()) {
      expect_validation(kWrite, request, at_once);
      return true;
    }
    if (!misfits.empty()) {
      if (!reasons.empty()) continue;
      reasons.resize(actions.size());
      reasons[i] = {"ValidationError", misfits};
    } else if (!used[action.table_name].insert(table->model.key_values(action.key)).second) {
      is_twice = true;
    }
  }
  if (!is_twice || !reasons.empty()) return false;
  count("transaction with an item twice");
  expect_validation(kWrite, request, {kTwice});
  return true;
}

// Whether the token is that of an earlier transaction; then the answer has been checked.
bool Run::repeated(const std::vector<TransactAction>& actions, const std::string& token,
                   const Json& request, const std::string& capacity) {
  const auto kept = std::find_if(kept_.begin(), kept_.end(), [&](const KeptTransaction& one) {
    return !token.empty() && one.token == token;
  });
  if (kept == kept_.end()) return false;
  if (driver_->clock().now() >= kept->finished.plus(kTokenLife)) {
    count("token ended");
    return false;
  }
  if (actions_json(actions).print() != actions_json(kept->actions).print()) {
    count("token of another transaction");
    expect_error(kWrite, request, aws("IdempotentParameterMismatchException"), "");
    return true;
  }
  count("transaction repeated");
  Json expected;
  if (!capacity.empty())
    expected["ConsumedCapacity"] = capacity_json(capacity, kept->reads, "ReadCapacityUnits");
  expect(kWrite, request, expected);
  return true;
}

TransactOutcome Run::outcome_of(const TransactAction& action) {
  const TableModel& table = table_named(action.table_name)->model;
  TransactOutcome outcome;
  outcome.before = table.find(table.key_values(action.key));
  const Item nothing;
  if (action.condition) {
    outcome.is_met =
        matches(*action.condition, outcome.before != nullptr ? *outcome.before : nothing);
  }
  outcome.is_change = action.kind != Kind::Check;
  if (action.kind == Kind::Put) outcome.after = action.item;
  if (action.kind != Kind::Update) return outcome;
  Updated updated = apply(action.update, outcome.before, action.key);
  outcome.errors = std::move(updated.errors);
  if (!outcome.errors.empty()) return outcome;
  outcome.is_too_large = !is_small_enough(table.schema(), updated.item);
  outcome.errors = index_key_errors(table.schema(), action.update, updated.item);
  if (outcome.before != nullptr || !only_takes(action.update))
    outcome.after = std::move(updated.item);
  return outcome;
}

// All conditions that do not hold are told; an action whose values do not fit is told of alone.
std::vector<Reason> Run::reasons_against(const std::vector<TransactAction>& actions,
                                         std::vector<TransactOutcome>& outcomes) {
  std::vector<Reason> reasons(actions.size());
  bool is_cancelled = false;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    outcomes.push_back(outcome_of(actions[i]));
    const TransactOutcome& outcome = outcomes.back();
    if (!outcome.is_met) {
      reasons[i] = {"ConditionalCheckFailed",
                    {"The conditional request failed"},
                    actions[i].returns_old_on_failure ? outcome.before : nullptr};
      is_cancelled = true;
    } else if (!outcome.errors.empty()) {
      reasons.assign(actions.size(), {});
      reasons[i] = {"ValidationError", outcome.errors};
      return reasons;
    }
  }
  return is_cancelled ? reasons : std::vector<Reason>();
}

void Run::enter(const std::vector<TransactAction>& actions,
                const std::vector<TransactOutcome>& outcomes, const std::string& token,
                const Json& request, const std::string& capacity) {
  std::map<std::string, Units> writes;
  std::map<std::string, Units> reads;
  CollectionsByTable collections;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    LiveTable& table = *table_named(actions[i].table_name);
    const TableSchema& schema = table.model.schema();
    const TransactOutcome& outcome = outcomes[i];
    const KeyValues key = table.model.key_values(actions[i].key);
    const std::size_t before_bytes = outcome.before != nullptr ? size_bytes(*outcome.before) : 0;
    const std::size_t after_bytes = outcome.after ? size_bytes(*outcome.after) : 0;
    Units units;
    if (outcome.is_change) {
      units = table.model.write(key, outcome.after ? &*outcome.after : nullptr);
      if (schema.has_local_indexes() && request.find("ReturnItemCollectionMetrics") != nullptr)
        collections[schema.name].insert(collection_metrics(table, key[0]).print());
    } else {
      units.table = write_units(before_bytes);
    }
    // The table costs twice, its indexes do not.
    units.table *= 2;
    writes[schema.name].add(units);
    Units read;
    read.table = 2 * read_units(std::max(before_bytes, after_bytes), /*is_consistent=*/true);
    reads[schema.name].add(read);
  }
  count("transaction done");
  Json expected;
  if (!capacity.empty())
    expected["ConsumedCapacity"] = capacity_json(capacity, writes, "WriteCapacityUnits");
  Json actual = call(kWrite, request);
  take_collections(kWrite, request, collections, actual);
  compare(kWrite, request, expected, actual);
  if (token.empty()) return;
  if (burnt_token_ == token) burnt_token_.clear();
  std::erase_if(kept_, [&](const KeptTransaction& one) { return one.token == token; });
  if (kept_.size() == kKeptMax) kept_.erase(kept_.begin());
  kept_.push_back({token, actions, driver_->clock().now(), index_changes_, reads});
}

void Run::expect_cancelled(std::string_view operation, const Json& request,
                           const std::vector<Reason>& reasons) {
  const Json actual = parse_answer(send(operation, request).json);
  const Json* told = actual.find("CancellationReasons");
  Json expected;
  Json& list = expected["CancellationReasons"] = Json::list();
  std::string codes;
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    const Reason& reason = reasons[i];
    const std::string code = reason.code.empty() ? "None" : reason.code;
    codes += (i == 0 ? "" : ", ") + code;
    Json one;
    one["Code"] = Json::string(code);
    if (!reason.messages.empty()) {
      // One of those there may be.
      const Json* message =
          told != nullptr && i < told->array.size() ? told->array[i].find("Message") : nullptr;
      const bool is_one = message != nullptr && reason.messages.contains(message->text);
      one["Message"] = Json::string(is_one ? message->text : *reason.messages.begin());
    }
    if (reason.item != nullptr) one["Item"] = to_json(*reason.item);
    list.array.push_back(std::move(one));
  }
  expected["__type"] = Json::string(aws("TransactionCanceledException"));
  expected["Message"] = Json::string(
      "Transaction cancelled, please refer cancellation reasons for specific reasons [" + codes +
      "]");
  compare(operation, request, expected, actual);
}

// An empty message stands for any.
void Run::expect_error(std::string_view operation, const Json& request, const std::string& type,
                       const std::string& message) {
  const Json actual = parse_answer(send(operation, request).json);
  const Json* actual_type = actual.find("__type");
  const Json* text = actual.find("message");
  if (text == nullptr) text = actual.find("Message");
  if (actual_type != nullptr && actual_type->text == type && text != nullptr &&
      actual.object.size() == 2 && (message.empty() || text->text == message))
    return;
  differ(operation, request, type + ": " + message, actual.print());
}

}  // namespace stator::model
