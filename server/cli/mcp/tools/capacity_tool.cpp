// The tool `capacity`: limits and use of throughput, hot keys, what was throttled.
#include <algorithm>
#include <array>
#include <utility>

#include "protocol/json/json_writer.h"
#include "server/cli/mcp/tools/argument_check.h"
#include "server/cli/mcp/tools/tool_context.h"
#include "server/cli/mcp/tools/tools.h"
#include "server/data/s3/url_text.h"
#include "server/data/transfer/json_text.h"

namespace stator::mcp {

namespace {

// Lists that are shown for one table only; of others their number.
constexpr std::array<std::string_view, 4> kLongLists = {"partitions", "splits", "splits_due",
                                                        "growths_due"};

std::string brief_text(const JsonNode& table) {
  std::string text;
  JsonWriter json{text};
  json.begin_object();
  for (const JsonMember& member : table.members()) {
    const bool is_long =
        std::find(kLongLists.begin(), kLongLists.end(), member.name) != kLongLists.end() &&
        member.value.kind() == JsonNode::Kind::Array;
    json.key(member.name);
    if (is_long) {
      json.integer(static_cast<std::int64_t>(member.value.elements().size()));
    } else {
      json.raw(json_of(member.value));
    }
  }
  json.end_object();
  return text;
}

Outcome run_capacity_tool(ToolContext& context, const JsonNode& arguments) {
  const std::string_view table = data::text_in(arguments, "table");
  std::string path = "/_stator/capacity";
  if (!table.empty()) path.append("/").append(data::encode_url(table));
  Answer answer{"\"tables\":[", {}, "]"};
  auto asked = context.ask(path, {}, [&](const JsonNode& reply) {
    const JsonNode* const tables = reply.find("tables");
    if (tables == nullptr || tables->kind() != JsonNode::Kind::Array) return;
    for (const JsonNode& one : tables->elements())
      answer.elements.push_back(table.empty() ? brief_text(one) : json_of(one));
  });
  if (!asked) return tl::unexpected(std::move(asked).error());
  return answer;
}

}  // namespace

Tool capacity_tool() {
  return {"capacity",
          "Shows limits and use of throughput of all tables and global indexes, what the cloud "
          "throttles and the hottest keys; of one table partitions and splits too.",
          R"("table":{"type":"string"})",
          "",
          R"("tables":{"type":"array","items":{"type":"object"}})",
          {.reads_only = true, .is_idempotent = true},
          run_capacity_tool};
}

}  // namespace stator::mcp
