#include "server/cli/mcp/mcp_command.h"

#include <unistd.h>

#include <csignal>
#include <string>
#include <utility>

#include "server/cli/mcp/line_reader.h"
#include "server/cli/mcp/mcp_session.h"
#include "server/cli/mcp/tools/tools.h"
#include "server/cli/output/standard_output.h"
#include "server/log/say.h"

namespace stator::mcp {

namespace {

constexpr std::size_t kLineBytesMax = std::size_t{8} << 20;

extern "C" void end_at_once(int /*signal*/) { _exit(0); }

// A tool may wait for an endpoint for a minute, and the client does not want its answer any more.
void end_at_signals() {
  struct sigaction action = {};
  action.sa_handler = end_at_once;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}

}  // namespace

int run_mcp(const McpOptions& options) {
  end_at_signals();
  client::begin_output();
  ToolContext context{options.endpoint, options.writes};
  McpSession session{all_tools(), context, options.answer_max};
  LineReader lines{STDIN_FILENO, kLineBytesMax};
  while (auto line = lines.next()) {
    std::string answer = line->is_too_long ? McpSession::answer_to_long_line()
                                           : session.answer(std::move(line->text));
    if (answer.empty()) continue;
    const auto written = client::write_all(answer += '\n');
    if (written) continue;
    return written.error().problem.empty() ? 0 : fail(written.error().problem);
  }
  return 0;
}

}  // namespace stator::mcp
