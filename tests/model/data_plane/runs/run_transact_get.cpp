// The transactions of a model run that read.
#include "tests/model/data_plane/oracle/transact_rules.h"
#include "tests/model/data_plane/runs/run.h"

namespace stator::model {

void Run::transact_get() {
  Json request;
  const std::string capacity = random_capacity(request);
  Json& list = request["TransactItems"] = Json::list();
  std::vector<TransactRead> reads;
  std::map<std::string, std::set<KeyValues, KeyOrder>> used;
  std::optional<std::size_t> misfit;
  bool is_twice = false;
  const bool is_careless = dice_.percent(10);
  for (std::size_t i = dice_.between(1, dice_.percent(20) ? kActionsMax : 8); i > 0; --i) {
    TransactRead read{&any_table(), {}, {}};
    read.key = near_key(*read.table);
    const TableModel& table = read.table->model;
    const bool is_again = !used[table.schema().name].insert(table.key_values(read.key)).second;
    if (is_again && !is_careless) continue;
    Json element;
    Json& get = element["Get"];
    get["TableName"] = Json::string(table.schema().name);
    get["Key"] = to_request(read.key, dice_);
    if (is_careless && dice_.percent(3)) {
      get["Key"]["other"] = to_json(Value::of_string("a"));
      if (!misfit) misfit = reads.size();
    }
    is_twice = is_twice || is_again;
    if (dice_.percent(40)) {
      ExpressionPrinter printer(dice_);
      read.paths = generator_.projection(generator_.scope(table, nullptr));
      get["ProjectionExpression"] = Json::string(printer.projection(read.paths));
      printer.finish(get);
    }
    list.array.push_back(std::move(element));
    reads.push_back(std::move(read));
  }
  if (misfit) {
    std::vector<Reason> reasons(reads.size());
    reasons[*misfit] = {"ValidationError", {kKeyMismatch}};
    return expect_cancelled(kGet, request, reasons);
  }
  if (is_twice) return expect_validation(kGet, request, {kTwice});
  check_reads(request, capacity, reads);
}

void Run::check_reads(const Json& request, const std::string& capacity,
                      const std::vector<TransactRead>& reads) {
  const char* const operation = request.find("TransactStatements") != nullptr ? kStatements : kGet;
  Json expected;
  Json& responses = expected["Responses"] = Json::list();
  std::map<std::string, Units> units;
  std::size_t total_bytes = 0;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const TransactRead& read = reads[i];
    const TableModel& table = read.table->model;
    const Item* stored = table.find(table.key_values(read.key));
    const std::size_t item_bytes = stored != nullptr ? size_bytes(*stored) : 0;
    total_bytes += item_bytes;
    if (total_bytes > kTransactionBytesMax) {
      count("transaction reads too much");
      std::vector<Reason> reasons(reads.size());
      reasons[i] = {"ValidationError", {payload_too_large(total_bytes)}};
      return expect_cancelled(operation, request, reasons);
    }
    Units one;
    one.table = 2 * read_units(item_bytes, /*is_consistent=*/true);
    units[table.schema().name].add(one);
    Json response;
    if (stored != nullptr) {
      // Other than in GetItem, an item of which nothing is left is not shown.
      const Item shown = read.paths.empty() ? *stored : project(*stored, read.paths);
      if (!shown.empty()) response["Item"] = to_json(shown);
    }
    responses.array.push_back(std::move(response));
  }
  if (!capacity.empty())
    expected["ConsumedCapacity"] = capacity_json(capacity, units, "ReadCapacityUnits");
  expect(operation, request, expected);
}

}  // namespace stator::model
