// Transactions of a model run that are as large as they may be, or by a byte too large: their
// items, and what they bring together. Nothing that large stays.
#include <algorithm>
#include <utility>

#include "tests/model/data_plane/oracle/transact_rules.h"
#include "tests/model/data_plane/oracle/write_rules.h"
#include "tests/model/data_plane/runs/run.h"

namespace stator::model {
namespace {

using Kind = TransactAction::Kind;

constexpr const char* kPadding = "padding";
constexpr std::size_t kLargeItems = 11;
constexpr std::size_t kLargeItemBytes = 400'000;

// How often a byte of padding counts in an item: in every local index with all attributes once
// more.
std::size_t copies_of_padding(const TableModel& table, const Item& item) {
  const auto& indexes = table.schema().indexes;
  return 1 + static_cast<std::size_t>(
                 std::count_if(indexes.begin(), indexes.end(), [&](const IndexSchema& index) {
                   return !index.is_global && table.is_projected(index, kPadding) &&
                          table.entry(index, item).has_value();
                 }));
}

// The longest padding that the item can have. REQUIRES: it has an empty one.
std::optional<std::size_t> padding_bytes_max(const TableModel& table, const Item& item) {
  const std::size_t bytes = table.bytes_with_entries(item);
  if (bytes > kItemBytesMax) return std::nullopt;
  return (kItemBytesMax - bytes) / copies_of_padding(table, item);
}

Value padding(std::size_t bytes) { return Value::of_string(std::string(bytes, 'p')); }

TransactAction deletion(const TableSchema& schema, const Item& key, Dice& dice) {
  TransactAction action;
  action.kind = Kind::Delete;
  action.table_name = schema.name;
  action.key = key;
  Json& request = action.json["Delete"];
  request["TableName"] = Json::string(schema.name);
  request["Key"] = to_request(key, dice);
  return action;
}

// Puts an item of this size with nothing but padding beside its key.
TransactAction large_put(const TableSchema& schema, const Item& key, std::size_t bytes,
                         Dice& dice) {
  TransactAction action;
  action.table_name = schema.name;
  action.key = key;
  action.item = key;
  action.item[kPadding] = padding(0);
  action.item[kPadding] = padding(bytes - size_bytes(action.item));
  Json& request = action.json["Put"];
  request["TableName"] = Json::string(schema.name);
  request["Item"] = to_request(action.item, dice);
  return action;
}

// Brings as many bytes in an update: of its key, and of a value with the name that stands for it.
TransactAction large_update(const TableSchema& schema, const Item& key, std::size_t bytes,
                            Dice& dice) {
  const std::string name = ":p";
  TransactAction action;
  action.kind = Kind::Update;
  action.table_name = schema.name;
  action.key = key;
  Action set;
  set.target = {member_step(kPadding)};
  set.value.constant = padding(bytes - size_bytes(key) - name.size());
  action.update.actions = {set};
  Json& request = action.json["Update"];
  request["TableName"] = Json::string(schema.name);
  request["Key"] = to_request(key, dice);
  request["UpdateExpression"] = Json::string("SET padding = " + name);
  request["ExpressionAttributeValues"][name] = to_json(set.value.constant);
  return action;
}

}  // namespace

void Run::transact_at_limits() {
  if (dice_.percent(95)) return transact_item_at_limit();
  transact_payload_at_limit();
}

// A Put or an Update that makes its item, with its entries in local indexes, as large as an item
// may be, or larger.
std::optional<TransactAction> Run::padded_action(LiveTable& table, bool is_beyond) {
  const TableModel& model = table.model;
  TransactAction action;
  action.kind = dice_.any({Kind::Put, Kind::Update});
  action.table_name = model.schema().name;
  action.key = near_key(table);
  const Item* stored = model.find(model.key_values(action.key));
  Action set;
  set.target = {member_step(kPadding)};
  set.value.constant = padding(0);
  if (dice_.percent(50)) action.update = generator_.update(model.schema(), stored);
  action.update.actions.push_back(set);
  Item item = generator_.item(model.schema());
  for (const auto& [name, value] : action.key) item[name] = value;
  item[kPadding] = padding(0);
  if (action.kind == Kind::Update) {
    Updated updated = apply(action.update, stored, action.key);
    if (!updated.errors.empty()) return std::nullopt;
    item = std::move(updated.item);
  }
  const auto bytes_max = padding_bytes_max(model, item);
  if (!bytes_max) return std::nullopt;
  const Value padded = padding(*bytes_max + (is_beyond ? 1 : 0));

  Json& request = action.json[action.kind == Kind::Put ? "Put" : "Update"];
  request["TableName"] = Json::string(action.table_name);
  if (action.kind == Kind::Put) {
    item[kPadding] = padded;
    if (size_bytes(item) > kItemBytesMax) action.refusal = kItemTooLarge;
    request["Item"] = to_request(item, dice_);
    action.item = std::move(item);
    action.update = {};
    return action;
  }
  action.update.actions.back().value.constant = padded;
  request["Key"] = to_request(action.key, dice_);
  ExpressionPrinter printer(dice_);
  request["UpdateExpression"] = Json::string(printer.update(action.update));
  printer.finish(request);
  return action;
}

void Run::transact_item_at_limit() {
  const bool is_beyond = dice_.percent(40);
  auto padded = padded_action(any_table(), is_beyond);
  if (!padded) return;
  count(is_beyond ? "transaction with an item too large" : "transaction with the largest item");
  std::vector<TransactAction> actions;
  for (std::size_t i = dice_.below(4); i > 0; --i) {
    if (auto action = plan_action(/*is_hopeful=*/true)) actions.push_back(std::move(*action));
  }
  const std::size_t place = dice_.below(actions.size() + 1);
  actions.insert(actions.begin() + static_cast<long>(place), std::move(*padded));
  const Transaction sent{kWrite, std::move(actions), choose_token(kWrite)};
  send_transaction(sent);
  if (dice_.percent(30)) send_transaction(sent);
  drop_large(sent.actions);
}

void Run::transact_payload_at_limit() {
  const bool is_beyond = dice_.percent(50);
  std::map<std::string, std::set<KeyValues, KeyOrder>> used;
  std::vector<TransactAction> actions;
  std::vector<TransactRead> reads;
  std::size_t bytes = kTransactionBytesMax + (is_beyond ? 1 : 0);
  for (std::size_t tries = 0; tries < 300 && actions.size() < kLargeItems; ++tries) {
    LiveTable& table = any_table();
    const TableSchema& schema = table.model.schema();
    const Item key = generator_.key(schema);
    if (schema.has_local_indexes() || !used[schema.name].insert(table.model.key_values(key)).second)
      continue;
    const std::size_t own_bytes = actions.size() + 1 < kLargeItems ? kLargeItemBytes : bytes;
    const bool is_put = own_bytes == kLargeItemBytes || dice_.percent(50);
    actions.push_back((is_put ? large_put : large_update)(schema, key, own_bytes, dice_));
    reads.push_back({&table, key, {}});
    bytes -= own_bytes;
  }
  if (actions.size() < kLargeItems) return;
  if (is_beyond) {
    count("transaction of more than 4 MB");
    Json request;
    request["TransactItems"] = actions_json(actions);
    return expect_validation(kWrite, request, {payload_too_large(kTransactionBytesMax + 1)});
  }
  count("transaction of 4 MB");
  send_transaction({kWrite, std::move(actions), choose_token(kWrite)});
  read_and_delete(reads);
}

// As many bytes may be read at once; when they are deleted what is stored does not count.
void Run::read_and_delete(const std::vector<TransactRead>& reads) {
  Json request;
  Json& list = request["TransactItems"] = Json::list();
  std::vector<TransactAction> deletions;
  for (const TransactRead& read : reads) {
    const TableSchema& schema = read.table->model.schema();
    Json element;
    element["Get"]["TableName"] = Json::string(schema.name);
    element["Get"]["Key"] = to_request(read.key, dice_);
    list.array.push_back(std::move(element));
    deletions.push_back(deletion(schema, read.key, dice_));
  }
  check_reads(request, "", reads);
  send_transaction({kWrite, std::move(deletions)});
}

void Run::drop_large(const std::vector<TransactAction>& actions) {
  for (const TransactAction& action : actions) {
    LiveTable& table = *table_named(action.table_name);
    const KeyValues key = table.model.key_values(action.key);
    const Item* stored = table.model.find(key);
    if (stored != nullptr && !is_small_enough(table.model.schema(), *stored))
      quiet_delete(table, key);
  }
}

}  // namespace stator::model
