#include "server/cli/trigger_command/trigger_command_options.h"

#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "server/cli/command_line/command_options.h"

namespace stator {
namespace {

using Arguments = std::vector<std::string_view>;
using Verb = TriggerCommandOptions::Verb;

TEST_CASE("stator triggers: verbs and their flags", "[server]") {
  const auto list = read_trigger_options({});
  REQUIRE(list);
  CHECK(list->verb == Verb::List);
  CHECK(list->server.timeout == std::chrono::seconds(30));
  const Arguments calls_words = {"calls", "--since", "12", "--json", "--port", "9"};
  const auto calls = read_trigger_options(calls_words);
  REQUIRE(calls);
  CHECK(calls->verb == Verb::Calls);
  CHECK(calls->since == 12);
  CHECK(calls->is_json);
  const Arguments explain_words = {"explain", "{}", "@record.json"};
  const auto explain = read_trigger_options(explain_words);
  REQUIRE(explain);
  CHECK(explain->pattern == "{}");
  CHECK(explain->record == "@record.json");
}

TEST_CASE("stator triggers: every mistake has its words", "[server]") {
  struct Mistake {
    Arguments arguments;
    const char* words;
  };
  const Mistake mistakes[] = {
      {{"lst"},
       "'lst' is not list, calls, filtered, failures, settle, pause, step, resume, replay or "
       "explain"},
      {{"explain", "{}"}, "a pattern or a record is missing"},
      {{"replay"}, "the number of a call is missing"},
      {{"replay", "0"}, "'0' is not the number of a call"},
      {{"settle", "now"}, "'now' is too much"},
      {{"list", "--since", "1"}, "goes with calls, filtered and failures"},
      {{"calls", "--since", "x"}, "--since"},
  };
  for (const Mistake& mistake : mistakes) {
    CAPTURE(mistake.words);
    const auto command = read_small_command("triggers", mistake.arguments);
    REQUIRE(command);
    REQUIRE_FALSE(command->has_value());
    CHECK(command->error().status == 2);
    CHECK_THAT(command->error().text, Catch::Contains(mistake.words));
    CHECK_THAT(command->error().text, Catch::EndsWith("(see stator triggers --help)"));
  }
}

}  // namespace
}  // namespace stator
