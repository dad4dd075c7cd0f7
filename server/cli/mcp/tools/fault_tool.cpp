// The tool `fault`: rules for requests that fail on demand.
#include <utility>

#include "engine/api/control.h"
#include "server/cli/mcp/tools/argument_check.h"
#include "server/cli/mcp/tools/tool_context.h"
#include "server/cli/mcp/tools/tools.h"
#include "server/data/s3/url_text.h"
#include "server/data/transfer/json_text.h"

namespace stator::mcp {

namespace {

constexpr std::string_view kFaultsPath = "/_stator/faults";

// What to send to the admin path; no body: a GET.
struct FaultRequest {
  std::string path{kFaultsPath};
  std::string body = {};
};

tl::expected<FaultRequest, ToolError> fault_request(const JsonNode& arguments) {
  const std::string_view action = data::text_in(arguments, "action");
  const std::string name{data::text_in(arguments, "name")};
  FaultRequest request;
  if (action == "list") return request;
  request.body = "{}";
  if (action == "clear") {
    request.path += "/clear";
  } else if (action == "add") {
    request.body = json_in(arguments, "rule");
    if (request.body.empty()) return wrong_argument("rule is missing");
  } else if (action == "remove") {
    if (!is_mark_name(name)) return wrong_argument("name is no name of a rule");
    request.path.append("/").append(name).append("/remove");
  } else {
    if (name.empty()) return wrong_argument("name is missing: that of the preset");
    request.path.append("/presets/").append(data::encode_url(name));
    const std::string argument = json_in(arguments, "argument");
    if (!argument.empty()) request.body = "{\"argument\":" + argument + "}";
  }
  return request;
}

Outcome run_fault_tool(ToolContext& context, const JsonNode& arguments) {
  const auto request = fault_request(arguments);
  if (!request) return tl::unexpected(request.error());
  if (!request->body.empty()) {
    if (const auto checked = context.check_write("a change of faults"); !checked)
      return tl::unexpected(checked.error());
  }
  Answer answer;
  auto asked = context.ask(request->path, request->body, [&answer](const JsonNode& reply) {
    const JsonNode* const rules = reply.find("rules");
    if (rules == nullptr || rules->kind() != JsonNode::Kind::Array) {
      const std::string text = json_of(reply);
      answer.before = text.substr(1, text.size() - 2);
      return;
    }
    answer.before = "\"rules\":[";
    for (const JsonNode& rule : rules->elements()) answer.elements.push_back(json_of(rule));
    answer.after = "]";
  });
  if (!asked) return tl::unexpected(std::move(asked).error());
  return answer;
}

}  // namespace

Tool fault_tool() {
  return {"fault",
          "Makes requests of all clients fail on demand. A rule: {\"match\":{\"operation\":"
          "\"PutItem\",\"table\":\"t\"},\"when\":{\"times\":2},\"effect\":{\"error\":"
          "\"ThrottlingException\"}}; also effects drop, delay, corrupt. A wrong preset lists "
          "all. Clear when done.",
          R"("action":{"type":"string","enum":["list","add","remove","clear","preset"]},)"
          R"("rule":{"type":"object"},"name":{"type":"string"},"argument":{"type":"string"})",
          R"("action")",
          R"("rules":{"type":"array"},"removed":{"type":"integer"})",
          {},
          run_fault_tool};
}

}  // namespace stator::mcp
