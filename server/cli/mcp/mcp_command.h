// `stator mcp`: a server of the Model Context Protocol on stdin and stdout, which is a client of
// an endpoint of DynamoDB.
#pragma once

#include <cstddef>

#include "server/cli/mcp/answers/answer_pages.h"
#include "server/cli/mcp/tools/tool_context.h"
#include "server/client/endpoint.h"

namespace stator::mcp {

struct McpOptions {
  data::Endpoint endpoint = {};
  Writes writes = Writes::AtLoopback;
  std::size_t answer_max = AnswerPages::kSizeDefault;  // bytes of a line
};

// Answers line by line until stdin ends or stdout has no reader. Returns the exit status. SIGTERM
// and SIGINT end the process at once, with status 0: nothing is left to do.
int run_mcp(const McpOptions& options);

}  // namespace stator::mcp
