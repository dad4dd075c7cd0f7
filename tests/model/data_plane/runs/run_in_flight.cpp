// Transactions in flight in a model run: they are held for a while of the clock, and what meets
// them meanwhile is refused where it touches their items, and sees what was where it only reads.
#include <algorithm>
#include <memory>
#include <utility>

#include "tests/model/data_plane/oracle/transact_rules.h"
#include "tests/model/data_plane/runs/run.h"

namespace stator::model {
namespace {

using Begun = test::EngineDriver::Begun;

constexpr const char* kOngoing = "Transaction is ongoing for the item";
constexpr std::size_t kPiecesMax = 1000;

// A flight that ends with the run when that ends at a difference.
class InFlightTransaction {
 public:
  InFlightTransaction(test::EngineDriver& driver, std::unique_ptr<Begun> begun)
      : driver_(driver), begun_(std::move(begun)) {}
  InFlightTransaction(const InFlightTransaction&) = delete;
  InFlightTransaction& operator=(const InFlightTransaction&) = delete;
  ~InFlightTransaction() {
    if (!begun_->is_answered()) driver_.engine().abort_in_flight();
  }
  const Begun& begun() const { return *begun_; }

 private:
  test::EngineDriver& driver_;
  std::unique_ptr<Begun> begun_;
};

Json of_item(const std::string& table, const char* member, const Item& key) {
  Json request;
  request["TableName"] = Json::string(table);
  request[member] = to_json(key);
  return request;
}

Json deletion(const std::string& table, const Item& key) {
  Json json;
  std::string text = "DELETE FROM \"" + table + "\" WHERE ";
  Json& parameters = json["Parameters"] = Json::list();
  for (const auto& [name, value] : key) {
    text += (parameters.array.empty() ? "" : " AND ") + name + " = ?";
    parameters.array.push_back(to_json(value));
  }
  json["Statement"] = Json::string(text);
  return json;
}

}  // namespace

// Sends what nothing is against, and lets it land; the answer.
Json Run::fly(const Transaction& sent, const Json& request) {
  count("transaction in flight");
  count(sent.operation);
  const std::string body = request.print();
  const InFlightTransaction flight(*driver_, driver_->begin(sent.operation, body));
  const Begun& begun = flight.begun();
  if (begun.is_answered()) differ(sent.operation, request, "in flight", begun.answer().json);
  for (std::size_t i = dice_.below(4); i > 0; --i) meet(sent);
  driver_->clock().advance(settings_.transaction_time - std::chrono::microseconds(1));
  driver_->maintain();
  if (begun.is_answered()) differ(sent.operation, request, "in flight", begun.answer().json);
  driver_->clock().advance(std::chrono::microseconds(1));
  for (std::size_t i = 0; i < kPiecesMax && !begun.is_answered(); ++i) driver_->maintain();
  if (!begun.is_answered()) differ(sent.operation, request, "an answer", "none");
  last_write_ = sent.operation + " " + body + " -> " + begun.answer().json;
  if (!begun.answer().ok) differ(sent.operation, request, "success", begun.answer().json);
  return parse_answer(begun.answer().json);
}

void Run::meet(const Transaction& flying) {
  count("transaction in flight met");
  if (dice_.percent(60)) return meet_alone(dice_.any(flying.actions));
  meet_together(flying);
}

// What is asked of one item that is held.
void Run::meet_alone(const TransactAction& held) {
  const std::string& table = held.table_name;
  const std::string conflict = aws("TransactionConflictException");
  switch (dice_.below(7)) {
    case 0:
      return expect_error("PutItem", of_item(table, "Item", held.key), conflict, kOngoing);
    case 1:
      return expect_error("UpdateItem", of_item(table, "Key", held.key), conflict, kOngoing);
    case 2:
      return expect_error("DeleteItem", of_item(table, "Key", held.key), conflict, kOngoing);
    case 3:
      return expect_error("ExecuteStatement", deletion(table, held.key), conflict, kOngoing);
    case 4: {
      Json request;
      Json write;
      write["DeleteRequest"]["Key"] = to_json(held.key);
      request["RequestItems"][table] = Json::list({write});
      Json expected;
      expected["UnprocessedItems"] = request["RequestItems"];
      return expect("BatchWriteItem", request, expected);
    }
    case 5: {
      Json request;
      request["Statements"] = Json::list({deletion(table, held.key)});
      Json member;
      member["Error"]["Code"] = Json::string("TransactionConflict");
      member["Error"]["Message"] = Json::string(kOngoing);
      member["TableName"] = Json::string(table);
      Json expected;
      expected["Responses"] = Json::list({member});
      return expect("BatchExecuteStatement", request, expected);
    }
    default: {
      const TableModel& model = table_named(table)->model;
      const Item* stored = model.find(model.key_values(held.key));
      Json expected;
      if (stored != nullptr) expected["Item"] = to_json(*stored);
      Json request = of_item(table, "Key", held.key);
      if (dice_.percent(50)) request["ConsistentRead"] = Json::boolean(true);
      return expect("GetItem", request, expected);
    }
  }
}

// What is asked of its items and others together.
void Run::meet_together(const Transaction& flying) {
  const Reason conflict{"TransactionConflict", {kOngoing}};
  Json request;
  Json& list = request[flying.operation == kWrite ? "TransactItems" : "TransactStatements"] =
      actions_json(flying.actions);
  std::vector<Reason> reasons(flying.actions.size(), conflict);
  if (!flying.token.empty() && dice_.percent(50)) {
    request["ClientRequestToken"] = Json::string(flying.token);
    if (dice_.percent(50)) {
      return expect_error(flying.operation, request, aws("TransactionInProgressException"),
                          "Transaction from previous request is still in progress");
    }
    if (list.array.size() == 1) return;
    list.array.pop_back();
    return expect_error(flying.operation, request, aws("IdempotentParameterMismatchException"), "");
  }
  if (dice_.percent(50)) return expect_cancelled(flying.operation, request, reasons);

  // Reads of some of its items, and of one that is free.
  Json reads;
  Json& gets = reads["TransactItems"] = Json::list();
  reasons.clear();
  const auto add = [&](const std::string& table, const Item& key, const Reason& reason) {
    Json element;
    element["Get"] = of_item(table, "Key", key);
    gets.array.push_back(std::move(element));
    reasons.push_back(reason);
  };
  for (const TransactAction& action : flying.actions) {
    if (reasons.empty() || dice_.percent(50)) add(action.table_name, action.key, conflict);
  }
  LiveTable& table = any_table();
  const Item key = near_key(table);
  const auto is_it = [&](const TransactAction& action) {
    return action.table_name == table.model.schema().name &&
           table.model.key_values(action.key) == table.model.key_values(key);
  };
  const auto& actions = flying.actions;
  if (reasons.size() < kActionsMax && std::none_of(actions.begin(), actions.end(), is_it))
    add(table.model.schema().name, key, {});
  expect_cancelled(kGet, reads, reasons);
}

}  // namespace stator::model
