#include "server/cli/client/table_commands.h"

#include <unistd.h>

#include <optional>
#include <string_view>
#include <utility>

#include "protocol/json/json_node_text.h"
#include "protocol/json/json_writer.h"
#include "server/cli/client/result_pages.h"
#include "server/cli/output/standard_output.h"
#include "server/log/say.h"
#include "server/templates/schema/indented_json.h"

namespace stator::client {

namespace {

using data::DynamodbClient;
using data::TableInfo;

constexpr std::string_view kDefaultType = ":S";

// "pk" becomes "pk:S".
std::string with_type(std::string_view word) {
  std::string text(word);
  if (text.find(':') == std::string::npos) text += kDefaultType;
  return text;
}

// Adds the types of an index. Returns the name of an attribute that has another type, if any.
std::optional<std::string> add_types(const TableInfo& index, TableInfo& table) {
  for (const auto& [name, type] : index.types) {
    const auto known = table.types.try_emplace(name, type).first;
    if (known->second != type) return name;
  }
  return std::nullopt;
}

tl::expected<TableInfo, std::string> keys_of(std::string_view first, std::string_view second) {
  std::string key = with_type(first);
  if (!second.empty()) key += "," + with_type(second);
  auto info = data::info_of_key(key);
  if (!info) return tl::unexpected("'" + key + "' is not NAME:TYPE[,NAME:TYPE]");
  return *std::move(info);
}

tl::expected<void, std::string> add_index(std::string_view word, TableInfo& table) {
  const std::size_t equal = word.find('=');
  if (equal == std::string_view::npos || equal == 0)
    return tl::unexpected("'" + std::string(word) + "' is not NAME=KEY[,KEY]");
  const std::string_view keys = word.substr(equal + 1);
  const std::size_t comma = keys.find(',');
  const bool has_sort = comma != std::string_view::npos;
  const auto info =
      keys_of(keys.substr(0, comma), has_sort ? keys.substr(comma + 1) : std::string_view());
  if (!info) return tl::unexpected(info.error());
  if (const auto twice = add_types(*info, table))
    return tl::unexpected("attribute '" + *twice + "' has two types");
  data::IndexInfo& index = table.indexes.emplace_back();
  index.name = word.substr(0, equal);
  index.partition_keys = {info->keys.front()};
  if (info->keys.size() > 1) index.sort_keys = {info->keys.back()};
  return {};
}

// The body of UpdateTimeToLive.
std::string expiry_body(const std::string& table, const std::string& attribute) {
  std::string body;
  JsonWriter json{body};
  json.begin_object();
  json.member("TableName", table);
  json.key("TimeToLiveSpecification");
  json.begin_object();
  json.member("AttributeName", attribute);
  json.key("Enabled");
  json.raw("true");
  json.end_object();
  json.end_object();
  return body;
}

int show(std::string_view text) {
  begin_output();
  const auto written = write_all(text);
  return written ? 0 : status_of(written.error());
}

}  // namespace

tl::expected<TableInfo, std::string> table_of(const CreateWords& words) {
  auto table = keys_of(words.partition, words.sort);
  if (!table) return table;
  for (const std::string& index : words.indexes) {
    const auto added = add_index(index, *table);
    if (!added) return tl::unexpected(added.error());
  }
  return table;
}

int run_describe(const ClientOptions& options, const std::string& table) {
  DynamodbClient client{options.endpoint};
  const auto answer = client.call("DescribeTable", data::table_body(table));
  if (!answer) return fail_with_hints(answer.error());
  const JsonNode* const described = answer->find("Table");
  if (described == nullptr) return fail("the response has no Table");
  std::string text;
  append_node_json(text, *described);
  return show(::isatty(STDOUT_FILENO) != 0 ? templates::indented_json(text) : text + "\n");
}

int run_create(const ClientOptions& options, const std::string& table, const CreateWords& words) {
  const auto info = table_of(words);
  if (!info) return fail(info.error());
  DynamodbClient client{options.endpoint};
  const auto made = client.call("CreateTable", data::create_body(table, *info, words.stream));
  if (!made) return fail_with_hints(made.error());
  if (const auto active = data::wait_active(client, table, data::active_patience(client)); !active)
    return fail(table + ": " + active.error().text());
  if (!words.expiry.empty()) {
    const auto set = client.call("UpdateTimeToLive", expiry_body(table, words.expiry));
    if (!set) return fail_with_hints(set.error());
  }
  return show(table + ": created\n");
}

}  // namespace stator::client
