#include "server/cli/output/item_table.h"

#include <catch2/catch.hpp>

#include "protocol/json/json_reader.h"
#include "server/cli/output/cells.h"
#include "server/cli/output/item_output.h"
#include "server/data/formats/item_of.h"

namespace stator::client {
namespace {

// Items of a JSON array, with all that they refer to.
struct Items {
  explicit Items(std::string json) : text{std::move(json)} {
    const auto root = read_json(text, arena);
    REQUIRE(root);
    for (const JsonNode& node : root->elements()) {
      const auto item = data::item_of(node, arena);
      REQUIRE(item);
      items.push_back(*item);
    }
  }

  std::string text;
  Arena arena;
  std::vector<Item> items;
};

using Widths = std::vector<std::size_t>;

}  // namespace

TEST_CASE("cells: every type on one line", "[server]") {
  const Items items{R"([{"a":{"S":"x\ny"},"b":{"S":""},"c":{"N":"12345678901234567890"},)"
                    R"("d":{"L":[{"S":"q"},{"N":"1"}]},"e":{"B":"AQI="},"f":{"SS":["z"]},)"
                    R"("g":{"NULL":true},"h":{"S":"\u001b[2J"}}])"};
  std::vector<std::string> cells;
  for (const Member& member : items.items[0]) cells.push_back(cell_text(member.value));
  CHECK(cells == std::vector<std::string>{"x\\ny", "\"\"", "12345678901234567890", "[\"q\",1]",
                                          "\"AQI=\"", "[\"z\"]", "null", "\\u001b[2J"});
}

TEST_CASE("cells: the width that characters take", "[server]") {
  CHECK(text_width("") == 0);
  CHECK(text_width("größe") == 5);
  CHECK(text_width("日本") == 4);
  CHECK(text_width("e\u0301") == 1);
  CHECK(text_width("\U0001F600") == 2);
}

TEST_CASE("cells: cut texts end with an ellipsis", "[server]") {
  CHECK(cut_text("abcdef", 6) == "abcdef");
  CHECK(cut_text("abcdef", 5) == "abcd…");
  CHECK(cut_text("日本語", 5) == "日本…");
  CHECK(cut_text("日本語", 4) == "日…");
  CHECK(cut_text("größe", 4) == "grö…");
  CHECK(cut_text("ab", 1) == "…");
  CHECK(cut_text("ab", 0).empty());
}

TEST_CASE("cells: wide columns give way first", "[server]") {
  CHECK(fitted_widths({3, 5}, 80) == Widths{3, 5});
  CHECK(fitted_widths({3, 100}, 80) == Widths{3, 75});
  CHECK(fitted_widths({100, 3, 100}, 47) == Widths{20, 3, 20});
  CHECK(fitted_widths({50, 50, 50}, 20) == Widths{9, 9});
  CHECK(fitted_widths({50, 50}, 5) == Widths{5});
  CHECK(fitted_widths({}, 80).empty());
  CHECK(fitted_widths({3}, 0) == Widths{1});
}

TEST_CASE("table: keys first, numbers to the right, no spaces at ends", "[server]") {
  const Items items{R"([{"a":{"N":"1"},"id":{"S":"x"},"z":{"S":"long text"}},)"
                    R"({"a":{"N":"100"},"id":{"S":"yy"}}])"};
  ItemTable table{{"id"}, std::nullopt};
  CHECK(table.page(items.items) ==
        "id    a  z\n"
        "--  ---  ---------\n"
        "x     1  long text\n"
        "yy  100\n");
}

TEST_CASE("table: a later page has the same columns, or a header of its own", "[server]") {
  const Items first{R"([{"id":{"S":"a"},"n":{"N":"1"}}])"};
  const Items same{R"([{"id":{"S":"longer"}}])"};
  const Items other{R"([{"id":{"S":"b"},"m":{"BOOL":true}}])"};
  ItemTable table{{"id"}, 80};
  CHECK(table.page(first.items) == "id  n\n--  -\na   1\n");
  CHECK(table.page(same.items) == "l…\n");
  CHECK(table.page({}).empty());
  CHECK(table.page(other.items) == "\nid  m\n--  ----\nb   true\n");
}

TEST_CASE("table: columns without space are counted", "[server]") {
  const Items items{R"([{"id":{"S":"aaaaaaaaaaaa"},"m":{"S":"bbbbbbbbbbbb"},"n":{"N":"1"}}])"};
  ItemTable narrow{{"id"}, 20};
  CHECK(narrow.page(items.items) == "id         m\n---------  ---------\naaaaaaaa…  bbbbbbbb…\n");
  CHECK(narrow.hidden_columns() == 1);
  ItemTable full{{"id"}, std::nullopt};
  CHECK(full.page(items.items) ==
        "id            m             n\n"
        "------------  ------------  -\n"
        "aaaaaaaaaaaa  bbbbbbbbbbbb  1\n");
  CHECK(full.hidden_columns() == 0);
}

TEST_CASE("items: the leading attributes come first", "[server]") {
  const Items items{R"([{"a":{"N":"1"},"b":{"N":"2"},"c":{"N":"3"},"d":{"N":"4"}}])"};
  const std::vector<std::string> leading{"d", "missing", "b"};
  std::string names;
  for (const Member& member : in_order(items.items[0], leading)) names += member.name;
  CHECK(names == "dbac");
}

}  // namespace stator::client
