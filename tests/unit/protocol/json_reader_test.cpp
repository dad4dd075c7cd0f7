// The JSON reader on good, bad and hostile text.
#include "protocol/json_reader.h"

#include <string>

#include <catch2/catch.hpp>

#include "protocol/json_writer.h"

namespace stator {
namespace {

using Kind = JsonNode::Kind;

// The tree as compact JSON.
void append_tree(std::string& out, const JsonNode& node) {
  switch (node.kind()) {
    case Kind::Null:
      out += "null";
      break;
    case Kind::False:
      out += "false";
      break;
    case Kind::True:
      out += "true";
      break;
    case Kind::Integer:
      out.append("i").append(node.text());
      break;
    case Kind::Decimal:
      out.append("d").append(node.text());
      break;
    case Kind::String:
      append_json_string(out, node.text());
      break;
    case Kind::Array: {
      out += '[';
      for (const JsonNode& element : node.elements()) append_tree(out, element), out += ',';
      out += ']';
      break;
    }
    case Kind::Object: {
      out += '{';
      for (const JsonMember& member : node.members()) {
        append_json_string(out, member.name);
        out += ':';
        append_tree(out, member.value);
        out += ',';
      }
      out += '}';
      break;
    }
  }
}

std::string read(std::string body) {
  Arena arena;
  const auto node = read_json(body, arena);
  if (!node) return "refused";
  std::string out;
  append_tree(out, *node);
  return out;
}

bool is_read(std::string body) {
  Arena arena;
  return read_json(body, arena).has_value();
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

TEST_CASE("json_reader: builds the tree in the order of the text", "[protocol]") {
  struct Row {
    const char* body;
    const char* tree;
  };
  const Row rows[] = {
      {"{}", "{}"},
      {"[]", "[]"},
      {" \t\r\n{ \n} ", "{}"},
      {"null", "null"},
      {"\"x\"", "\"x\""},
      {"-12", "i-12"},
      {"[true,false,null]", "[true,false,null,]"},
      {R"({"b":1,"a":2,"b":3})", R"({"b":i1,"a":i2,"b":i3,})"},
      {R"({"a":{"b":[{"c":[]},[[1],2]],"d":"e"},"f":{}})",
       R"({"a":{"b":[{"c":[],},[[i1,],i2,],],"d":"e",},"f":{},})"},
      {"[0,-0,10,1.5,-1.50,1e5,1E+5,2e-7]", "[i0,i-0,i10,d1.5,d-1.50,d1e5,d1E+5,d2e-7,]"},
      {R"(["\"\\\/\b\f\n\r\t","\u0041\u00e9\u6771","\ud83d\ude00","\u0000"])",
       "[\"\\\"\\\\/"
       "\\b\\f\\n\\r\\t\",\"A\xC3\xA9\xE6\x9D\xB1\",\"\xF0\x9F\x98\x80\",\"\\u0000\",]"},
      {"[\"\xC3\xA9\xF0\x9F\x98\x80\x7F\"]", "[\"\xC3\xA9\xF0\x9F\x98\x80\x7F\",]"},
      {R"(["\\ud800 is text","\ud7ff","\ue000"])",
       "[\"\\\\ud800 is text\",\"\xED\x9F\xBF\",\"\xEE\x80\x80\",]"},
      {R"({"":"","\u0061":1})", R"({"":"","a":i1,})"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.body);
    CHECK(read(row.body) == row.tree);
  }
}

TEST_CASE("json_reader: refuses what is not JSON", "[protocol]") {
  for (const char* body : {
           "",          " ",
           "not json",  "{",
           "}",         "[",
           "]",         "[}",
           "{]",        "{\"a\"}",
           "{\"a\":}",  "{\"a\":1,}",
           "{,}",       "[1,]",
           "[,1]",      "[1 2]",
           "{\"a\" 1}", "{\"a\":1 \"b\":2}",
           "{a:1}",     "{'a':1}",
           "{1:2}",     "{\"TableName\":",
           "[1]]",      "{}{}",
           "[] x",      "nul",
           "nulll",     "True",
           "tru",       "fals",
           "NaN",       "Infinity",
           "-",         "+1",
           "01",        "-01",
           ".5",        "5.",
           "1.e5",      "1e",
           "1e+",       "0x10",
           "1_0",       "--1",
           "\"a",       "\"\\x\"",
           "\"\\u12\"", "\"\\u12G4\"",
           "\"\\",      "\"a\\",
           "// x\n{}",  "{}/* x */",
           "[1]//",     "{\"a\":1e}",
           "[1.]",      "\xEF\xBB\xBF{}",
       }) {
    CAPTURE(body);
    CHECK_FALSE(is_read(body));
  }
}

TEST_CASE("json_reader: refuses NUL bytes inside, behind and instead of the text", "[protocol]") {
  using namespace std::string_literals;
  for (const std::string& body : {"\0"s, "{}\0"s, "{}\0{}"s, "\0{}"s, "{\"a\0b\":1}"s, "\"a\0\""s,
                                  "[1,\0 2]"s, "1\0"s, "[1e999,\0 2]"s, "[1e999]\0"s}) {
    CHECK_FALSE(is_read(body));
  }
}

TEST_CASE("json_reader: refuses raw control characters at every place of a string", "[protocol]") {
  for (int byte = 0; byte < 0x20; ++byte) {
    for (std::size_t before = 0; before < 40; ++before) {
      const std::string text =
          std::string(before, 'a') + static_cast<char>(byte) + "zzzzzzzzzzzzzz";
      CAPTURE(byte, before);
      REQUIRE_FALSE(is_read("{\"" + text + "\":1}"));
      REQUIRE_FALSE(is_read("[\"" + text + "\"]"));
    }
  }
  CHECK_FALSE(is_read("[1,\x1F 2]"));
  CHECK_FALSE(is_read("\x0B[1]"));
}

TEST_CASE("json_reader: refuses surrogates that are not a pair", "[protocol]") {
  for (const char* text :
       {R"("\ud800")", R"("\udbff")", R"("\udc00")", R"("\udfff")", R"("\ude00\ud83d")",
        R"("\ud83dx\ude00")", R"("\ud83d\u0041")", R"("\ud83d\ud83d")", R"("a\udc00b")",
        R"("\uDC00")", R"("\ud83d\ude00\ude00")"}) {
    CAPTURE(text);
    CHECK_FALSE(is_read(text));
    CHECK_FALSE(is_read("{" + std::string(text) + ":1}"));
    CHECK_FALSE(is_read("[1e999," + std::string(text) + "]"));
  }
}

TEST_CASE("json_reader: refuses invalid UTF-8 anywhere", "[protocol]") {
  for (const char* bytes : {"\xFF", "\xC3", "\xED\xA0\x80", "\xC0\xAF", "\xF4\x90\x80\x80"}) {
    CHECK_FALSE(is_read("[\"" + std::string(bytes) + "\"]"));
    CHECK_FALSE(is_read("{\"" + std::string(bytes) + "\":1}"));
    CHECK_FALSE(is_read("[1]" + std::string(bytes)));
  }
}

TEST_CASE("json_reader: unescapes in place at every length and alignment", "[protocol]") {
  for (std::size_t before = 0; before < 36; ++before) {
    for (std::size_t after = 0; after < 36; ++after) {
      const std::string left(before, 'a');
      const std::string right(after, 'z');
      REQUIRE(read("[\"" + left + "\\u00e9\\n" + right + "\",\"" + right + "\"]") ==
              "[\"" + left + "\xC3\xA9\\n" + right + "\",\"" + right + "\",]");
    }
  }
}

TEST_CASE("json_reader: reads to its depth and no deeper", "[protocol]") {
  const auto depth = static_cast<std::size_t>(kJsonDepthMax);
  CHECK(is_read(repeated("[", depth) + repeated("]", depth)));
  CHECK_FALSE(is_read(repeated("[", depth + 1) + repeated("]", depth + 1)));
  CHECK(is_read(repeated("{\"a\":", depth) + "1" + repeated("}", depth)));
  CHECK_FALSE(is_read(repeated("{\"a\":", depth + 1) + "1" + repeated("}", depth + 1)));
  CHECK(is_read("[" + repeated("[],", 5000) + "[]]"));
  CHECK_FALSE(is_read(std::string(16 * 1024 * 1024, '[')));
  CHECK_FALSE(is_read(repeated("{\"a\":", 100000)));
  // The number makes the reader go on by hand; the bound must hold there, too.
  CHECK_FALSE(is_read("[1e999," + repeated("[", depth) + repeated("]", depth) + "]"));
  CHECK(is_read("[1e999," + repeated("[", depth - 1) + repeated("]", depth - 1) + "]"));
}

TEST_CASE("json_reader: keeps the text of numbers that no double can hold", "[protocol]") {
  const std::string digits(100'000, '7');
  struct Row {
    std::string body;
    std::string tree;
  };
  const Row rows[] = {
      {"1e999", "d1e999"},
      {"-1E+999999999999999999999", "d-1E+999999999999999999999"},
      {"1e-999999999999999999999", "d1e-999999999999999999999"},
      {digits, "i" + digits},
      {"-" + digits + "." + digits, "d-" + digits + "." + digits},
      {"0." + digits, "d0." + digits},
      {"{\"a\":1e400}", "{\"a\":d1e400,}"},
      {"{\"a\":[1,[2e999 , 3],{\"b\" : 1e998 , \"c\\n\" :\"\\u00e9\"} ],\"d\":{}} \n",
       "{\"a\":[i1,[d2e999,i3,],{\"b\":d1e998,\"c\\n\":\"\xC3\xA9\",},],\"d\":{},}"},
      {"[1e999,-1e999,[],{},[1e999],{\"a\":[[1e999]]},null,\"x\"]",
       "[d1e999,d-1e999,[],{},[d1e999,],{\"a\":[[d1e999,],],},null,\"x\",]"},
      {"[1.5e309,0.1e400]", "[d1.5e309,d0.1e400,]"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.body.substr(0, 60));
    CHECK(read(row.body) == row.tree);
  }
  for (const char* body :
       {"1e999x", "[1e999", "[1e999}", "[1e999,]", "{\"a\":1e999]", "{\"a\":1e999,}",
        "{\"a\":1e999,\"b\"}", "{\"a\":1e999,\"b\":}", "{\"a\":1e999 \"b\":1}", "{\"a\":1e999,b:1}",
        "[1e999 1]", "1e999 1", "[1e999]]", "[1e999,1e]", "{\"a\":1e999,1:2}", "[1e999,\"a]",
        "[1e999.5]", "[1e999e5]", "{\"a\":1e999,\"b\\x\":1}"}) {
    CAPTURE(body);
    CHECK_FALSE(is_read(body));
  }
  CHECK_FALSE(is_read(digits + "."));
  CHECK_FALSE(is_read("0" + digits));
}

TEST_CASE("json_reader: reads many and long members", "[protocol]") {
  std::string body = "{";
  std::string tree = "{";
  for (int i = 0; i < 3000; ++i) {
    const std::string name = "\"name" + std::to_string(i) + "\":";
    body += (i > 0 ? "," : "") + name + "[" + std::to_string(i) + ",\"" +
            std::string(static_cast<std::size_t>(i % 70), 'x') + "\"]";
    tree += name + "[i" + std::to_string(i) + ",\"" +
            std::string(static_cast<std::size_t>(i % 70), 'x') + "\",],";
  }
  CHECK(read(body + "}") == tree + "}");
}

TEST_CASE("json_reader: finds the last member of a name, and none when that is null",
          "[protocol]") {
  std::string body = R"({"a":1,"b":2,"a":3,"b":null,"c":null,"c":4})";
  Arena arena;
  const auto node = read_json(body, arena);
  REQUIRE(node);
  REQUIRE(node->find("a") != nullptr);
  CHECK(node->find("a")->text() == "3");
  CHECK(node->find("b") == nullptr);
  REQUIRE(node->find("c") != nullptr);
  CHECK(node->find("c")->text() == "4");
  CHECK(node->find("d") == nullptr);
}

TEST_CASE("json_reader: does not depend on room behind the text", "[protocol]") {
  // Strings that end right at the end of their allocation.
  for (std::size_t size = 1; size < 200; ++size) {
    std::string body = "\"" + std::string(size, 'a') + "\"";
    body.shrink_to_fit();
    Arena arena;
    const auto node = read_json(body, arena);
    REQUIRE(node);
    REQUIRE(node->text().size() == size);
    REQUIRE_FALSE(is_read(std::string(size, ' ')));
  }
}

}  // namespace
}  // namespace stator
