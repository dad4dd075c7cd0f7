// Answers that are cut to their largest size.
#include "server/cli/mcp/answers/answer_pages.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "protocol/json/json_reader.h"
#include "protocol/json/json_writer.h"
#include "protocol/memory/arena.h"
#include "server/data/transfer/json_text.h"

namespace stator::mcp {
namespace {

constexpr std::size_t kMax = 4096;

// What the client gets of all pages.
struct Pieces {
  std::vector<std::string> elements;  // each a string of JSON
  std::string text;                   // of the last pages that were parts
  int pages = 0;
  int frames = 0;  // pages with the member after the list
};

// Follows the cursors.
Pieces receive(AnswerPages& pages, Answer answer) {
  Pieces all;
  std::string page = pages.begin("tool", std::move(answer));
  for (;;) {
    ++all.pages;
    std::string escaped;
    append_json_string(escaped, page);
    CHECK(page.size() + escaped.size() + 700 <= kMax);
    Arena arena;
    const auto node = read_json(page, arena);
    REQUIRE(node);
    if (const JsonNode* const list = node->find("items"))
      for (const JsonNode& element : list->elements()) all.elements.emplace_back(element.text());
    all.frames += node->has("after") ? 1 : 0;
    all.text += data::text_in(*node, "part");
    const std::string cursor{data::text_in(*node, "cursor")};
    if (cursor.empty()) return all;
    auto next = pages.go_on("tool", cursor);
    REQUIRE(next);
    page = *std::move(next);
  }
}

std::string quoted(const std::string& text) {
  std::string json;
  append_json_string(json, text);
  return json;
}

Answer list_of(const std::vector<std::string>& texts) {
  Answer answer{"\"items\":[", {}, "],\"after\":1"};
  for (const std::string& text : texts) answer.elements.push_back(quoted(text));
  return answer;
}

TEST_CASE("mcp pages: a short answer is one page", "[server]") {
  AnswerPages pages{kMax};
  CHECK(pages.begin("tool", list_of({"a", "b"})) == R"({"items":["a","b"],"after":1})");
  CHECK(pages.begin("tool", list_of({})) == R"({"items":[],"after":1})");
  CHECK(pages.begin("tool", Answer{"\"a\":1"}) == R"({"a":1})");
}

TEST_CASE("mcp pages: a list is cut between elements", "[server]") {
  AnswerPages pages{kMax};
  std::vector<std::string> texts;
  for (int i = 0; i < 100; ++i) texts.push_back(std::string(200, '"') + std::to_string(i));
  const Pieces all = receive(pages, list_of(texts));
  CHECK(all.elements == texts);
  CHECK(all.pages > 10);
  CHECK(all.frames == all.pages);
}

TEST_CASE("mcp pages: an element that is too large comes in parts", "[server]") {
  AnswerPages pages{kMax};
  std::string large;
  for (int i = 0; i < 2000; ++i) large += "\"\\\xc3\xbc\xf0\x9f\x98\x80";
  const Pieces all = receive(pages, list_of({"a", large, "b"}));
  CHECK(all.elements == std::vector<std::string>{"a", "b"});
  CHECK(all.text == quoted(large));
  CHECK(all.frames == 2);
  const Pieces last = receive(pages, list_of({large}));
  CHECK(last.text == quoted(large));
  CHECK(last.frames == 1);
}

TEST_CASE("mcp pages: a frame that is too large comes in parts", "[server]") {
  AnswerPages pages{kMax};
  const std::string members = "\"a\":" + quoted(std::string(10'000, 'x'));
  CHECK(receive(pages, Answer{members}).text == "{" + members + "}");
  const std::string fitting = "\"a\":" + quoted(std::string(1'200, 'x'));
  CHECK(pages.begin("tool", Answer{fitting}) == "{" + fitting + "}");
}

TEST_CASE("mcp pages: the largest answer in one piece, of the default size", "[server]") {
  AnswerPages pages{AnswerPages::kSizeDefault};
  // 32 KiB without the envelope hold it twice: as JSON, and with each of its quotes escaped.
  constexpr std::size_t kRoom = 32 * 1024 - 1024;
  constexpr std::size_t kQuotes = 4;
  const std::string frame = R"("a":"")";
  const std::size_t letters = (kRoom - kQuotes) / 2 - frame.size() - 2;
  const auto answer = [](std::size_t size) {
    return Answer{"\"a\":\"" + std::string(size, 'x') + '"'};
  };
  CHECK(pages.begin("tool", answer(letters)).starts_with(R"({"a":"xxx)"));
  CHECK(pages.begin("tool", answer(letters + 1)).starts_with(R"({"part":"{\"a\":)"));
}

TEST_CASE("mcp pages: more is asked for when the list has ended", "[server]") {
  AnswerPages pages{kMax};
  Answer answer = list_of({"a"});
  int asked = 0;
  answer.more = [&asked]() -> Outcome {
    ++asked;
    return list_of({"b"});
  };
  const Pieces all = receive(pages, answer);
  CHECK(all.elements == std::vector<std::string>{"a", "b"});
  CHECK(asked == 1);
  answer.more = []() -> Outcome { return failed("gone"); };
  CHECK(pages.begin("tool", answer) == R"({"items":["a"],"after":1,"cursor":"2"})");
  const auto next = pages.go_on("tool", "2");
  REQUIRE_FALSE(next);
  CHECK(next.error().text == "gone");
}

TEST_CASE("mcp pages: cursors", "[server]") {
  AnswerPages pages{kMax};
  const auto long_list = list_of({std::string(1000, 'x'), std::string(1000, 'y')});
  REQUIRE(pages.begin("tool", long_list).ends_with(R"("cursor":"1"})"));
  const auto first = pages.go_on("tool", "1");
  REQUIRE(first);
  CHECK(*first == *pages.go_on("tool", "1"));
  CHECK(pages.go_on("other", "1").error().kind == ToolError::Kind::Argument);
  CHECK(pages.go_on("tool", "2").error().kind == ToolError::Kind::Argument);
  for (int i = 0; i < 15; ++i) pages.begin("tool", long_list);
  CHECK(pages.go_on("tool", "1"));
  pages.begin("tool", long_list);
  CHECK_FALSE(pages.go_on("tool", "1"));
}

}  // namespace
}  // namespace stator::mcp
