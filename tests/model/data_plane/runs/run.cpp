#include "tests/model/data_plane/runs/run.h"

#include <algorithm>

namespace stator::model {
namespace {

constexpr std::size_t kTables = 4;
constexpr std::int64_t kSmallCollectionBytesMax = 60'000;
constexpr std::chrono::seconds kTransactionTime(3);
constexpr const char* kValidation = "com.amazon.coral.validate#ValidationException";

}  // namespace

Run::Run(std::uint64_t seed, std::optional<std::filesystem::path> folder) : dice_(seed) {
  // Of the two runs of a seed, in memory and on disk, each of these is one's.
  const bool is_on_disk = folder.has_value();
  if (dice_.percent(50) == is_on_disk) settings_.transaction_time = kTransactionTime;
  if (dice_.percent(50) == is_on_disk)
    settings_.item_collection_bytes_max = kSmallCollectionBytesMax;
  settings_.storage.folder = std::move(folder);
  driver_ = std::make_unique<test::EngineDriver>(settings_);
  while (tables_.size() < kTables) tables_.push_back(create_table());
}

void Run::step() {
  if (dice_.permille(1)) return replace_table();
  if (dice_.permille(1)) return restart();
  if (dice_.permille(2)) return change_indexes();
  if (dice_.permille(5)) return change_settings();
  if (dice_.permille(10)) return pass_time();
  if (dice_.permille(5)) return move_marks();
  if (dice_.permille(4)) return transact_at_limits();
  const std::size_t choice = dice_.below(100);
  if (choice < 13) return put();
  if (choice < 37) return update();
  if (choice < 44) return remove();
  if (choice < 50) return get();
  if (choice < 65) return query();
  if (choice < 71) return scan();
  if (choice < 75) return batch_get();
  if (choice < 79) return batch_write();
  if (choice < 89) return transact_write();
  if (choice < 91) return execute_transaction();
  if (choice < 94) return transact_get();
  if (choice < 95) return execute_reads();
  if (choice < 97) return describe(any_table());
  return invalid();
}

void Run::check() {
  for (const auto& table : tables_) describe(*table);
}

void Run::finish() {
  for (const auto& table : tables_) verify(*table);
  restart();
  while (!tables_.empty()) {
    Json request;
    request["TableName"] = Json::string(tables_.back()->model.schema().name);
    call("DeleteTable", request);
    tables_.pop_back();
  }
}

// --- Requests ------------------------------------------------------------------------------------

void Run::differ(std::string_view operation, const Json& request, const std::string& expected,
                 const std::string& actual) const {
  std::string text = "difference\noperation: " + std::string(operation);
  text += "\nrequest:   " + request.print() + "\nexpected:  " + expected + "\nactual:    " + actual;
  text += "\nlast write: " + last_write_;
  const Json* name = request.find("TableName");
  for (const auto& table : tables_) {
    if (name != nullptr && table->model.schema().name != name->text) continue;
    text += "\ntable:     " + table->model.schema().create_request().print();
  }
  throw Difference(text);
}

test::Answer Run::send(std::string_view operation, const Json& request) {
  count(operation);
  const std::string body = request.print();
  test::Answer answer = driver_->call(operation, body);
  const bool is_read = operation == "DescribeTable" || operation == "GetItem" ||
                       operation == "ListTagsOfResource" || operation == "DescribeTimeToLive" ||
                       operation == "BatchGetItem" || operation == "TransactGetItems" ||
                       operation == "Query" || operation == "Scan";
  if (!is_read) last_write_ = std::string(operation) + " " + body + " -> " + answer.json;
  return answer;
}

Json Run::call(std::string_view operation, const Json& request) {
  const test::Answer answer = send(operation, request);
  if (!answer.ok) differ(operation, request, "success", answer.json);
  return parse_answer(answer.json);
}

void Run::compare(std::string_view operation, const Json& request, const Json& expected,
                  const Json& actual) const {
  const std::string expected_text = expected.print();
  const std::string actual_text = actual.print();
  if (expected_text != actual_text) differ(operation, request, expected_text, actual_text);
}

void Run::expect(std::string_view operation, const Json& request, const Json& expected) {
  compare(operation, request, expected, call(operation, request));
}

void Run::expect_validation(std::string_view operation, const Json& request,
                            const std::set<std::string>& messages) {
  count("refused as invalid");
  const test::Answer answer = send(operation, request);
  const Json actual = parse_answer(answer.json);
  const Json* type = actual.find("__type");
  const Json* message = actual.find("message");
  const bool is_expected = !answer.ok && actual.object.size() == 2 && type != nullptr &&
                           type->text == kValidation && message != nullptr &&
                           messages.contains(message->text);
  if (is_expected) return;
  std::string expected;
  for (const std::string& one : messages) expected += (expected.empty() ? "" : " | ") + one;
  differ(operation, request, expected, answer.json);
}

// --- Tables --------------------------------------------------------------------------------------

std::unique_ptr<LiveTable> Run::create_table() {
  const std::string name = "Table" + std::to_string(++tables_made_);
  auto table = std::make_unique<LiveTable>(generator_.schema(name));
  call("CreateTable", table->model.schema().create_request());
  return table;
}

void Run::replace_table() {
  auto& table = tables_[dice_.below(tables_.size())];
  verify(*table);
  Json request;
  request["TableName"] = Json::string(table->model.schema().name);
  call("DeleteTable", request);
  while (dice_.percent(50) && driver_->sweep()) {
  }
  table = create_table();
}

// Adds a global index to a table that has items, or takes one away.
void Run::change_indexes() {
  LiveTable& table = any_table();
  TableSchema& schema = table.model.schema();
  auto& indexes = schema.indexes;
  ++index_changes_;
  const std::size_t chosen = indexes.empty() ? 0 : dice_.below(indexes.size());
  if (!indexes.empty() && indexes[chosen].is_global && dice_.percent(50)) {
    count("index removed");
    call("UpdateTable", schema.delete_index_request(indexes[chosen]));
    indexes.erase(indexes.begin() + static_cast<long>(chosen));
  } else if (indexes.size() < 6) {
    count("index added");
    indexes.push_back(generator_.index(schema, 100 + ++indexes_made_, true));
    call("UpdateTable", schema.create_index_request(indexes.back()));
    finish_backfill(table);
  }
  verify(table);
}

// A large table's index is filled in pieces, between which anything may happen.
void Run::finish_backfill(LiveTable& table) {
  PieceLimits limits;
  do {
    for (std::size_t writes = dice_.below(4); writes > 0; --writes) quiet_write(table);
    if (settings_.storage.folder && dice_.percent(20)) driver_->reopen();
    limits.records_max = dice_.between(1, 5);
    count("maintenance");
  } while (driver_->maintain(limits).is_due);
}

void Run::restart() {
  if (!settings_.storage.folder) return;
  count("restart");
  driver_->reopen();
  for (const auto& table : tables_) verify(*table);
}

void Run::describe(LiveTable& table) {
  Json request;
  request["TableName"] = Json::string(table.model.schema().name);
  const Json answer = call("DescribeTable", request);
  const Json& shown = answer.object.at("Table");
  const auto check = [&](const Json& object, const char* size_name, const IndexSchema* index) {
    const auto [items, bytes] = table.model.statistics(index);
    const std::string actual = object.object.at("ItemCount").text + " items, " +
                               object.object.at(size_name).text + " bytes";
    const std::string expected =
        std::to_string(items) + " items, " + std::to_string(bytes) + " bytes";
    if (actual == expected) return;
    differ("DescribeTable", request,
           (index != nullptr ? index->name : "the table") + ": " + expected, actual);
  };
  check(shown, "TableSizeBytes", nullptr);
  for (const IndexSchema& index : table.model.schema().indexes) {
    const Json* list =
        shown.find(index.is_global ? "GlobalSecondaryIndexes" : "LocalSecondaryIndexes");
    const auto is_it = [&](const Json& one) {
      return one.object.at("IndexName").text == index.name;
    };
    const auto found = std::find_if(list->array.begin(), list->array.end(), is_it);
    if (found == list->array.end()) differ("DescribeTable", request, index.name, "no such index");
    check(*found, "IndexSizeBytes", &index);
  }
}

void Run::verify(LiveTable& table) {
  describe(table);
  verify_settings(table);
  learn(table, nullptr, {}, nullptr);
  for (const IndexSchema& index : table.model.schema().indexes) learn(table, &index, {}, nullptr);
}

// --- Requests that are certainly wrong -----------------------------------------------------------

void Run::invalid() {
  LiveTable& table = any_table();
  const TableSchema& schema = table.model.schema();
  const std::string enveloped = "1 validation error detected: ";
  Json request;
  request["TableName"] = Json::string(schema.name);
  const Item key = near_key(table);
  const Json key_json = to_request(key, dice_);
  switch (dice_.below(10)) {
    case 0:
      request["Item"] = to_request(generator_.item(schema), dice_);
      request["Item"].object.erase("pk");
      return expect_validation(
          "PutItem", request,
          {"One or more parameter values were invalid: Missing the key pk in the item"});
    case 1:
      request["Item"] = to_request(generator_.item(schema), dice_);
      request["ConditionExpression"] = Json::string("attribute_exists(");
      return expect_validation(
          "PutItem", request,
          {enveloped + R"(Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "(")"});
    case 2:
      request["Key"] = key_json;
      request["Key"]["other"] = to_json(Value::of_string("a"));
      return expect_validation("DeleteItem", request,
                               {"The provided key element does not match the schema"});
    case 3:
      request["Key"] = key_json;
      request["UpdateExpression"] = Json::string("SET n1 = :v REMOVE pk");
      request["ExpressionAttributeValues"][":v"] = to_json(Value::of_string("a"));
      return expect_validation(
          "UpdateItem", request,
          {"One or more parameter values were invalid: Cannot update attribute "
           "pk. This attribute is part of the key"});
    case 4:
      request["Key"] = key_json;
      request["UpdateExpression"] = Json::string("SET l1[0] = :v, l1 = :v");
      request["ExpressionAttributeValues"][":v"] = to_json(Value::of_string("a"));
      return expect_validation(
          "UpdateItem", request,
          {enveloped +
           "Invalid UpdateExpression: Two document paths overlap with each other; must remove or "
           "rewrite one of these paths; path one: [l1, [0]], path two: [l1]"});
    case 5:
      request["KeyConditionExpression"] = Json::string("sk = :v");
      request["ExpressionAttributeValues"][":v"] = to_json(Value::of_string("a"));
      return expect_validation("Query", request, {"Query condition missed key schema element: pk"});
    case 6:
      request["Segment"] = Json::number("5");
      request["TotalSegments"] = Json::number("5");
      return expect_validation(
          "Scan", request,
          {"The Segment parameter is zero-based and must be less than parameter TotalSegments: "
           "Segment: 5 is not less than TotalSegments: 5"});
    case 7: {
      // One bad member of a batch, and nothing of it is written.
      Json batch;
      Json& writes = batch["RequestItems"][schema.name] = Json::list();
      for (int i = 0; i < 2; ++i) {
        Json write;
        write["DeleteRequest"]["Key"] = key_json;
        writes.array.push_back(std::move(write));
      }
      return expect_validation("BatchWriteItem", batch,
                               {"Provided list of item keys contains duplicates"});
    }
    case 8: {
      request["Key"] = key_json;
      request["UpdateExpression"] = Json::string("SET l1 = list_append(list_append(l1, :v), :v)");
      request["ExpressionAttributeValues"][":v"] = to_json(Value::of_list({}));
      return expect_validation(
          "UpdateItem", request,
          {enveloped +
           "Invalid UpdateExpression: The function is not allowed to be used this way in an "
           "expression; function: list_append"});
    }
    default: {
      request["Key"] = key_json;
      request["UpdateExpression"] = Json::string("SET n1 = n1 + :v");
      request["ExpressionAttributeValues"][":v"] = to_json(Value::of_string("a"));
      return expect_validation(
          "UpdateItem", request,
          {enveloped +
           "Invalid UpdateExpression: Incorrect operand type for operator or function; operator or "
           "function: +, operand type: S"});
    }
  }
}

}  // namespace stator::model
