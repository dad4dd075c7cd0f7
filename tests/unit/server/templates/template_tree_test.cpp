// YAML and JSON as the same nodes, with their places, and hostile texts.
#include <chrono>
#include <string>

#include <catch2/catch.hpp>

#include "server/templates/tree/node_values.h"
#include "server/templates/tree/read_tree.h"

namespace stator {
namespace {

using templates::Forest;
using templates::Node;
using templates::Spot;

// The tree as JSON, or the mistake.
std::string tree_of(std::string text, const std::string& path = "t.yaml") {
  Forest forest;
  const auto root = templates::read_tree(forest, path, std::move(text));
  if (!root) return root.error().message();
  std::string json;
  templates::append_json(json, *root);
  return json;
}

std::string spot_text(Spot spot) {
  return std::to_string(spot.line) + ":" + std::to_string(spot.column);
}

std::string repeated(std::string_view part, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

TEST_CASE("template tree: short forms become the long ones", "[server]") {
  CHECK(tree_of("a: !Ref X") == R"({"a":{"Ref":"X"}})");
  CHECK(tree_of("a: !GetAtt A.B") == R"({"a":{"Fn::GetAtt":"A.B"}})");
  CHECK(tree_of("a: !Condition C") == R"({"a":{"Condition":"C"}})");
  CHECK(tree_of("a: !If [C, !Sub 'x${b}', !Ref 'AWS::NoValue']") ==
        R"({"a":{"Fn::If":["C",{"Fn::Sub":"x${b}"},{"Ref":"AWS::NoValue"}]}})");
  CHECK(tree_of("a: !Sub\n  - t\n  - {v: !Ref X}") ==
        R"({"a":{"Fn::Sub":["t",{"v":{"Ref":"X"}}]}})");
  CHECK(tree_of("a: !Transform {Name: N}") == R"({"a":{"Fn::Transform":{"Name":"N"}}})");
}

TEST_CASE("template tree: scalars retain their text and quotes", "[server]") {
  CHECK(tree_of("{a: 12, b: '12', c: ! 12, d: !!str 12, e: 1e5, f: 012, g: yes}") ==
        R"({"a":12,"b":"12","c":"12","d":"12","e":1e5,"f":"012","g":"yes"})");
  CHECK(tree_of("a: ~\nb:\nc: ''\nd: null") == R"({"a":null,"b":null,"c":"","d":null})");
  CHECK(tree_of("a: |\n  one\n  two\nb: >-\n  one\n  two") ==
        R"({"a":"one\ntwo\n","b":"one two"})");
  CHECK(tree_of("{\"a\": 1.50e400, \"b\": \"\\ud83d\\ude00\\/\"}", "t.json") ==
        "{\"a\":1.50e400,\"b\":\"\xF0\x9F\x98\x80/\"}");
}

TEST_CASE("template tree: anchors, aliases, merge keys", "[server]") {
  CHECK(tree_of("a: &x {k: 1, l: [2]}\nb: *x\nc:\n  <<: *x\n  k: 3") ==
        R"({"a":{"k":1,"l":[2]},"b":{"k":1,"l":[2]},"c":{"k":3,"l":[2]}})");
  CHECK(tree_of("a: &x {k: 1}\nb: &y {k: 2, m: 3}\nc:\n  <<: [*x, *y]") ==
        R"({"a":{"k":1},"b":{"k":2,"m":3},"c":{"k":1,"m":3}})");
  CHECK(tree_of("a: {'<<': 1}") == R"({"a":{"<<":1}})");
  CHECK(tree_of("a: {<<: 1}") == "t.yaml:1:9: '<<' merges a map or a list of maps");
  CHECK(tree_of("a: &x [*x]") == "t.yaml:1:8: no anchor 'x' ends before this alias");
}

TEST_CASE("template tree: places of names and values", "[server]") {
  Forest forest;
  const auto yaml = templates::read_tree(forest, "t.yaml", "# c\na:\n  - b\nc: {d: e}\n");
  REQUIRE(yaml);
  CHECK(spot_text(yaml->find("a")->spot()) == "3:3");
  CHECK(spot_text(yaml->members()[1].spot) == "4:1");
  CHECK(spot_text(yaml->find("c", "d")->spot()) == "4:8");

  const auto json = templates::read_tree(
      forest, "t.json", "{\"a\": \"x\\ny\",\n \"b\": [[\n 12, true]],\n \"c\": {}}");
  REQUIRE(json);
  CHECK(spot_text(json->find("a")->spot()) == "1:7");
  CHECK(spot_text(json->find("b")->spot()) == "2:7");
  CHECK(spot_text(json->find("b")->elements()[0].spot()) == "2:8");
  CHECK(spot_text(json->find("b")->elements()[0].elements()[0].spot()) == "3:2");
  CHECK(spot_text(json->find("c")->spot()) == "4:2");
  CHECK(forest.place(json->spot()).file == "t.json");
}

TEST_CASE("template tree: mistakes with line and column", "[server]") {
  CHECK(tree_of("") == "t.yaml: it is empty");
  CHECK(tree_of("# nothing\n") == "t.yaml: it is empty");
  CHECK(tree_of("a: 1\nb: [1, 2\nc: 3\n").starts_with("t.yaml:3:2: "));
  CHECK(tree_of("a:\n\t- b").starts_with("t.yaml:2:1: "));
  CHECK(tree_of("a: 1\nb:\n  c: 1\n  d: 2\n  c: 3") == "t.yaml:5:3: 'c' is given twice");
  CHECK(tree_of("a: 1\n---\nb: 1").starts_with("t.yaml:2:1: a second document"));
  CHECK(tree_of("? [a]\n: b") == "t.yaml:1:3: a name is a text, not a list or a map");
  CHECK(tree_of("{\"a\": 1,\n \"b\": }", "t.json") == "t.json:2:7: this is no valid JSON");
  CHECK(tree_of("{\"a\": 1, \"a\": 2}", "t.json") == "t.json:1:10: \"a\" is given twice");
  // What begins as JSON may be YAML.
  CHECK(tree_of("{a: [b]}", "-") == R"({"a":["b"]})");
}

TEST_CASE("template tree: bytes that are no text", "[server]") {
  CHECK(tree_of("\xEF\xBB\xBF{\"a\": 1}", "t.json") == R"({"a":1})");
  CHECK(tree_of("\xEF\xBB\xBF"
                "a: 1") == R"({"a":1})");
  CHECK(tree_of(std::string("a: 1\nb: \0x", 10)) ==
        "t.yaml:2:4: it has a NUL byte, so it is no text");
  CHECK(tree_of("a: 1\nb: \xFF") == "t.yaml:2: this line is no valid UTF-8");
  CHECK(tree_of("a: 1\nb: \x07") == "t.yaml:2:4: control characters are not allowed");
  CHECK(tree_of(std::string("\xFF\xFE"
                            "a\0",
                            4))
            .starts_with("t.yaml:1:4: it has a NUL byte"));
}

TEST_CASE("template tree: hostile texts end soon, with a mistake", "[server]") {
  const auto start = std::chrono::steady_clock::now();
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) bomb += "*a" + before + ",";
    bomb += "]\n";
  }
  CHECK(tree_of(bomb) == "t.yaml:4:5: it has more than 100000 parts, with its aliases expanded");
  CHECK(tree_of(repeated("[", 10000)).find("1:65: it is nested deeper than 64") !=
        std::string::npos);
  CHECK(tree_of(repeated("{a: ", 10000)).find("it is nested deeper than 64") != std::string::npos);
  CHECK(tree_of(repeated("- ", 10000)).find("it is nested deeper than 64") != std::string::npos);
  CHECK(tree_of(repeated("? ", 10000)).find("a name is a text") != std::string::npos);
  CHECK(tree_of(repeated("[", 10000), "t.json") == "t.json:1:1002: this is no valid JSON");
  CHECK(tree_of(repeated("{\"a\":", 70) + "1" + repeated("}", 70), "t.json") ==
        "t.json: it is nested deeper than 64");
  CHECK(tree_of(repeated("a: 1\n", 4'000'000)) ==
        "t.yaml: it has more than 16 MiB, which no template has");
  CHECK(tree_of("a: &x " + repeated("!y [", 40) + repeated("]", 40) + "\nb: [*x]")
            .find("it is nested deeper than 64") != std::string::npos);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("template tree: bounds are reached, and not passed", "[server]") {
  const auto nested = [](std::size_t depth) {
    return repeated("[", depth - 1) + "1" + repeated("]", depth - 1);
  };
  for (const char* file : {"t.yaml", "t.json"}) CHECK(tree_of(nested(64), file).starts_with("[["));
  CHECK(tree_of(repeated("[", 64) + repeated("]", 64)).starts_with("[["));
  CHECK(tree_of(repeated("[", 65) + repeated("]", 65)) ==
        "t.yaml:1:65: it is nested deeper than 64");
  CHECK(tree_of(nested(66)) == "t.yaml:1:65: it is nested deeper than 64");
  CHECK(tree_of(nested(66), "t.json") == "t.json: it is nested deeper than 64");

  const auto of_bytes = [](std::size_t bytes) { return "a: 1 #" + std::string(bytes - 6, 'x'); };
  constexpr std::size_t kBytesMax = std::size_t{16} << 20;
  CHECK(tree_of(of_bytes(kBytesMax)) == R"({"a":1})");
  CHECK(tree_of(of_bytes(kBytesMax + 1)) ==
        "t.yaml: it has more than 16 MiB, which no template has");

  // The list is a part, too.
  const auto listed = [](std::size_t parts) { return "[" + repeated("x,", parts - 1) + "]"; };
  CHECK(tree_of(listed(100'000)).starts_with("[\"x\""));
  CHECK(tree_of(listed(100'001))
            .ends_with("it has more than 100000 parts, with its aliases "
                       "expanded"));
}

TEST_CASE("template tree: what scalars mean", "[server]") {
  const auto plain = [](std::string_view text) { return Node::scalar(text, false, {}); };
  const auto quoted = [](std::string_view text) { return Node::scalar(text, true, {}); };
  using templates::boolean_of;
  using templates::integer_of;
  CHECK(boolean_of(plain("Yes")) == true);
  CHECK(boolean_of(plain("off")) == false);
  CHECK(boolean_of(quoted("true")) == true);
  CHECK(boolean_of(quoted("yes")) == std::nullopt);
  CHECK(boolean_of(plain("1")) == std::nullopt);
  CHECK(integer_of(plain("012")) == "10");
  CHECK(integer_of(quoted("012")) == "12");
  CHECK(integer_of(plain("0x1F")) == "31");
  CHECK(integer_of(plain("-5")) == "-5");
  CHECK(integer_of(plain("+5")) == "5");
  CHECK(integer_of(plain("089")) == std::nullopt);
  CHECK(integer_of(plain("1.5")) == std::nullopt);
  CHECK(integer_of(plain("")) == std::nullopt);
  CHECK(integer_of(quoted("000")) == "0");
}

}  // namespace
}  // namespace stator
