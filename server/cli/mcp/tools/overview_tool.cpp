// The tool `overview`: what an agent needs to know first, in one call.
#include <string>
#include <utility>
#include <vector>

#include "protocol/json/json_writer.h"
#include "server/cli/mcp/tools/argument_check.h"
#include "server/cli/mcp/tools/tool_context.h"
#include "server/cli/mcp/tools/tools.h"
#include "server/data/s3/url_text.h"
#include "server/data/transfer/json_text.h"
#include "server/data/transfer/table_info.h"

namespace stator::mcp {

namespace {

constexpr std::string_view kTablesBegin = ",\"tables\":[";

const JsonNode* list_in(const JsonNode& object, std::string_view name) {
  return data::member_in(object, name, JsonNode::Kind::Array);
}

// Members that each endpoint has.
std::string endpoint_members(const ToolContext& context, bool is_stator) {
  std::string text;
  JsonWriter json{text};
  json.member("endpoint", context.address());
  json.member("region", context.endpoint().region);
  json.member("stator", is_stator);
  json.member("writes", context.may_write());
  return text;
}

// ------------------------------------------------------------------------------------------------
// A Stator

// The query of /_stator/tables for the tables that this client's requests see.
std::string query_of_own(const ToolContext& context, std::string_view isolation) {
  std::string query;
  if (isolation == "region" || isolation == "key")
    query = "&region=" + data::encode_url(context.endpoint().region);
  const std::string& access_key = context.endpoint().credentials.access_key;
  if (isolation == "key") query.append("&access_key=").append(data::encode_url(access_key));
  return query;
}

// Whether either side of the throughput was throttled, or would have been.
bool is_throttled(const JsonNode& table) {
  for (const std::string_view side : {"read", "write"}) {
    const JsonNode* const found = table.find(side);
    if (found == nullptr || found->kind() != JsonNode::Kind::Object) continue;
    const JsonNode* const reasons = found->find("throttled");
    if (reasons != nullptr && reasons->kind() == JsonNode::Kind::Object &&
        !reasons->members().empty())
      return true;
  }
  return false;
}

// "orders" or "orders/by_day" for each that is throttled, as a JSON array.
std::string throttled_list(const JsonNode& capacity) {
  std::string list;
  JsonWriter json{list};
  json.begin_array();
  if (const JsonNode* const tables = list_in(capacity, "tables")) {
    for (const JsonNode& table : tables->elements()) {
      if (!is_throttled(table)) continue;
      std::string name{data::text_in(table, "table")};
      const std::string_view index = data::text_in(table, "index");
      if (!index.empty()) name.append("/").append(index);
      json.string(name);
    }
  }
  json.end_array();
  return list;
}

// The names of the rules with what they did, as a JSON array.
std::string fault_list(const JsonNode& faults) {
  std::string list;
  JsonWriter json{list};
  json.begin_array();
  if (const JsonNode* const rules = list_in(faults, "rules")) {
    for (const JsonNode& rule : rules->elements()) {
      json.begin_object();
      json.member("name", data::text_in(rule, "name"));
      json.member("fired", static_cast<std::int64_t>(data::count_in(rule, "fired")));
      json.end_object();
    }
  }
  json.end_array();
  return list;
}

// A page of the tables of a Stator; `before` are the members before the list.
Outcome stator_tables(ToolContext& context, std::string before, const std::string& query,
                      const std::string& after) {
  Answer answer{std::move(before), {}, "]"};
  std::string next;
  std::string path = "/_stator/tables?limit=1000" + query;
  if (!after.empty()) path.append("&after=").append(data::encode_url(after));
  auto asked = context.ask(path, {}, [&](const JsonNode& reply) {
    if (const JsonNode* const tables = list_in(reply, "tables"))
      for (const JsonNode& table : tables->elements()) answer.elements.push_back(json_of(table));
    next = data::text_in(reply, "next");
  });
  if (!asked) return tl::unexpected(std::move(asked).error());
  if (!next.empty()) {
    answer.more = [&context, query, next] {
      return stator_tables(context, "\"tables\":[", query, next);
    };
  }
  return answer;
}

Outcome overview_of_stator(ToolContext& context) {
  std::string members = endpoint_members(context, /*is_stator=*/true);
  std::string isolation;
  const auto add = [&](std::string_view name, const std::string& path, const auto& text_of) {
    return context.ask(path, {}, [&](const JsonNode& reply) {
      members.append(",\"").append(name).append("\":").append(text_of(reply));
    });
  };
  auto asked = context.ask("/_stator/info", {}, [&isolation](const JsonNode& info) {
    isolation = data::text_in(info, "isolation");
  });
  if (asked) asked = add("clock", "/_stator/clock", json_of);
  if (asked) {
    asked = add("marks", "/_stator/marks", [](const JsonNode& reply) {
      const JsonNode* const marks = list_in(reply, "marks");
      return marks != nullptr ? json_of(*marks) : std::string{"[]"};
    });
  }
  if (asked) asked = add("throttled", "/_stator/capacity", throttled_list);
  if (!asked) return tl::unexpected(std::move(asked).error());
  // A server without faults (--faults off) has no such list.
  [[maybe_unused]] const auto has_faults = add("faults", "/_stator/faults", fault_list);
  members += kTablesBegin;
  return stator_tables(context, std::move(members), query_of_own(context, isolation), {});
}

// ------------------------------------------------------------------------------------------------
// Any endpoint

void write_keys(JsonWriter& json, const data::TableInfo& info,
                const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto type = info.types.find(name);
    json.begin_array();
    json.string(name);
    json.string(type == info.types.end() ? "S" : type->second);
    json.end_array();
  }
}

// The table with members as /_stator/tables has them.
std::string described_text(const std::string& table, const data::TableInfo& info) {
  std::string text;
  JsonWriter json{text};
  json.begin_object();
  json.member("table", table);
  json.member("status", info.status);
  json.member("billing_mode", info.is_on_demand ? "PAY_PER_REQUEST" : "PROVISIONED");
  json.key("key");
  json.begin_array();
  write_keys(json, info, info.keys);
  json.end_array();
  json.member("items", static_cast<std::int64_t>(info.item_count));
  json.member("bytes", static_cast<std::int64_t>(info.size_bytes));
  json.key("indexes");
  json.begin_array();
  for (const data::IndexInfo& index : info.indexes) {
    json.begin_object();
    json.member("index", index.name);
    json.member("kind", index.is_local ? "local" : "global");
    json.key("key");
    json.begin_array();
    write_keys(json, info, index.partition_keys);
    write_keys(json, info, index.sort_keys);
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return text;
}

// A page of ListTables, each table described.
Outcome described_tables(ToolContext& context, std::string before, const std::string& start) {
  std::string body = "{\"Limit\":50";
  append_text_member(body, "ExclusiveStartTableName", start);
  const auto page = context.call("ListTables", body + "}");
  if (!page) return tl::unexpected(page.error());
  const std::string next{data::text_in(*page, "LastEvaluatedTableName")};
  std::vector<std::string> names;
  if (const JsonNode* const listed = list_in(*page, "TableNames"))
    for (const JsonNode& name : listed->elements()) names.emplace_back(name.text());
  Answer answer{std::move(before), {}, "]"};
  for (const std::string& name : names) {
    const auto info = data::describe_table(context.client(), name);
    if (info) {
      answer.elements.push_back(described_text(name, *info));
    } else if (info.error().code != data::kNoTable) {  // it went meanwhile
      return tl::unexpected(error_of(info.error()));
    }
  }
  if (!next.empty())
    answer.more = [&context, next] { return described_tables(context, "\"tables\":[", next); };
  return answer;
}

Outcome run_overview(ToolContext& context, const JsonNode& /*arguments*/) {
  if (context.is_stator()) return overview_of_stator(context);
  std::string members = endpoint_members(context, /*is_stator=*/false);
  members += kTablesBegin;
  return described_tables(context, std::move(members), {});
}

}  // namespace

Tool overview_tool() {
  return {"overview",
          "Begin here: all tables with keys, indexes, items and bytes; of a Stator also clock, "
          "marks, faults and throttled tables. writes: whether tools may write.",
          "",
          "",
          R"("endpoint":{"type":"string"},"region":{"type":"string"},"stator":{"type":"boolean"},)"
          R"("writes":{"type":"boolean"},"clock":{"type":"object"},"marks":{"type":"array"},)"
          R"("throttled":{"type":"array"},"faults":{"type":"array"},"tables":{"type":"array"})",
          {.reads_only = true, .is_idempotent = true},
          run_overview};
}

}  // namespace stator::mcp
