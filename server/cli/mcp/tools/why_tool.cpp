// The tool `why`: what the server knows about requests that failed.
#include <algorithm>
#include <cctype>
#include <utility>

#include "server/cli/mcp/tools/argument_check.h"
#include "server/cli/mcp/tools/tool_context.h"
#include "server/cli/mcp/tools/tools.h"
#include "server/data/s3/url_text.h"
#include "server/data/transfer/json_text.h"

namespace stator::mcp {

namespace {

constexpr std::string_view kRequestsPath = "/_stator/requests";

Answer answer_of_requests() { return {"\"requests\":[", {}, "]"}; }

// Everything about one request, with the begin of its body.
Outcome one_request(ToolContext& context, const std::string& id) {
  auto text = context.ask_json(std::string{kRequestsPath} + "/" + data::encode_url(id));
  if (!text) return tl::unexpected(std::move(text).error());
  Answer answer = answer_of_requests();
  answer.elements.push_back(*std::move(text));
  return answer;
}

Outcome run_why(ToolContext& context, const JsonNode& arguments) {
  const std::string id{data::text_in(arguments, "request_id")};
  if (!id.empty()) return one_request(context, id);
  const std::uint64_t last = arguments.has("last") ? data::count_in(arguments, "last") : 1;
  std::string path{kRequestsPath};
  path.append("?show=failures&last=").append(std::to_string(last));
  const std::string_view table = data::text_in(arguments, "table");
  if (!table.empty()) path.append("&table=").append(data::encode_url(table));
  Answer answer = answer_of_requests();
  std::string newest;
  auto asked = context.ask(path, {}, [&](const JsonNode& reply) {
    const JsonNode* const requests = reply.find("requests");
    if (requests == nullptr || requests->kind() != JsonNode::Kind::Array) return;
    for (const JsonNode& request : requests->elements()) {
      if (newest.empty()) newest = data::text_in(request, "request_id");
      answer.elements.push_back(json_of(request));
    }
  });
  if (!asked) return tl::unexpected(std::move(asked).error());
  if (last > 1 || newest.empty()) return answer;
  // It may have left the list meanwhile.
  auto whole = one_request(context, newest);
  return whole ? std::move(whole) : answer;
}

}  // namespace

Tool why_tool() {
  return {"why",
          "Explains the last request of any client that failed, the last few, or one by the "
          "x-amzn-RequestId of its response: rule, expected, given, hints.",
          R"("request_id":{"type":"string"},"table":{"type":"string"},)"
          R"("last":{"type":"integer","minimum":1,"maximum":100})",
          "",
          R"("requests":{"type":"array","items":{"type":"object"}})",
          {.reads_only = true, .is_idempotent = true},
          run_why};
}

}  // namespace stator::mcp
