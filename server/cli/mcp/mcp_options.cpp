#include "server/cli/mcp/mcp_options.h"

#include <string>

#include <CLI/CLI.hpp>

#include "server/cli/mcp/answers/answer_pages.h"
#include "server/cli/mcp/mcp_command.h"
#include "server/cli/mcp/mcp_help.h"
#include "server/data/data_flags.h"
#include "server/http/own_tools.h"
#include "server/options/option_values.h"

namespace stator::mcp {

namespace {

constexpr std::size_t kAnswerBytesMax = std::size_t{16} << 20;

std::size_t answer_bytes(const std::string& text) {
  const std::size_t bytes = parse_bytes(text, AnswerPages::kSizeMin, "4K");
  if (bytes > kAnswerBytesMax)
    throw CLI::ValidationError("--max-answer", "'" + text + "' is more than 16M");
  return bytes;
}

}  // namespace

tl::expected<Command, OptionsExit> read_mcp_command(std::span<const std::string_view> arguments) {
  McpOptions options;
  bool is_read_only = false;
  bool may_write_anywhere = false;
  CLI::App app;
  data::DataFlags flags{app};
  app.add_flag("--read-only", is_read_only);
  app.add_flag("--allow-writes", may_write_anywhere);
  app.add_option_function<std::string>("--max-answer", [&options](const std::string& text) {
    options.answer_max = answer_bytes(text);
  });
  if (!flags.parse(arguments)) return tl::unexpected(OptionsExit{0, std::string{kMcpHelp}});
  if (is_read_only && may_write_anywhere)
    throw CLI::ValidationError("--read-only", "does not go with --allow-writes");
  if (is_read_only) options.writes = Writes::Nowhere;
  if (may_write_anywhere) options.writes = Writes::Anywhere;
  return DataCommand{
      [options, endpoint = flags.endpoint(own_tools::kMcp)](const FindServer& find) mutable {
        options.endpoint = endpoint(find);
        options.endpoint.asks_why = true;
        return run_mcp(options);
      }};
}

}  // namespace stator::mcp
