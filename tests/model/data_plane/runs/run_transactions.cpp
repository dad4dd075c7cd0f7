// The transactions of a model run.
//
// What an action does is worked out when it is sent, so a transaction that is sent again, with its
// token or after that has ended, is judged like a new one.
#include <algorithm>

#include "tests/model/data_plane/oracle/transact_rules.h"
#include "tests/model/data_plane/oracle/write_rules.h"
#include "tests/model/data_plane/runs/run.h"

namespace stator::model {
namespace {

using Kind = TransactAction::Kind;

constexpr std::chrono::microseconds kTokenLife = std::chrono::minutes(10);
constexpr std::size_t kKeptMax = 40;
constexpr const char* kNoTable = "NoTable";

// The members of an answer that there are in any case.
Json answer_of(const Transaction& sent) {
  Json answer;
  if (sent.operation != kWrite) answer["Responses"] = Json::list();
  return answer;
}

// Each operation has tokens of its own.
bool is_token_of(const Transaction& one, const Transaction& other) {
  return one.operation == other.operation && one.token == other.token;
}

Reason failed_condition(const TransactAction& action, const Item* before) {
  if (action.is_insert) return {"DuplicateItem", {"Duplicate primary key exists in table"}};
  return {"ConditionalCheckFailed",
          {"The conditional request failed"},
          action.returns_old_on_failure ? before : nullptr};
}

// By how much the actions of a transaction let item collections grow, one after the other.
class Growth {
 public:
  explicit Growth(std::int64_t bytes_max) : bytes_max_(bytes_max) {}

  // False: that is too much, and it does not count.
  bool add(const TableModel& table, const TransactAction& action, const TransactOutcome& outcome) {
    if (!table.schema().has_local_indexes() || !outcome.is_change) return true;
    const Value& partition = action.key.at(table.schema().partition_key.name);
    std::int64_t& grown = grown_[table.schema().name + " " + to_json(partition).print()];
    const auto bytes = [&](const Item& item) {
      return static_cast<std::int64_t>(table.bytes_with_entries(item));
    };
    const std::int64_t difference = (outcome.after ? bytes(*outcome.after) : 0) -
                                    (outcome.before != nullptr ? bytes(*outcome.before) : 0);
    const auto now = static_cast<std::int64_t>(table.collection_bytes(partition));
    if (difference > 0 && now + grown + difference > bytes_max_) return false;
    grown += difference;
    return true;
  }

 private:
  const std::int64_t bytes_max_;
  std::map<std::string, std::int64_t> grown_;  // by table and partition
};

// An index key that the request says is empty is told at once, one of a wrong type by position.
bool is_told_at_once(const std::string& error) {
  return error.starts_with("One or more parameter values are not valid");
}

}  // namespace

Json actions_json(const std::vector<TransactAction>& actions) {
  Json list = Json::list();
  for (const TransactAction& action : actions) list.array.push_back(action.json);
  return list;
}

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
  send_transaction({kWrite, std::move(actions), choose_token(kWrite)});
}

// Sends again what had its effect, with its token.
void Run::repeat(std::size_t kept) {
  const KeptTransaction again = kept_[kept];
  const auto is_beyond_the_model = [&](const TransactAction& action) {
    return table_named(action.table_name) != nullptr && outcome_of(action).is_too_large;
  };
  // Indexes made since then refuse what was fine.
  if (again.index_changes != index_changes_ ||
      std::any_of(again.sent.actions.begin(), again.sent.actions.end(), is_beyond_the_model)) {
    forget_token(again.sent.token);
    return;
  }
  count("transaction sent again");
  send_transaction(again.sent);
}

// Of both operations: it must not be chosen any more, for the service still knows it.
void Run::forget_token(const std::string& token) {
  std::erase_if(kept_, [&](const KeptTransaction& one) { return one.sent.token == token; });
  std::erase_if(burnt_tokens_, [&](const auto& burnt) { return burnt.second == token; });
}

// --- What is answered ----------------------------------------------------------------------------

void Run::send_transaction(const Transaction& sent) {
  Json request;
  const std::string capacity = random_capacity(request);
  const bool is_write = sent.operation == kWrite;
  if (is_write && dice_.percent(20)) request["ReturnItemCollectionMetrics"] = Json::string("SIZE");
  if (!sent.token.empty()) request["ClientRequestToken"] = Json::string(sent.token);
  request[is_write ? "TransactItems" : "TransactStatements"] = actions_json(sent.actions);

  std::vector<Reason> reasons;
  if (refused_whole(sent, request, reasons)) return;
  if (repeated(sent, request, capacity)) return;
  std::vector<TransactOutcome> outcomes;
  if (reasons.empty()) reasons = reasons_against(sent.actions, outcomes);
  if (reasons.empty()) return enter(sent, outcomes, request, capacity);
  count("transaction cancelled");
  expect_cancelled(sent.operation, request, reasons);
  burnt_tokens_[sent.operation] = sent.token;
}

// Whether tables of statements are missing, which cancels them; then that has been checked.
bool Run::misses_tables(const Transaction& sent, const Json& request) {
  std::vector<Reason> reasons(sent.actions.size());
  bool is_any_missing = false;
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (table_named(sent.actions[i].table_name) != nullptr) continue;
    reasons[i] = {"ResourceNotFound", {"Requested resource not found"}};
    is_any_missing = true;
  }
  if (!is_any_missing) return false;
  count("statements on a missing table");
  expect_cancelled(sent.operation, request, reasons);
  return true;
}

// Whether there is something wrong that concerns the whole request; then the refusal has been
// checked. Keys that do not fit become reasons.
bool Run::refused_whole(const Transaction& sent, const Json& request,
                        std::vector<Reason>& reasons) {
  const std::vector<TransactAction>& actions = sent.actions;
  for (const TransactAction& action : actions) {
    if (action.refusal.empty()) continue;
    expect_validation(sent.operation, request, {action.refusal});
    return true;
  }
  if (sent.operation == kStatements && misses_tables(sent, request)) return true;
  std::map<std::string, std::set<KeyValues, KeyOrder>> used;
  bool is_twice = false;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const TransactAction& action = actions[i];
    const LiveTable* table = table_named(action.table_name);
    if (table == nullptr) {
      count("transaction on a missing table");
      if (is_twice && reasons.empty()) {
        expect_validation(sent.operation, request, {kTwice});
      } else {
        expect_error(sent.operation, request, aws("ResourceNotFoundException"),
                     "Requested resource not found");
      }
      return true;
    }
    std::set<std::string> at_once;
    if (!action.empty_key.empty()) at_once.insert(action.empty_key);
    std::set<std::string> misfits = action.misfits;
    for (const std::string& error : told_index_key_errors(table->model.schema(), action.update))
      (is_told_at_once(error) ? at_once : misfits).insert(error);
    if (!at_once.empty()) {
      expect_validation(sent.operation, request, at_once);
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
  expect_validation(sent.operation, request, {kTwice});
  return true;
}

// Whether the token is that of an earlier transaction; then the answer has been checked.
bool Run::repeated(const Transaction& sent, const Json& request, const std::string& capacity) {
  const auto kept = std::find_if(kept_.begin(), kept_.end(), [&](const KeptTransaction& one) {
    return !sent.token.empty() && is_token_of(sent, one.sent);
  });
  if (kept == kept_.end()) return false;
  if (driver_->clock().now() >= kept->finished.plus(kTokenLife)) {
    count("token ended");
    return false;
  }
  if (actions_json(sent.actions).print() != actions_json(kept->sent.actions).print()) {
    count("token of another transaction");
    expect_error(sent.operation, request, aws("IdempotentParameterMismatchException"), "");
    return true;
  }
  count("transaction repeated");
  Json expected = answer_of(sent);
  if (!capacity.empty())
    expected["ConsumedCapacity"] = capacity_json(capacity, kept->reads, "ReadCapacityUnits");
  expect(sent.operation, request, expected);
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
  if (action.kind == Kind::Put) {
    outcome.after = action.item;
    if (table.bytes_with_entries(action.item) > kItemBytesMax) outcome.errors = {kItemTooLarge};
    outcome.is_too_large = outcome.errors.empty() && !is_small_enough(table.schema(), action.item);
  }
  if (action.kind != Kind::Update) return outcome;
  Updated updated = apply(action.update, outcome.before, action.key);
  outcome.errors = std::move(updated.errors);
  if (!outcome.errors.empty()) return outcome;
  outcome.errors = index_key_errors(table.schema(), action.update, updated.item);
  const bool exists_after = outcome.before != nullptr || !only_takes(action.update);
  if (outcome.errors.empty() && exists_after &&
      table.bytes_with_entries(updated.item) > kItemBytesMax)
    outcome.errors = {kUpdateTooLarge};
  outcome.is_too_large = outcome.errors.empty() && !is_small_enough(table.schema(), updated.item);
  if (exists_after) outcome.after = std::move(updated.item);
  return outcome;
}

// All conditions that do not hold are told; an action whose values do not fit is told of alone.
std::vector<Reason> Run::reasons_against(const std::vector<TransactAction>& actions,
                                         std::vector<TransactOutcome>& outcomes) {
  std::vector<Reason> reasons(actions.size());
  bool is_cancelled = false;
  Growth growth(settings_.item_collection_bytes_max);
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const TransactAction& action = actions[i];
    outcomes.push_back(outcome_of(action));
    const TransactOutcome& outcome = outcomes.back();
    if (!outcome.is_met) {
      reasons[i] = failed_condition(action, outcome.before);
      is_cancelled = true;
    } else if (!outcome.errors.empty()) {
      reasons.assign(actions.size(), {});
      reasons[i] = {"ValidationError", outcome.errors};
      return reasons;
    } else if (has_small_collections() &&
               !growth.add(table_named(action.table_name)->model, action, outcome)) {
      count("transaction with a collection too large");
      reasons[i] = {"ItemCollectionSizeLimitExceeded", {kCollectionTooLarge}};
      is_cancelled = true;
    }
  }
  return is_cancelled ? reasons : std::vector<Reason>();
}

void Run::enter(const Transaction& sent, const std::vector<TransactOutcome>& outcomes,
                const Json& request, const std::string& capacity) {
  const std::vector<TransactAction>& actions = sent.actions;
  Json actual = flies() ? fly(sent, request) : call(sent.operation, request);
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
  Json expected = answer_of(sent);
  if (!capacity.empty())
    expected["ConsumedCapacity"] = capacity_json(capacity, writes, "WriteCapacityUnits");
  take_collections(sent.operation, request, collections, actual);
  compare(sent.operation, request, expected, actual);
  if (sent.token.empty()) return;
  if (burnt_tokens_[sent.operation] == sent.token) burnt_tokens_.erase(sent.operation);
  std::erase_if(kept_, [&](const KeptTransaction& one) { return is_token_of(sent, one.sent); });
  if (kept_.size() == kKeptMax) {
    const std::string forgotten = kept_.front().sent.token;
    forget_token(forgotten);
    if (forgotten == sent.token) return;
  }
  kept_.push_back({sent, driver_->clock().now(), index_changes_, reads});
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
