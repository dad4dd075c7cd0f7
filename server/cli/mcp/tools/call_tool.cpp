// The tools `call` and `dry_run`: any operation with its request.
#include <algorithm>
#include <cctype>
#include <utility>

#include "protocol/json/json_writer.h"
#include "server/cli/mcp/tools/access.h"
#include "server/cli/mcp/tools/argument_check.h"
#include "server/cli/mcp/tools/auto_marks.h"
#include "server/cli/mcp/tools/item_pages.h"
#include "server/cli/mcp/tools/tool_context.h"
#include "server/cli/mcp/tools/tools.h"
#include "server/data/transfer/json_text.h"

namespace stator::mcp {

namespace {

constexpr std::string_view kCallArguments =
    R"("operation":{"type":"string","description":"such as UpdateItem"},)"
    R"("request":{"type":"object","description":"its members in DynamoDB JSON"})";
constexpr std::size_t kOperationMax = 64;  // in characters

// The name becomes part of a header.
bool is_operation_name(std::string_view name) {
  return !name.empty() && name.size() <= kOperationMax &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return c < 0x80 && std::isalnum(c) != 0; });
}

// Returns the name of the operation in the arguments.
tl::expected<std::string, ToolError> operation_of(const JsonNode& arguments) {
  const std::string_view name = data::text_in(arguments, "operation");
  if (!is_operation_name(name)) return wrong_argument("operation is no name of an operation");
  return std::string{name};
}

// The array among the members that has the most elements, which is where to cut a long response;
// nullptr: there is none.
const JsonMember* longest_list(const JsonNode& response) {
  const JsonMember* longest = nullptr;
  for (const JsonMember& member : response.members()) {
    const bool is_list = member.value.kind() == JsonNode::Kind::Array;
    if (is_list &&
        (longest == nullptr || member.value.elements().size() > longest->value.elements().size()))
      longest = &member;
  }
  return longest;
}

Answer answer_with(const JsonNode& response) {
  Answer answer{std::string{kDataNote}};
  answer.before += ",\"response\":{";
  const JsonMember* const list = longest_list(response);
  auto begin_member = [&answer, is_first = true](std::string_view name) mutable {
    if (!is_first) answer.before += ',';
    is_first = false;
    append_json_string(answer.before, name);
    answer.before += ':';
  };
  for (const JsonMember& member : response.members()) {
    if (&member == list) continue;
    begin_member(member.name);
    answer.before += json_of(member.value);
  }
  answer.after = "}";
  if (list == nullptr) return answer;
  begin_member(list->name);
  answer.before += '[';
  for (const JsonNode& element : list->value.elements())
    answer.elements.push_back(json_of(element));
  answer.after = "]}";
  return answer;
}

std::string body_in(const JsonNode& arguments) {
  std::string body = json_in(arguments, "request");
  return body.empty() ? "{}" : body;
}

Outcome run_call_tool(ToolContext& context, const JsonNode& arguments) {
  const auto operation = operation_of(arguments);
  if (!operation) return tl::unexpected(operation.error());
  const JsonNode nothing = JsonNode::object({});
  const JsonNode* const request = arguments.find("request");
  if (!is_reading_call(*operation, request != nullptr ? *request : nothing)) {
    if (const auto checked = context.check_write(*operation); !checked)
      return tl::unexpected(checked.error());
  }
  std::string mark;
  if (*operation == "DeleteTable") {
    auto set = set_auto_mark(context);
    if (!set) return tl::unexpected(std::move(set).error());
    mark = *std::move(set);
  }
  const auto response = context.call(*operation, body_in(arguments));
  if (!response) return tl::unexpected(response.error());
  Answer answer = answer_with(*response);
  append_text_member(answer.after, "mark", mark);
  return answer;
}

Outcome run_dry_tool(ToolContext& context, const JsonNode& arguments) {
  const auto operation = operation_of(arguments);
  if (!operation) return tl::unexpected(operation.error());
  // Asked each time: another server would do the request.
  if (!context.is_stator())
    return failed(context.address() + " is no Stator with an admin path, so it has no dry runs");
  std::string explanation;
  const auto response = context.call_dry(*operation, body_in(arguments), explanation);
  if (!response) return tl::unexpected(response.error());
  Answer answer = answer_with(*response);
  if (!explanation.empty()) answer.after.append(",\"explanation\":").append(explanation);
  return answer;
}

}  // namespace

Tool call_tool() {
  return {"call",
          "Calls any operation of DynamoDB or its streams. Before DeleteTable it sets a mark to "
          "roll back to. A long list in the response is cut, cursor continues it.",
          kCallArguments,
          R"("operation")",
          R"("note":{"type":"string"},"response":{"type":"object"},"mark":{"type":"string"})",
          {.is_destructive = true},
          run_call_tool};
}

Tool dry_run_tool() {
  return {"dry_run",
          "Says what an operation on items would answer, change and cost, without doing it.",
          kCallArguments,
          R"("operation")",
          R"("note":{"type":"string"},"response":{"type":"object"},)"
          R"("explanation":{"type":"object"})",
          {.reads_only = true, .is_idempotent = true},
          run_dry_tool};
}

}  // namespace stator::mcp
