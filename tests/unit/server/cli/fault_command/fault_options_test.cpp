// The command line of `stator fault`: which rule it writes, and which mistakes it finds.
#include "server/cli/fault_command/fault_options.h"

#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <catch2/catch.hpp>

#include "server/cli/command_line/command_options.h"

namespace stator {
namespace {

using Verb = FaultOptions::Verb;
using Arguments = std::vector<std::string_view>;

FaultOptions options_of(const Arguments& arguments) {
  const auto options = read_fault_options(arguments);
  REQUIRE(options);
  return *options;
}

TEST_CASE("stator fault: without a verb it lists", "[server]") {
  CHECK(options_of({}).verb == Verb::List);
  CHECK_FALSE(options_of({"list"}).is_json);
  CHECK(options_of({"list", "--json", "--port", "9"}).is_json);
  CHECK(options_of({"list", "--json", "--port", "9"}).server.port == 9);
}

TEST_CASE("stator fault: flags become the members of a rule", "[server]") {
  const FaultOptions options =
      options_of({"add", "PutItem", "writes", "--name", "busy", "--table", "orders", "--index", "",
                  "--attempt", "1", "--probability", ".5", "--times", "2", "--error",
                  "ThrottlingException", "--delay", "1s"});
  CHECK(options.verb == Verb::Add);
  CHECK(options.rule ==
        R"({"name":"busy","match":{"operation":["PutItem","writes"],"table":"orders","index":""},)"
        R"("when":{"attempt":1,"times":2,"probability":0.5},)"
        R"("effect":{"error":"ThrottlingException","delay":"1s"}})");
  CHECK(options_of({"add", "--effect", R"({"cancel":{"0":"TransactionConflict"}})"}).rule ==
        R"({"match":{},"when":{},"effect":{"cancel":{"0":"TransactionConflict"}}})");
}

TEST_CASE("stator fault: other verbs take a name", "[server]") {
  const FaultOptions wait = options_of({"wait", "busy", "--fired", "2"});
  CHECK(wait.verb == Verb::Wait);
  CHECK(wait.name == "busy");
  CHECK(wait.fired == 2);
  const FaultOptions preset = options_of({"preset", "hot-table", "orders"});
  CHECK(preset.verb == Verb::Preset);
  CHECK(preset.name == "hot-table");
  CHECK(preset.argument == "orders");
  CHECK(options_of({"remove", "busy"}).verb == Verb::Remove);
  CHECK(options_of({"clear"}).verb == Verb::Clear);
  CHECK(options_of({"add", "-f", "rules.json"}).file == "rules.json");
}

TEST_CASE("stator fault: every mistake has its words", "[server]") {
  struct Mistake {
    Arguments arguments;
    const char* words;
  };
  const Mistake mistakes[] = {
      {{"ad"}, "'ad' is not list, add, remove, clear, preset or wait"},
      {{"add", "PutItem"}, "an effect is missing"},
      {{"add", "--effect", "{}", "--drop", "after"}, "--effect stands alone"},
      {{"add", "--effect", "drop"}, "'drop' is not an object in JSON"},
      {{"add", "--nth", "0", "--drop", "after"}, "'0' is not a whole number from 1"},
      {{"add", "--probability", "2", "--drop", "after"}, "'2' is not a number from 0 to 1"},
      {{"add", "PutItem", "-f", "rules.json"}, "the file has the whole rule"},
      {{"remove"}, "a name is missing"},
      {{"wait"}, "a name is missing"},
      {{"remove", "a/b"}, "'a/b' is not a name for a rule"},
      {{"remove", "a", "b"}, "'b' is too much"},
      {{"list", "--drop", "after"}, "flags of a rule go with add"},
      {{"list", "--fired", "2"}, "goes with wait"},
      {{"clear", "--json"}, "goes with list"},
  };
  for (const Mistake& mistake : mistakes) {
    CAPTURE(mistake.words);
    const auto command = read_small_command("fault", mistake.arguments);
    REQUIRE(command);
    REQUIRE_FALSE(command->has_value());
    CHECK(command->error().status == 2);
    CHECK_THAT(command->error().text, Catch::Contains(mistake.words));
    CHECK_THAT(command->error().text, Catch::EndsWith("(see stator fault --help)"));
  }
}

}  // namespace
}  // namespace stator
