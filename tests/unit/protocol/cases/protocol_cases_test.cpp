// Runs tests/cases/protocol, and shows that the runner notices what it must.
#include "tests/unit/protocol/cases/protocol_cases.h"

#include <stdexcept>
#include <string>

#include <catch2/catch.hpp>

namespace stator::test {
namespace {

CaseReport run(const std::string& text) { return run_protocol_cases(read_cases("x.cases", text)); }

std::string problem(const std::string& text) {
  try {
    const CaseReport report = run(text);
    return report.failures.empty() ? "" : report.failures.front();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST_CASE("protocol: cases", "[protocol]") { run_case_folder("protocol", run_protocol_cases); }

TEST_CASE("case files: what differs is shown with its place", "[protocol]") {
  CHECK(run("@kind item size\n{a: {S: b}} -> 2\n").count == 1);
  CHECK(run("@kind number\n1 -> 1\n").count == 2);  // in two variants
  CHECK(problem("@kind item size\n{a: {S: b}} -> 2\n").empty());
  CHECK(problem("-- one\n@kind item size\n\n== sizes\n{a: {S: b}}\n  -> 3\n") ==
        "x.cases:5: sizes\n  input:    {a: {S: b}}\n  expected: 3\n  actual:   2");
  CHECK(problem("@kind number\n@all no number\n1e  2\n").find("actual:   2") != std::string::npos);
  CHECK(problem("@kind number\n@in classic = a $1\n2 -> 2\n").find("expected: a 2\n") !=
        std::string::npos);
}

TEST_CASE("case files: nothing is skipped in silence", "[protocol]") {
  const std::string kind = "@kind number\n";
  CHECK(problem("") == "x.cases:1: no case");
  CHECK(problem("-- only this\n" + kind) == "x.cases:3: no case");
  CHECK(problem(kind + "== empty\n== full\n1 -> 1\n") == "x.cases:5: a title without a case");
  CHECK(problem("@kind nonsense\n1 -> 1\n") == "x.cases:1: no such kind: nonsense");
  CHECK(problem("1 -> 1\n") == "x.cases:1: @kind must come first");
  CHECK(problem(kind + "@item {}\n1 -> 1\n") == "x.cases:2: the kind reads no @item");
  CHECK(problem(kind + "@in x = $1\n1 -> 1\n") == "x.cases:2: no such variant of the kind: x");
  CHECK(problem(kind + "1\n") == "x.cases:2: a case expects one thing");
  CHECK(problem(kind + "1\n  -> 1\n  -> 2\n") == "x.cases:2: a case expects one thing");
  CHECK(problem(kind + "1 ->\n") == "x.cases:2: a case expects one thing");
  CHECK(problem(kind + "1\n  ->\n") == "x.cases:4: an empty expectation; write <<>>");
  CHECK(problem(kind + "<<one>> -> 1\n") == "x.cases:3: <<one>> is not defined");
  CHECK(problem(kind + "<<one -> 1\n") == "x.cases:3: << without >>");
  CHECK(problem(kind + "one>> -> 1\n") == "x.cases:3: >> without <<");
  CHECK(problem("@define one 1\n" + kind + "1 -> 1\n") == "x.cases:4: <<one>> is not used");
  CHECK(problem("  -> 1\n") == "x.cases:1: indented, but there is nothing to belong to");
  CHECK_THROWS_AS(read_case_folder("none"), std::exception);
}

TEST_CASE("case files: one title can be chosen, with the steps before the first", "[protocol]") {
  const CaseFile file = read_cases("x.cases", "@shape a\n== one\ntext 1\n== two\ntext 2\n");
  std::string left;
  for (const CaseLine& line : only_titles(file, "tw").lines) left += line.text + ";";
  CHECK(left == "shape;two;text 2;");
  CHECK_THROWS_WITH(only_titles(file, "three"), "x.cases: no title has the text three");
}

TEST_CASE("case files: what << >> stands for", "[protocol]") {
  const auto text = [](const std::string& line) {
    return read_cases("x.cases", "@define pair [$1, $2]\n" + line + "<<pair|1|x>>\n")
        .lines.front()
        .text;
  };
  CHECK(text("") == "[1, x]");
  CHECK(text("<<pair|<<ab*2>>|<<pair|y|z>>>>") == "[abab, [y, z]][1, x]");
  CHECK(text("<<ab*3>><<>><<%,*3>>") == "ababab0,1,2,[1, x]");
  CHECK(text("<<0x41C3a4>><<0x09*2>>") == "A\xC3\xA4\t\t[1, x]");
}

TEST_CASE("case files: relaxed JSON", "[protocol]") {
  CHECK(strict_json("{a: b, :v: {N: \"1\"}, n: -1.50, t: [true, null, x y],}") ==
        R"({"a":"b",":v":{"N":"1"},"n":-1.50,"t":[true,null,"x""y"]})");
  CHECK(strict_json(R"({"a b": "c\" : d", "e":[]})") == R"({"a b":"c\" : d","e":[]})");
}

}  // namespace
}  // namespace stator::test
