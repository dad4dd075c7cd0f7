// The tool `query`: items by key values, or of a whole table or index.
#include <utility>

#include "server/cli/client/filter_text.h"
#include "server/cli/client/requests.h"
#include "server/cli/client/sort_condition.h"
#include "server/cli/mcp/tools/argument_check.h"
#include "server/cli/mcp/tools/item_pages.h"
#include "server/cli/mcp/tools/tool_context.h"
#include "server/cli/mcp/tools/tools.h"
#include "server/data/transfer/json_text.h"
#include "server/data/transfer/table_info.h"

namespace stator::mcp {

namespace {

constexpr std::string_view kScanHint =
    "without pk this is a Scan, which reads all items and pays for all";

// The request of the arguments; a wrong one fails with the argument's name.
tl::expected<client::Request, ToolError> request_of(const std::string& table,
                                                    const data::TableInfo& info,
                                                    const JsonNode& arguments) {
  client::QueryWords words;
  const auto partition = word_in(arguments, "pk");
  const std::string sort{data::text_in(arguments, "sk")};
  const std::string filter{data::text_in(arguments, "filter")};
  if (!partition && !sort.empty()) return wrong_argument("sk goes with pk");
  std::optional<client::FilterParts> parts;
  if (!filter.empty()) {
    auto read = client::read_filter(filter);
    if (!read) return wrong_argument("filter: " + read.error());
    parts = *std::move(read);
  }
  const client::RequestFlags flags{data::is_true(arguments, "consistent"), /*wants_units=*/true};
  words.index = data::text_in(arguments, "index");
  if (!partition) {
    client::Request request = client::scan_request(table, parts, flags);
    append_text_member(request.members, "IndexName", words.index);
    return request;
  }
  if (!sort.empty()) {
    auto read = client::read_sort_condition(sort);
    if (!read) return wrong_argument("sk: " + read.error());
    words.sort = *std::move(read);
  }
  words.partition = *partition;
  words.filter = std::move(parts);
  words.is_descending = data::is_true(arguments, "descending");
  auto request = client::query_request(table, info, words, flags);
  if (!request) return failed(std::move(request).error());
  return *std::move(request);
}

Outcome run_query_tool(ToolContext& context, const JsonNode& arguments) {
  const std::string table{data::text_in(arguments, "table")};
  const auto info = data::describe_table(context.client(), table);
  if (!info) return tl::unexpected(error_of(info.error()));
  if (info->keys.empty()) return failed("table '" + table + "' has no keys");
  auto request = request_of(table, *info, arguments);
  if (!request) return tl::unexpected(std::move(request).error());
  ItemRead read{*std::move(request), data::is_true(arguments, "typed")};
  if (arguments.has("limit")) read.left = data::count_in(arguments, "limit");
  if (read.request.operation == "Scan") read.hint = kScanHint;
  return read_items(context, std::move(read));
}

}  // namespace

Tool query_tool() {
  return {"query",
          "Reads items by key. pk and sk are values of the table's keys, or of the index's. "
          "Without pk it scans. A number that a double cannot hold is a string.",
          R"("table":{"type":"string"},)"
          R"("pk":{"type":["string","number"],"description":"binary: Base64"},)"
          R"("sk":{"type":"string","description":"'= A', '< A', '<= A', '> A', '>= A', )"
          R"('begins_with A', 'between A B'"},)"
          R"("index":{"type":"string"},)"
          R"("filter":{"type":"string","description":)"
          R"("such as begins_with(title, 'A') AND year > 1990"},)"
          R"("descending":{"type":"boolean"},"consistent":{"type":"boolean"},)"
          R"("limit":{"type":"integer","minimum":1},)"
          R"("typed":{"type":"boolean","description":"items in DynamoDB JSON"})",
          R"("table")",
          kItemResults,
          {.reads_only = true, .is_idempotent = true},
          run_query_tool};
}

}  // namespace stator::mcp
