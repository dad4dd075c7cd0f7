#include "server/cli/mcp/tools/tools.h"

#include <vector>

#include "protocol/json/json_writer.h"

namespace stator::mcp {

namespace {

constexpr std::string_view kCursorArgument =
    R"("cursor":{"type":"string","description":"Of the last answer, with the same arguments"})";
constexpr std::string_view kPageMembers =
    R"("cursor":{"type":"string"},"part":{"type":"string"},"part_ends":{"type":"boolean"})";

void append_member(std::string& out, std::string_view before, std::string_view members,
                   std::string_view more) {
  out.append(before).append(members);
  if (!members.empty()) out += ',';
  out.append(more).append("}");
}

}  // namespace

std::span<const Tool> all_tools() {
  static const std::vector<Tool> kTools = {
      overview_tool(), call_tool(),     query_tool(), sql_tool(),  put_items_tool(), why_tool(),
      dry_run_tool(),  capacity_tool(), clock_tool(), mark_tool(), fault_tool(),     schema_tool()};
  return kTools;
}

std::string arguments_schema(const Tool& tool) {
  std::string schema;
  append_member(schema, R"({"type":"object","properties":{)", tool.arguments, kCursorArgument);
  if (!tool.needed.empty()) schema.append(R"(,"required":[)").append(tool.needed).append("]");
  return schema.append(R"(,"additionalProperties":false})");
}

std::string definition_of(const Tool& tool) {
  std::string results;
  append_member(results, R"({"type":"object","properties":{)", tool.results, kPageMembers);
  results += '}';
  std::string text;
  JsonWriter json{text};
  json.begin_object();
  json.member("name", tool.name);
  json.member("description", tool.description);
  json.key("inputSchema");
  json.raw(arguments_schema(tool));
  json.key("outputSchema");
  json.raw(results);
  json.key("annotations");
  json.begin_object();
  json.member("readOnlyHint", tool.hints.reads_only);
  json.member("destructiveHint", tool.hints.is_destructive);
  json.member("idempotentHint", tool.hints.is_idempotent);
  json.member("openWorldHint", false);
  json.end_object();
  json.end_object();
  return text;
}

}  // namespace stator::mcp
