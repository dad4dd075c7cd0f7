#include "server/options/argument_errors.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "server/cli/command_line/command_line.h"
#include "server/options/options.h"
#include "server/options/version.h"
#include "tests/unit/server/harness/environment_variable.h"

namespace stator {
namespace {

tl::expected<Command, OptionsExit> command(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "stator");
  return parse_command(static_cast<int>(arguments.size()), arguments.data());
}

std::string told(const std::vector<const char*>& arguments) {
  const auto read = command(arguments);
  if (read) return "read";
  CHECK(read.error().status == 2);
  return read.error().text;
}

}  // namespace

TEST_CASE("mistakes: of a command line are told in plain words", "[server]") {
  const std::pair<std::vector<const char*>, const char*> kCases[] = {
      {{"--prot", "8000"}, "no such flag: --prot, did you mean --port? (see --help)"},
      {{"--prot=8000"}, "no such flag: --prot, did you mean --port? (see --help)"},
      {{"--frobnicate"}, "no such flag: --frobnicate (see --help)"},
      {{"--port", "1", "8000"}, "'8000' is too much (see --help)"},
      {{"--port", "1", "--port", "2"}, "--port is given more than once (see --help)"},
      {{"--port=1", "--port=1"}, "--port is given more than once (see --help)"},
      {{"--sync", "lazy", "--sync", "commit"}, "--sync is given more than once (see --help)"},
      {{"health", "--timeout", "1", "--timeout", "2"},
       "--timeout is given more than once (see stator health --help)"},
      {{"--tls-cert-out", "f"},
       "--tls-cert-out: only together with --tls self-signed (see --help)"},
      {{"--port"}, "--port needs a value (see --help)"},
      {{"--port", "abc"}, "--port: 'abc' is not a whole number from 0 to 65535 (see --help)"},
      {{"--port", "65536"}, "--port: '65536' is not a whole number from 0 to 65535 (see --help)"},
      {{"--gsi-delay", "x"}, "--gsi-delay: 'x' is not a number (see --help)"},
      {{"--sync", "fast"}, "--sync: 'fast' is not commit or lazy (see --help)"},
      {{"--tls", "on"}, "--tls: 'on' is not self-signed (see --help)"},
      {{"--throttling", "yes"}, "--throttling: 'yes' is not off, observe or enforce (see --help)"},
      {{"sreve"}, "no such command: sreve, did you mean serve? (see --help)"},
      {{"help", "sreve"}, "no such command: sreve, did you mean serve? (see --help)"},
      {{"help", "clock", "reset"}, "help takes one command (see --help)"},
      {{"frobnicate"},
       "no such command: frobnicate, there are serve, health, clock, mark, reset, capacity, "
       "explain, log, fault, triggers, access, function, import, "
       "export, copy, apply, schema, mcp, tables, describe, create, get, query, scan, put, delete, "
       "sql, "
       "watch, stream, diff, backup, check, compact, version and help (see --help)"},
      {{"clock", "--prt", "1"},
       "no such flag: --prt, did you mean --port? (see stator clock --help)"},
      {{"import", "T", "f", "--connections", "99"},
       "--connections: '99' is not a whole number from 1 to 64 (see stator import --help)"},
      {{"export", "T", "f", "--rate", "0"},
       "--rate: '0' is not a number from 0.001 to 1e+09 (see stator export --help)"},
  };
  for (const auto& [arguments, text] : kCases) {
    CAPTURE(text);
    CHECK(told(arguments) == "stator: " + std::string(text));
  }
}

TEST_CASE("mistakes: the value of a variable is spoken of by its name", "[server]") {
  const Variable port("STATOR_PORT", "abc");
  CHECK(told({}) ==
        "stator: STATOR_PORT: 'abc' is not a whole number from 0 to 65535 (see --help)");
  CHECK(told({"--port", "x"}) ==
        "stator: --port: 'x' is not a whole number from 0 to 65535 (see --help)");
  const Variable age("STATOR_CHECK_SIGNATURE_AGE", "fast");
  CHECK(told({"--port", "1"}) ==
        "stator: STATOR_CHECK_SIGNATURE_AGE: 'fast' is not true or false (see --help)");
}

TEST_CASE("mistakes: variables that mean nothing are warned about", "[server]") {
  const Variable misspelt("STATOR_PROT", "1");
  const Variable unknown("STATOR_FROBNICATE", "1");
  const Variable known("STATOR_THREADS", "2");
  const Variable of_the_tests("STATOR_BINARY", "stator");
  const Variable of_others("STAT", "1");
  const auto read = command({});
  REQUIRE(read.has_value());
  CHECK(std::get<Options>(*read).warnings ==
        std::vector<std::string>{"no such variable: STATOR_FROBNICATE",
                                 "no such variable: STATOR_PROT, did you mean STATOR_PORT?"});
}

TEST_CASE("mistakes: help and version have the names people try", "[server]") {
  CHECK(command({"help"}).error().text == command({"--help"}).error().text);
  CHECK(command({"help", "serve"}).error().text == command({"--help"}).error().text);
  for (const char* const name :
       {"health",   "clock",    "reset",  "capacity", "explain",  "log",   "fault",  "import",
        "export",   "copy",     "tables", "get",      "query",    "scan",  "put",    "delete",
        "sql",      "watch",    "backup", "check",    "compact",  "apply", "schema", "mcp",
        "triggers", "function", "diff",   "create",   "describe", "stream"}) {
    CAPTURE(name);
    CHECK(command({"help", name}).error().text == command({name, "--help"}).error().text);
    CHECK(command({"help", name}).error().status == 0);
  }
  CHECK(command({"-V"}).error().text == version_text() + "\n");
}

}  // namespace stator
