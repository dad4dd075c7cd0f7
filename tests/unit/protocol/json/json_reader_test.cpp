// The JSON reader at every length and alignment; good, bad and hostile texts are in
// tests/cases/protocol/json.cases.
#include "protocol/json/json_reader.h"

#include <string>

#include <catch2/catch.hpp>

namespace stator {
namespace {

bool is_read(std::string body) {
  Arena arena;
  return read_json(body, arena).has_value();
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

TEST_CASE("json_reader: unescapes in place at every length and alignment", "[protocol]") {
  for (std::size_t before = 0; before < 36; ++before) {
    for (std::size_t after = 0; after < 36; ++after) {
      const std::string left(before, 'a');
      const std::string right(after, 'z');
      std::string body = "[\"" + left + "\\u00e9\\n" + right + "\",\"" + right + "\"]";
      Arena arena;
      const auto node = read_json(body, arena);
      REQUIRE(node);
      REQUIRE(node->elements().size() == 2);
      REQUIRE(node->elements()[0].text() == left + "\xC3\xA9\n" + right);
      REQUIRE(node->elements()[1].text() == right);
    }
  }
}

TEST_CASE("json_reader: reads many and long members", "[protocol]") {
  const auto name = [](std::size_t i) { return "name" + std::to_string(i); };
  const auto text = [](std::size_t i) { return std::string(i % 70, 'x'); };
  std::string body = "{";
  for (std::size_t i = 0; i < 3000; ++i) {
    body += (i > 0 ? ",\"" : "\"") + name(i) + "\":[" + std::to_string(i) + ",\"" + text(i) + "\"]";
  }
  body += "}";
  Arena arena;
  const auto node = read_json(body, arena);
  REQUIRE(node);
  REQUIRE(node->members().size() == 3000);
  for (std::size_t i = 0; i < 3000; ++i) {
    const JsonMember& member = node->members()[i];
    REQUIRE(member.name == name(i));
    REQUIRE(member.value.elements().size() == 2);
    REQUIRE(member.value.elements()[0].text() == std::to_string(i));
    REQUIRE(member.value.elements()[1].text() == text(i));
  }
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

TEST_CASE("json_reader: of a long array of numbers only what tells one apart is kept",
          "[protocol]") {
  Arena arena;
  std::string body = "[";
  for (int i = 0; i < 100'000; ++i) body += i % 2 == 0 ? "1," : "true,";
  body += R"("a",2,3,{"b":[4,5]},6,7.5,null,null,8])";
  const auto root = read_json(body, arena);
  REQUIRE(root);
  const auto elements = root->elements();
  CHECK(elements.size() < 5'000);
  CHECK(elements.front().text() == "1");
  CHECK(elements[1].kind() == JsonNode::Kind::True);
  const auto last = elements.last(7);
  CHECK(last[0].text() == "a");
  CHECK(last[1].text() == "2");
  CHECK(last[2].find("b")->elements().size() == 2);
  CHECK(last[3].text() == "6");
  CHECK(last[4].is_null());
  CHECK(last[5].is_null());
  CHECK(last[6].text() == "8");
  CHECK(arena.capacity_bytes() < 300'000);
  std::string broken = "[";
  for (int i = 0; i < 100'000; ++i) broken += "1,";
  CHECK_FALSE(read_json(broken += "01]", arena));
}

TEST_CASE("json_reader: long runs of children, one in or behind another", "[protocol]") {
  const auto array_of = [](std::size_t count, const std::string& mark) {
    std::string text = "[";
    for (std::size_t i = 0; i < count; ++i)
      text.append(i == 0 ? "\"" : ",\"").append(mark).append(std::to_string(i)).append("\"");
    return text + "]";
  };
  const auto is_whole = [](const JsonNode& node, std::size_t count, const std::string& mark) {
    const auto elements = node.elements();
    bool is_right = elements.size() == count;
    for (std::size_t i = 0; i < elements.size() && is_right; ++i)
      is_right = elements[i].text() == mark + std::to_string(i);
    return is_right;
  };
  // Shorter and longer than what is handed over, and with less and more before them.
  for (const std::size_t count : {10U, 65'535U, 65'536U, 70'000U, 300'000U}) {
    for (const std::size_t before : {0U, 3U, 100'000U}) {
      std::string body = R"({"first":)" + array_of(before, "f") + R"(,"in":[)";
      for (std::size_t i = 0; i < before; ++i) body += "null,";
      body += array_of(count, "i") + ",[" + array_of(count, "n") + R"(,7]],"last":{)";
      for (std::size_t i = 0; i < count; ++i)
        body.append(i == 0 ? "\"" : ",\"").append(std::to_string(i)).append("\":").append("[]");
      body += "}}";
      MemoryBudget budget(1'000'000'000);
      MemoryAccount account;
      account.draw_from(budget);
      Arena arena;
      arena.charge_to(account);
      const auto root = read_json(body, arena);
      REQUIRE(root);
      CHECK(is_whole(*root->find("first"), before, "f"));
      const auto inner = root->find("in")->elements();
      REQUIRE(inner.size() == before + 2);
      CHECK(is_whole(inner[before], count, "i"));
      CHECK(is_whole(inner[before + 1].elements()[0], count, "n"));
      CHECK(inner[before + 1].elements()[1].text() == "7");
      const auto members = root->find("last")->members();
      REQUIRE(members.size() == count);
      CHECK(members.back().name == std::to_string(count - 1));
      CHECK(members.back().value.elements().empty());
      CHECK(account.held_bytes() + 8 * 1024 == arena.capacity_bytes());
      CHECK(arena.capacity_bytes() < 8 * body.size() + 64 * 1024);
      arena.reset();
      CHECK(arena.capacity_bytes() == 8 * 1024);
    }
  }
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
