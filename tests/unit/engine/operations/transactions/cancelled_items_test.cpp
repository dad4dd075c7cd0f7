// Which old items the reasons of a cancelled transaction show: those that together have 4 MB.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "protocol/service/limits.h"
#include "tests/unit/engine/harness/engine_harness.h"

using namespace stator;

namespace {

constexpr std::size_t kLargeItems = 16;
constexpr std::size_t kLargeBytes = limits::kTransactionBytesMax / kLargeItems;

struct Asked {
  std::string key;
  bool wants_item = true;
  bool is_shown = true;
};

// As many items as have 4 MB together, "00" and so on, and "s" and "t" of three bytes.
struct Shelf : test::EngineHarness {
  Shelf() {
    call("CreateTable", test::hash_table("Things"));
    for (std::size_t i = 0; i < kLargeItems; ++i) put(large_key(i));
    put("s");
    put("t");
  }

  static std::string large_key(std::size_t number) {
    return (number < 10 ? "0" : "") + std::to_string(number);
  }
  static std::string item(const std::string& key) {
    const std::size_t other_bytes = std::string("apk").size() + key.size();
    const std::string large =
        R"("a":{"S":")" + std::string(kLargeBytes - other_bytes, 'x') + "\"},";
    return "{" + (key.size() == 1 ? "" : large) + R"("pk":{"S":")" + key + "\"}}";
  }
  void put(const std::string& key) {
    REQUIRE(call("PutItem", test::named("Things", R"(,"Item":)" + item(key))).ok);
  }

  // A Delete that fails, and the same as a statement.
  static std::string action(const Asked& asked) {
    return R"({"Delete":{"TableName":"Things","Key":{"pk":{"S":")" + asked.key +
           R"x("}},"ConditionExpression":"attribute_exists(b)")x" + returned(asked) + "}}";
  }
  static std::string statement(const Asked& asked) {
    return R"({"Statement":"DELETE FROM Things WHERE pk = ')" + asked.key + "' AND b = 1\"" +
           returned(asked) + "}";
  }
  static std::string returned(const Asked& asked) {
    return asked.wants_item ? R"(,"ReturnValuesOnConditionCheckFailure":"ALL_OLD")" : "";
  }
  static std::string reason(const Asked& asked) {
    return R"({"Code":"ConditionalCheckFailed")" +
           (asked.is_shown ? R"(,"Item":)" + item(asked.key) : "") +
           R"(,"Message":"The conditional request failed"})";
  }

  template <class TextOf>
  static std::string list(const std::vector<Asked>& all, TextOf text_of) {
    std::string out;
    for (const Asked& asked : all) out.append(out.empty() ? "[" : ",").append(text_of(asked));
    return out + "]";
  }
  void check(const std::vector<Asked>& all) {
    const std::string reasons = list(all, reason);
    const auto reasons_of = [&](const std::string& operation, const std::string& body) {
      return call(operation, body).member("CancellationReasons");
    };
    // In brackets, so that nothing of it is printed.
    CHECK((reasons ==
           reasons_of("TransactWriteItems", R"({"TransactItems":)" + list(all, action) + "}")));
    CHECK((reasons == reasons_of("ExecuteTransaction",
                                 R"({"TransactStatements":)" + list(all, statement) + "}")));
  }
};

std::vector<Asked> large_items() {
  std::vector<Asked> all;
  for (std::size_t i = 0; i < kLargeItems; ++i) all.push_back({.key = Shelf::large_key(i)});
  return all;
}

}  // namespace

TEST_CASE("cancelled transactions: old items are shown up to 4 MB", "[cancelled_items]") {
  Shelf shelf;
  std::vector<Asked> all = large_items();
  SECTION("as many as have exactly that") { shelf.check(all); }
  SECTION("not one that is too much, however small") {
    all.push_back({.key = "s", .is_shown = false});
    shelf.check(all);
  }
  SECTION("none behind the first that is too much") {
    all.insert(all.begin(), {.key = "s"});
    all.back().is_shown = false;
    all.push_back({.key = "t", .is_shown = false});
    shelf.check(all);
  }
  SECTION("those that nobody asked for do not count") {
    all[5].wants_item = all[5].is_shown = false;
    all.push_back({.key = "s"});
    all.push_back({.key = "t"});
    shelf.check(all);
  }
}
