// The text of `stator mcp --help`; docs/mcp.md follows it.
#pragma once

#include <string_view>

namespace stator::mcp {

inline constexpr std::string_view kMcpHelp =
    R"(Lets an agent use a running server: speaks the Model Context Protocol on stdin
and stdout. Usage: stator mcp [FLAGS]

  --read-only                tools write nothing
  --allow-writes             they may write at endpoints of other machines too
  --max-answer N[K|M]        bytes of an answer, 4K to 16M; the rest follows (32K)
  --region R                 Region (that of the endpoint, AWS_REGION or us-east-1)
  --insecure                 do not verify the server's certificate
  --endpoint-url URL  --host H  --port N    which server, see stator health --help
  --timeout S                seconds to wait for each response (60)
  --help

The client starts it: its configuration has the command "stator" with the argument
"mcp". Credentials as for stator import. It ends with stdin. Exit status 0.
)";

}  // namespace stator::mcp
