// The tool `mark`: states of the data to return to.
#include <utility>

#include "engine/api/control.h"
#include "server/cli/mcp/tools/argument_check.h"
#include "server/cli/mcp/tools/tool_context.h"
#include "server/cli/mcp/tools/tools.h"
#include "server/data/transfer/json_text.h"

namespace stator::mcp {

namespace {

constexpr std::string_view kMarksPath = "/_stator/marks";

Outcome list_marks(ToolContext& context) {
  Answer answer{"\"marks\":[", {}, "]"};
  auto asked = context.ask(std::string{kMarksPath}, {}, [&answer](const JsonNode& reply) {
    const JsonNode* const marks = reply.find("marks");
    if (marks == nullptr || marks->kind() != JsonNode::Kind::Array) return;
    for (const JsonNode& mark : marks->elements()) answer.elements.push_back(json_of(mark));
  });
  if (!asked) return tl::unexpected(std::move(asked).error());
  return answer;
}

Outcome run_mark_tool(ToolContext& context, const JsonNode& arguments) {
  const std::string_view action = data::text_in(arguments, "action");
  const std::string name{data::text_in(arguments, "name")};
  if (action == "list") {
    if (!name.empty()) return wrong_argument("name does not go with list");
    return list_marks(context);
  }
  if (!is_mark_name(name)) return wrong_argument("name is no name of a mark");
  if (const auto checked = context.check_write("mark " + std::string{action}); !checked)
    return tl::unexpected(checked.error());
  std::string path{kMarksPath};
  path.append("/").append(name);
  if (action != "set") path.append("/").append(action);
  auto done = context.ask_json(path, "{}");
  if (!done) return tl::unexpected(std::move(done).error());
  return Answer{done->substr(1, done->size() - 2)};
}

}  // namespace

Tool mark_tool() {
  return {"mark",
          "To try and undo: set a mark, and rollback restores tables, items and clock of that "
          "moment. A rollback drops later marks.",
          R"("action":{"type":"string","enum":["list","set","rollback","forget"]},)"
          R"("name":{"type":"string","description":"letters, digits and _.-"})",
          R"("action")",
          R"("marks":{"type":"array"},"name":{"type":"string"},"time":{"type":"string"})",
          {.is_destructive = true},
          run_mark_tool};
}

}  // namespace stator::mcp
