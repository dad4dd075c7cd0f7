// Every operator on sort keys over every pair of values; all else is in
// tests/cases/engine/query.cases.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tests/unit/engine/harness/read_pages.h"
#include "tests/unit/engine/harness/table_text.h"

using namespace stator;
using namespace stator::test;

namespace {

// `values` are in order; what an operator finds is checked against that.
class Operators {
 public:
  Operators(std::string type, std::vector<std::string> values)
      : type_(std::move(type)), values_(std::move(values)) {
    REQUIRE(engine_.call("CreateTable", create_table_request("Things (pk, sk:" + type_ + ")")).ok);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      // Not in order, and between other partitions.
      put("a", value((i * 7) % values_.size()));
      put("b", value(i));
    }
  }

  void check_all() {
    for (std::size_t x = 0; x < values_.size(); ++x) {
      check("sk = :x", x, x, [&](std::size_t i) { return i == x; });
      check("sk < :x", x, x, [&](std::size_t i) { return i < x; });
      check("sk <= :x", x, x, [&](std::size_t i) { return i <= x; });
      check("sk > :x", x, x, [&](std::size_t i) { return i > x; });
      check(":x <= sk", x, x, [&](std::size_t i) { return i >= x; });
      for (std::size_t y = x; y < values_.size(); ++y) {
        check("sk BETWEEN :x AND :y", x, y, [&](std::size_t i) { return i >= x && i <= y; });
      }
    }
  }

 private:
  std::string value(std::size_t i) const { return R"({")" + type_ + R"(":")" + values_[i] + "\"}"; }
  static std::string item(const std::string& pk, const std::string& sk) {
    return R"({"pk":{"S":")" + pk + R"("},"sk":)" + sk + "}";
  }
  void put(const std::string& pk, const std::string& sk) {
    REQUIRE(engine_.call("PutItem", named("Things", R"(,"Item":)" + item(pk, sk))).ok);
  }

  void check(const std::string& condition, std::size_t x, std::size_t y,
             const std::function<bool(std::size_t)>& is_wanted) {
    std::string body = R"({"TableName":"Things","KeyConditionExpression":"pk = :p AND )" +
                       condition + R"(","ExpressionAttributeValues":{":p":{"S":"a"},":x":)" +
                       value(x);
    if (condition.find(":y") != std::string::npos) body += R"(,":y":)" + value(y);
    std::vector<std::string> expected;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (is_wanted(i)) expected.push_back(item("a", value(i)));
    }
    INFO(body);
    CHECK(items_of(engine_.call("Query", body + "}}")) == expected);
    std::reverse(expected.begin(), expected.end());
    CHECK(items_of(engine_.call("Query", body + R"(},"ScanIndexForward":false})")) == expected);
  }

  std::string type_;
  std::vector<std::string> values_;
  EngineHarness engine_;
};

}  // namespace

TEST_CASE("query: every operator on strings, numbers and binary", "[engine]") {
  Operators("S", {"!", "A", "AB", "B", "a", "a b", "aa", "a~", "é", "豆", "😀"}).check_all();
  Operators("N", {"-1000", "-12.5", "-12", "-0.01", "0", "0.01", "7", "12", "12.5", "100"})
      .check_all();
  // 00, 00 00, 00 01, 01, 7F, 80, FE FF, FF, FF 00, FF FF
  Operators("B", {"AA==", "AAA=", "AAE=", "AQ==", "fw==", "gA==", "/v8=", "/w==", "/wA=", "//8="})
      .check_all();
}
