// server/options/flag_values.cpp: the values that the flags have, and where they come from.
#include "server/options/flag_values.h"

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/cli/command_line/command_line.h"
#include "server/cli/command_line/help_texts.h"
#include "tests/unit/server/harness/environment_variable.h"

namespace stator {
namespace {

Options good(const std::vector<std::string>& arguments) {
  std::vector<const char*> texts{"stator"};
  for (const std::string& argument : arguments) texts.push_back(argument.c_str());
  const auto options = parse_options(static_cast<int>(texts.size()), texts.data());
  if (!options) FAIL(options.error().text);
  return *options;
}

FlagValue value_of(const Options& options, std::string_view name) {
  const std::vector<FlagValue> values = flag_values(options);
  const auto found = std::find_if(values.begin(), values.end(),
                                  [name](const FlagValue& flag) { return flag.name == name; });
  REQUIRE(found != values.end());
  return *found;
}

TEST_CASE("flag values: each flag of the help, and no other", "[server]") {
  std::set<std::string> in_help;
  const std::string help{kHelp};
  const std::regex flag("--([a-z0-9-]+)");
  for (std::sregex_iterator i(help.begin(), help.end(), flag), end; i != end; ++i)
    in_help.insert((*i)[1]);
  for (const char* const without : {"help", "version", "capacity", "console-token"})
    CHECK(in_help.erase(without) == 1);
  std::set<std::string> shown;
  for (const FlagValue& value : flag_values(good({}))) shown.emplace(value.name);
  CHECK(shown == in_help);
}

TEST_CASE("flag values: a server with the shown values shows them again", "[server]") {
  const Options options = good({"--gsi-delay", "0.25", "--port", "0", "--max-bytes", "3M",
                                "--isolate", "key", "--clock", "2027-01-01T00:00:00Z", "--cors",
                                "http://a.test", "--log-slow", "1", "--stream-shards", "3"});
  std::vector<std::string> arguments;
  for (const FlagValue& flag : flag_values(options)) {
    const bool has_no_value = flag.name == "check-signature-age" ||
                              flag.name == "access-file-insecure" || flag.name == "lambda-strict";
    if (flag.value.empty() || has_no_value) continue;
    arguments.push_back("--" + std::string(flag.name));
    arguments.push_back(flag.value);
  }
  const std::vector<FlagValue> before = flag_values(options);
  const std::vector<FlagValue> after = flag_values(good(arguments));
  for (std::size_t i = 0; i < before.size(); ++i) {
    INFO(before[i].name);
    CHECK(after[i].value == before[i].value);
  }
  CHECK(value_of(options, "gsi-delay").value == "0.25");
  CHECK(value_of(options, "max-bytes").value == "3145728");
  CHECK(value_of(options, "isolate").value == "key");
}

TEST_CASE("flag values: where a value comes from", "[server]") {
  const Variable variable("STATOR_TTL_DELAY", "7");
  const Variable other("STATOR_GSI_DELAY", "7");
  const Options options = good({"--gsi-delay", "1", "--check-signature-age", "--host=127.0.0.1"});
  CHECK(value_of(options, "gsi-delay").from == "flag");
  CHECK(value_of(options, "gsi-delay").value == "1");
  CHECK(value_of(options, "host").from == "flag");
  CHECK(value_of(options, "check-signature-age").value == "on");
  CHECK(value_of(options, "ttl-delay").from == "env");
  CHECK(value_of(options, "ttl-delay").value == "7");
  CHECK(value_of(options, "pitr-lag").from == "default");
  const Options local = good({"-inMemory", "-port", "1234", "-sharedDb"});
  CHECK(value_of(local, "port").from == "flag");
  CHECK(value_of(local, "isolate").from == "flag");
  CHECK(value_of(local, "ttl-delay").from == "env");
  CHECK(value_of(local, "cors").from == "default");
}

}  // namespace
}  // namespace stator
