// McpSession: answers the messages of one client, of either era of the protocol.
//
// In the revision 2026-07-28 each request names its version and there is no session. Clients of
// earlier revisions begin with `initialize`. Both may come on one connection.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "protocol/json/json_tree.h"
#include "server/cli/mcp/answers/answer_pages.h"
#include "server/cli/mcp/answers/tool.h"
#include "server/cli/mcp/json_rpc.h"
#include "server/cli/mcp/tools/tool_context.h"

namespace stator::mcp {

class McpSession {
 public:
  // `tools` and `context` must outlive this. `answer_max`: bytes of a line, at least
  // AnswerPages::kSizeMin.
  McpSession(std::span<const Tool> tools, ToolContext& context, std::size_t answer_max);

  // Returns the answer to a line of the client, without a line break; empty: there is none. It has
  // at most `answer_max` bytes, but tools/list has what it has.
  std::string answer(std::string line);
  // As above; `code` becomes that of the answer's error, 0 if it is none.
  std::string answer(std::string line, int& code);

  // The version that a request names in its `_meta`; empty: none.
  static std::string_view version_of(const RpcMessage& request);
  static bool is_modern_version(std::string_view version);
  // Whether it is a known one whose clients begin with `initialize`.
  static bool is_earlier_version(std::string_view version);

  // Returns the answer to a line that is longer than anybody reads.
  static std::string answer_to_long_line();

 private:
  using Result = tl::expected<std::string, RpcError>;

  std::string answer_node(const JsonNode& node, int& code);
  std::string answer_batch(const JsonNode& batch);
  Result result_of(const RpcMessage& message);
  Result initialize(const JsonNode& params);
  Result call_tool(const JsonNode& params, bool is_modern);
  Result checked_call(const Tool& tool, const JsonNode& arguments, bool is_modern);
  tl::expected<std::string, ToolError> first_page(const Tool& tool, const JsonNode& arguments);

  std::span<const Tool> tools_;
  ToolContext& context_;
  std::size_t answer_max_;
  AnswerPages pages_;
  std::string definitions_;  // of all tools, as a JSON array
  bool takes_batches_ = false;
};

}  // namespace stator::mcp
