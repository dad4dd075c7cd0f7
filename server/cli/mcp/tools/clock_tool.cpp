// The tool `clock`: the engine's time.
#include <utility>

#include "server/cli/mcp/tools/argument_check.h"
#include "server/cli/mcp/tools/tool_context.h"
#include "server/cli/mcp/tools/tools.h"

namespace stator::mcp {

namespace {

// An object as an answer: its text without the braces.
Answer answer_of_object(const std::string& object) { return {object.substr(1, object.size() - 2)}; }

Outcome run_clock_tool(ToolContext& context, const JsonNode& arguments) {
  const bool is_move = !arguments.members().empty();
  if (is_move) {
    if (arguments.members().size() > 1)
      return wrong_argument("advance, set, rate and mode go alone");
    if (const auto checked = context.check_write("a move of the clock"); !checked)
      return tl::unexpected(checked.error());
  }
  auto clock = context.ask_json("/_stator/clock", is_move ? json_of(arguments) : std::string{});
  if (!clock) return tl::unexpected(std::move(clock).error());
  return answer_of_object(*clock);
}

}  // namespace

Tool clock_tool() {
  return {"clock",
          "Shows the server's time, or moves it with one argument. On return everything that fell "
          "due has happened. Only a mark leads back.",
          R"("advance":{"type":"string","description":"such as 1h30m or 7d"},)"
          R"("set":{"type":"string","description":"2027-01-01T00:00:00Z, or now"},)"
          R"("rate":{"type":"number","minimum":0,"maximum":1000000},)"
          R"("mode":{"type":"string","enum":["real","manual"]})",
          "",
          R"("time":{"type":"string"},"mode":{"type":"string"},"rate":{"type":"number"})",
          {.is_destructive = true},
          run_clock_tool};
}

}  // namespace stator::mcp
