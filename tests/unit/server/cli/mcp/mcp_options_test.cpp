// The command line of `stator mcp`.
#include "server/cli/mcp/mcp_options.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>
#include <catch2/catch.hpp>

#include "server/cli/command_line/command_options.h"

namespace stator::mcp {
namespace {

using Words = std::vector<std::string_view>;

TEST_CASE("stator mcp: flags", "[server]") {
  for (const Words& words :
       {Words{}, Words{"--read-only"}, Words{"--allow-writes"}, Words{"--max-answer", "4K"},
        Words{"--max-answer", "16M", "--port", "9"}, Words{"--max-answer", "16777216"}}) {
    const auto command = read_mcp_command(words);
    REQUIRE(command);
    CHECK(std::holds_alternative<DataCommand>(*command));
  }
}

TEST_CASE("stator mcp: every mistake has its words", "[server]") {
  const auto mistake = [](Words words) {
    const auto command = read_small_command("mcp", words);
    REQUIRE(command);
    REQUIRE_FALSE(*command);
    CHECK_THAT(command->error().text, Catch::EndsWith("(see stator mcp --help)"));
    return command->error().text;
  };
  CHECK_THAT(mistake({"--read-only", "--allow-writes"}), Catch::Contains("--allow-writes"));
  CHECK_THAT(mistake({"--max-answer", "4095"}),
             Catch::Contains("'4095' is not a size of at least 4K"));
  CHECK_THAT(mistake({"--max-answer", "17M"}), Catch::Contains("'17M' is more than 16M"));
  CHECK_THAT(mistake({"--max-answer", "16777217"}), Catch::Contains("'16777217' is more than 16M"));
  CHECK_THAT(mistake({"--max-answer", "x"}), Catch::Contains("'x'"));
  mistake({"more"});
}

}  // namespace
}  // namespace stator::mcp
