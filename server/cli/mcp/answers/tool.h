// Tool: what an agent can call, as a row of a table; the answers and errors of tools.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "protocol/json/json_tree.h"

namespace stator::mcp {

class ToolContext;

struct ToolError {
  // Argument: the call itself is wrong, which is an error of the protocol. Failure: the tool tried,
  // or may not.
  enum class Kind : std::uint8_t { Argument, Failure };

  Kind kind = Kind::Failure;
  std::string text;  // for the agent; may have several lines
};

// An answer before it is cut to its largest size (answer_pages.h). Its text is the object
// {before e1,e2,… after}.
struct Answer {
  std::string before;                      // members, and the begin of the list; a tool has some
  std::vector<std::string> elements = {};  // of the list: JSON
  std::string after = {};                  // the end of the list, and more members
  // Asks for what follows; empty: nothing does. Lives as long as the ToolContext.
  std::function<tl::expected<Answer, ToolError>()> more = {};
};

using Outcome = tl::expected<Answer, ToolError>;

inline tl::unexpected<ToolError> wrong_argument(std::string text) {
  return tl::unexpected(ToolError{ToolError::Kind::Argument, std::move(text)});
}
inline tl::unexpected<ToolError> failed(std::string text) {
  return tl::unexpected(ToolError{ToolError::Kind::Failure, std::move(text)});
}

// The protocol's hints for a client that asks its user before a call.
struct ToolHints {
  bool reads_only = false;
  bool is_destructive = false;
  bool is_idempotent = false;
};

struct Tool {
  std::string_view name;
  std::string_view description;
  // Members of `properties` in the schemas of arguments and results, and the needed arguments as
  // JSON strings. All tools take `cursor` besides, and all results may have the members of pages.
  std::string_view arguments;
  std::string_view needed;
  std::string_view results;
  ToolHints hints;
  // REQUIRES: the arguments fit the schema, and there is no cursor.
  Outcome (*run)(ToolContext& context, const JsonNode& arguments);
};

}  // namespace stator::mcp
