#include "server/cli/client/client_command.h"

#include <utility>

#include "protocol/json/json_mistake.h"
#include "protocol/json/json_reader.h"
#include "server/cli/client/key_value.h"
#include "server/cli/client/result_pages.h"
#include "server/data/formats/input_file.h"
#include "server/data/transfer/json_text.h"
#include "server/log/say.h"
#include "server/templates/plan/verdict.h"

namespace stator::client {

namespace {

using data::DynamodbClient;
using data::TableInfo;

// The table's description, whose keys type the user's words.
tl::expected<TableInfo, data::Failure> described(DynamodbClient& client, const std::string& table) {
  auto info = data::describe_table(client, table);
  if (info && info->keys.empty())
    return tl::unexpected(data::Failure{"", "table '" + table + "' has no keys"});
  return info;
}

// Runs `plan` with the table's description, then shows the result of its request.
template <class Plan>
int run_planned(const ClientOptions& options, const std::string& table, std::string_view index,
                const Plan& plan) {
  DynamodbClient client{options.endpoint};
  auto info = described(client, table);
  if (!info) return fail_with_hints(info.error());
  const RequestPlan request = plan(*info);
  // Only the table's keys and types show that the words are wrong.
  if (!request) {
    complain(request.error());
    return templates::kMistakeStatus;
  }
  info->keys = leading_attributes(*info, index);
  return show_result(client, *request, options, *info);
}

// Returns the item of `stator put` in DynamoDB JSON. The error is for people.
tl::expected<std::string, std::string> item_to_put(const PutWords& words, const TableInfo& table) {
  std::string text = words.json;
  if (!words.file.empty()) {
    auto read = data::read_file(words.file);
    if (!read) return read;
    text = *std::move(read);
  }
  Arena arena;
  std::string unescaped = text;
  std::size_t error_at = 0;
  const auto node = read_json(unescaped, arena, &error_at);
  if (!node) return tl::unexpected("the item is no JSON" + json_mistake_at(text, error_at));
  if (node->kind() != JsonNode::Kind::Object)
    return tl::unexpected(std::string{"the item is no object of JSON"});
  if (!words.is_typed) return plain_item(*node, table);
  std::string item;
  append_node_json(item, *node);
  return item;
}

}  // namespace

int run_tables(const ClientOptions& options, const std::string& table) {
  DynamodbClient client{options.endpoint};
  return show_tables(client, options, table);
}

int run_get(const ClientOptions& options, const std::string& table, const KeyWords& words) {
  return run_planned(options, table, {}, [&](const TableInfo& info) {
    return get_request(table, info, words, options.flags);
  });
}

int run_query(const ClientOptions& options, const std::string& table, const QueryWords& words) {
  return run_planned(options, table, words.index, [&](const TableInfo& info) {
    return query_request(table, info, words, options.flags);
  });
}

int run_scan(const ClientOptions& options, const std::string& table,
             const std::optional<FilterParts>& filter) {
  return run_planned(options, table, {}, [&](const TableInfo&) -> RequestPlan {
    return scan_request(table, filter, options.flags);
  });
}

int run_put(const ClientOptions& options, const std::string& table, const PutWords& words) {
  return run_planned(options, table, {}, [&](const TableInfo& info) -> RequestPlan {
    const auto item = item_to_put(words, info);
    if (!item) return tl::unexpected(item.error());
    return put_request(table, *item, options.flags);
  });
}

int run_delete(const ClientOptions& options, const std::string& table, const KeyWords& words) {
  return run_planned(options, table, {}, [&](const TableInfo& info) {
    return delete_request(table, info, words, options.flags);
  });
}

int run_sql(const ClientOptions& options, const std::string& statement) {
  DynamodbClient client{options.endpoint};
  return show_result(client, sql_request(statement, options.flags), options, {});
}

}  // namespace stator::client
