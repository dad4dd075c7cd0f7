// The tool `sql`: a statement in PartiQL.
#include <utility>

#include "server/cli/client/requests.h"
#include "server/cli/mcp/tools/access.h"
#include "server/cli/mcp/tools/argument_check.h"
#include "server/cli/mcp/tools/item_pages.h"
#include "server/cli/mcp/tools/tool_context.h"
#include "server/cli/mcp/tools/tools.h"
#include "server/data/transfer/json_text.h"

namespace stator::mcp {

namespace {

// The values for the statement's question marks, as ,"Parameters":[…]; empty if there are none.
std::string parameters_of(const JsonNode& arguments, bool is_typed) {
  const JsonNode* const values = arguments.find("parameters");
  if (values == nullptr || values->elements().empty()) return {};
  std::string text = ",\"Parameters\":";
  char before = '[';
  for (const JsonNode& value : values->elements()) {
    text += before;
    if (is_typed) {
      text += json_of(value);
    } else {
      data::append_typed_value(text, value);
    }
    before = ',';
  }
  return text += ']';
}

Outcome run_sql_tool(ToolContext& context, const JsonNode& arguments) {
  const std::string_view statement = data::text_in(arguments, "statement");
  if (!is_reading_statement(statement)) {
    if (const auto checked = context.check_write("this statement"); !checked)
      return tl::unexpected(checked.error());
  }
  const bool is_typed = data::is_true(arguments, "typed");
  const client::RequestFlags flags{data::is_true(arguments, "consistent"), /*wants_units=*/true};
  ItemRead read{client::sql_request(statement, flags), is_typed};
  read.request.members += parameters_of(arguments, is_typed);
  if (arguments.has("limit")) read.left = data::count_in(arguments, "limit");
  return read_items(context, std::move(read));
}

}  // namespace

Tool sql_tool() {
  return {"sql",
          "Runs a PartiQL statement: SELECT, INSERT, UPDATE, DELETE of one item. ? stands for a "
          "parameter.",
          R"("statement":{"type":"string"},"parameters":{"type":"array"},)"
          R"("consistent":{"type":"boolean"},"limit":{"type":"integer","minimum":1},)"
          R"("typed":{"type":"boolean","description":"parameters and items in DynamoDB JSON"})",
          R"("statement")",
          kItemResults,
          {.is_destructive = true},
          run_sql_tool};
}

}  // namespace stator::mcp
