// The marks that precede what cannot be undone.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "server/cli/mcp/answers/tool.h"
#include "server/cli/mcp/tools/tool_context.h"

namespace stator::mcp {

// Sets a mark "mcp-N" and forgets all but the last three of them. Returns its name; empty for an
// endpoint that has no marks. Fails if a Stator cannot set it.
tl::expected<std::string, ToolError> set_auto_mark(ToolContext& context);

}  // namespace stator::mcp
