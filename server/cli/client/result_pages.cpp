#include "server/cli/client/result_pages.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "protocol/json/json_reader.h"
#include "protocol/json/json_writer.h"
#include "protocol/text/shown_number.h"
#include "server/data/formats/item_of.h"
#include "server/data/transfer/json_text.h"
#include "server/data/transfer/page_cycle.h"
#include "server/explain/explain_text.h"
#include "server/log/say.h"

namespace stator::client {

namespace {

using data::DynamodbClient;
using data::TableInfo;

// Adds up what responses say that they consumed.
class Units {
 public:
  void add(const JsonNode& answer) {
    const JsonNode* const consumed = answer.find("ConsumedCapacity");
    if (consumed == nullptr || consumed->kind() != JsonNode::Kind::Object) return;
    const std::string_view text = data::number_text_in(*consumed, "CapacityUnits");
    double units = 0;
    std::from_chars(text.data(), text.data() + text.size(), units);
    sum_ += units;
  }
  void report() const {
    complain(rounded(sum_, kUnitDecimals) + (sum_ == 1 ? " capacity unit" : " capacity units"));
  }

 private:
  double sum_ = 0;
};

// Says on stderr what the server did for the last request. Returns false if it did not tell.
bool tell_work(const DynamodbClient& client, std::string_view operation) {
  if (client.explanation().empty()) return false;
  std::string text = client.explanation();
  Arena arena;
  const auto told = read_json(text, arena);
  if (!told || told->kind() != JsonNode::Kind::Object) return false;
  const std::string lines = explanation_text(operation, *told);
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    complain(std::string_view(lines).substr(begin, end - begin));
    begin = end + 1;
  }
  return true;
}

// The items of a page: elements of an array, or one object. Empty for a page without items.
std::span<const JsonNode> nodes_of(const JsonNode* node) {
  if (node == nullptr) return {};
  if (node->kind() == JsonNode::Kind::Array) return node->elements();
  return {node, 1};
}

tl::expected<std::vector<Item>, std::string> items_of(std::span<const JsonNode> nodes,
                                                      Arena& arena) {
  std::vector<Item> items;
  items.reserve(nodes.size());
  for (const JsonNode& node : nodes) {
    const auto item = data::item_of(node, arena);
    if (!item) return tl::unexpected("an item of the response: " + item.error());
    items.push_back(*item);
  }
  return items;
}

// The pages of one request.
class Pages {
 public:
  Pages(DynamodbClient& client, const Request& request) : client_{client}, request_{request} {}

  // Sends the request for the next page. `left`: the user's limit, less what was shown. The
  // response lives until the next call.
  tl::expected<JsonNode, data::Failure> next(std::optional<std::uint64_t> left) {
    std::string body = "{" + request_.members;
    const auto add = [&body](std::string_view name, std::string_view json) {
      body.append(body.size() > 1 ? ",\"" : "\"").append(name).append("\":").append(json);
    };
    std::uint64_t limit = request_.page_items;
    if (left && request_.passes_limit) limit = limit == 0 ? *left : std::min(limit, *left);
    if (limit != 0) add("Limit", std::to_string(limit));
    if (!place_.empty()) add(request_.start, place_);
    auto answer = client_.call(request_.operation, body + "}");
    if (!answer) return answer;
    place_.clear();
    const JsonNode* const place = request_.next.empty() ? nullptr : answer->find(request_.next);
    if (place != nullptr) append_node_json(place_, *place);
    if (!place_.empty() && cycle_.returns_to(place_))
      return tl::unexpected(data::Failure{"", data::kEndlessPages});
    return answer;
  }

  bool has_more() const { return !place_.empty(); }

 private:
  DynamodbClient& client_;
  const Request& request_;
  data::PageCycle cycle_;
  std::string place_;  // of the next page, as JSON
};

// "pk S, sk N"
std::string keys_text(const TableInfo& info, const std::vector<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys) {
    const auto type = info.types.find(key);
    text += (text.empty() ? "" : ", ") + key;
    if (type != info.types.end()) text += " " + type->second;
  }
  return text;
}

std::string indexes_text(const TableInfo& info) {
  std::string text;
  for (const data::IndexInfo& index : info.indexes) {
    std::vector<std::string> keys = index.partition_keys;
    keys.insert(keys.end(), index.sort_keys.begin(), index.sort_keys.end());
    text += (text.empty() ? "" : "; ") + index.name + (index.is_local ? " local (" : " (") +
            keys_text(info, keys) + ")";
  }
  return text;
}

// The order of a row's cells; CSV demands their types.
TableInfo columns_of_tables() {
  TableInfo columns;
  columns.keys = {"table", "status", "mode", "items", "bytes", "keys", "indexes"};
  for (const std::string& name : columns.keys)
    columns.types[name] = name == "items" || name == "bytes" ? "N" : "S";
  return columns;
}

std::string row_of(const std::string& table, const TableInfo& info) {
  std::string row;
  JsonWriter json{row};
  json.begin_object();
  const auto add = [&json](std::string_view name, std::string_view type, const std::string& value) {
    json.key(name);
    json.begin_object();
    json.member(type, value);
    json.end_object();
  };
  add("table", "S", table);
  add("status", "S", info.status);
  add("mode", "S", info.is_on_demand ? "on-demand" : "provisioned");
  add("items", "N", std::to_string(info.item_count));
  add("bytes", "N", std::to_string(info.size_bytes));
  add("keys", "S", keys_text(info, info.keys));
  if (!info.indexes.empty()) add("indexes", "S", indexes_text(info));
  json.end_object();
  return row;
}

// Shows a row for each table that still exists. Returns an exit status if the command ends here.
std::optional<int> show_rows(DynamodbClient& client, const std::vector<std::string>& names,
                             bool may_be_missing, ItemOutput& output) {
  std::string rows = "[";
  for (const std::string& name : names) {
    const auto info = data::describe_table(client, name);
    if (!info && info.error().code == data::kNoTable && may_be_missing) continue;
    if (!info) return fail_with_hints(info.error());
    rows += (rows.size() > 1 ? "," : "") + row_of(name, *info);
  }
  rows += ']';
  Arena arena;
  const auto read = read_json(rows, arena);
  if (!read) return fail("a table's description is not UTF-8");
  const auto items = items_of(read->elements(), arena);
  if (!items) return fail(items.error());
  if (const auto shown = output.add(*items); !shown) return status_of(shown.error());
  return std::nullopt;
}

int finish(ItemOutput& output) {
  const auto finished = output.finish();
  return finished ? 0 : status_of(finished.error());
}

}  // namespace

int status_of(const OutputEnd& end) { return end.problem.empty() ? 0 : fail(end.problem); }

int fail_with_hints(const data::Failure& failure) {
  const int status = fail(failure.text());
  for (const std::string& hint : failure.hints) complain("hint: " + hint);
  return status;
}

int show_result(DynamodbClient& client, const Request& request, const ClientOptions& options,
                const TableInfo& table) {
  auto output = make_output(options.output, table);
  if (!output) return fail(output.error());
  Units units;
  Pages pages{client, request};
  std::optional<std::uint64_t> left = options.limit;
  bool is_explained = true;
  do {
    const auto answer = pages.next(left);
    if (options.explains && is_explained) {
      is_explained = tell_work(client, request.operation);
      if (!is_explained)
        complain("the server explains nothing: it is no Stator, or has --explain 0");
    }
    if (!answer) return fail_with_hints(answer.error());
    units.add(*answer);
    auto nodes = nodes_of(request.items.empty() ? nullptr : answer->find(request.items));
    if (left) nodes = nodes.first(std::min<std::size_t>(nodes.size(), *left));
    Arena arena;
    const auto items = items_of(nodes, arena);
    if (!items) return fail(items.error());
    if (const auto shown = (*output)->add(*items); !shown) return status_of(shown.error());
    if (options.output.is_one_item && items->empty()) return fail("there is no such item");
    if (left) *left -= nodes.size();
  } while (pages.has_more() && left != 0U);
  const int status = finish(**output);
  if (status == 0 && options.flags.wants_units) units.report();
  return status;
}

int show_tables(DynamodbClient& client, const ClientOptions& options, const std::string& table) {
  auto output = make_output(options.output, columns_of_tables());
  if (!output) return fail(output.error());
  if (!table.empty()) {
    const auto status = show_rows(client, {table}, /*may_be_missing=*/false, **output);
    return status ? *status : finish(**output);
  }
  const Request request = list_request();
  Pages pages{client, request};
  do {
    const auto answer = pages.next(std::nullopt);
    if (!answer) return fail_with_hints(answer.error());
    std::vector<std::string> names;
    for (const JsonNode& name : nodes_of(answer->find(request.items)))
      if (name.kind() == JsonNode::Kind::String) names.emplace_back(name.text());
    if (const auto status = show_rows(client, names, /*may_be_missing=*/true, **output))
      return *status;
  } while (pages.has_more());
  return finish(**output);
}

}  // namespace stator::client
