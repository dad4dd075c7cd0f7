// The cache of parsed expressions: what comes out of it is what parsing gives, to every request a
// tree of its own, within bounds and from many threads.
#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "protocol/expression/evaluation/condition.h"
#include "protocol/expression/evaluation/key_condition.h"
#include "protocol/expression/evaluation/projection.h"
#include "protocol/expression/resolution/paths.h"
#include "protocol/expression/syntax/cache.h"
#include "protocol/expression/syntax/printer.h"
#include "protocol/expression/updates/update.h"
#include "protocol/json/json_reader.h"
#include "protocol/shapes/attribute_value.h"

namespace stator::expr {
namespace {

// A request whose `#a` and `:v` stand for what it says.
struct Request {
  Request(std::string_view name, std::string_view value, ExpressionCache* cache) {
    body.append("{\"ExpressionAttributeNames\":{\"#a\":\"").append(name);
    body.append("\"},\"ExpressionAttributeValues\":{\":v\":{\"S\":\"").append(value);
    body.append("\"}}}");
    auto read = Placeholders::read(*read_json(body, arena), Wording{}, arena, cache);
    REQUIRE(read);
    placeholders = *read;
  }

  // The item {"pk":…} after the update, or the message.
  std::string updated(std::string_view text) {
    const Member key{"pk", Value::string("k")};
    const auto update = parse_update(text, placeholders, Wording{}, arena);
    if (!update) return update.error().message();
    const auto after = apply_update(**update, {&key, 1}, true, arena);
    if (!after) return after.error().message();
    std::string out;
    append_item_json(out, *after);
    return out;
  }

  bool is_met(std::string_view text) {
    const Member members[] = {{"hue", Value::string("red")}, {"pk", Value::string("k")}};
    const auto condition =
        parse_condition(text, "FilterExpression", placeholders, Wording{}, arena);
    REQUIRE(condition);
    return matches(**condition, Item(members));
  }

  std::string body;
  Arena arena;
  Placeholders placeholders;
};

template <class Tree>
bool has(ExpressionCache& cache, std::string_view text) {
  Arena arena;
  return cache.find<Tree>(text, arena).has_value();
}

std::string print(const Update& update) {
  std::string out;
  append_update(out, update);
  return out;
}

std::string print(const ParsedCondition& parsed) {
  std::string out;
  append_condition(out, *parsed.root);
  return out.append(" ").append(std::to_string(parsed.operators));
}

TEST_CASE("expression cache: copies equal what was kept", "[protocol][expression]") {
  const Messages messages{"X", Wording{}};
  ExpressionCache cache;
  const std::string updates[] = {
      "SET a = :v",
      "REMOVE b, c[1].d",
      "DELETE j :j, k.l :k ADD i :i, #b.c[2] :i REMOVE f, g.h SET #a = :a + b, e = (c - :d), "
      "d = list_append(if_not_exists(d, :e), :f)",
  };
  for (const std::string& text : updates) {
    CAPTURE(text);
    Arena arena;
    const auto parsed = parse_update_text(text, messages, arena);
    REQUIRE(parsed);
    CHECK_FALSE(has<Update*>(cache, text));
    cache.keep<Update*>(text, *parsed);
    const std::string same = text;
    const auto copied = cache.find<Update*>(same, arena);
    REQUIRE(copied);
    CHECK(print(**copied) == print(**parsed));
    REQUIRE((*copied)->targets.size() == (*parsed)->targets.size());
    for (std::size_t i = 0; i < (*copied)->targets.size(); ++i) {
      const Path target = (*copied)->targets[i];
      CHECK(is_same_path(target, (*parsed)->targets[i]));
      CHECK(target.data() != (*parsed)->targets[i].data());
      // It refers to the text it was asked for.
      CHECK(target[0].text.data() >= same.data());
      CHECK(target[0].text.data() < same.data() + same.size());
    }
    // Actions share their paths with the targets, so that resolving one resolves the other.
    for (const SetAction& action : (*copied)->sets) {
      CHECK(std::any_of((*copied)->targets.begin(), (*copied)->targets.end(),
                        [&](Path target) { return target.data() == action.target.data(); }));
    }
  }
  const std::string conditions[] = {
      "a = :v",
      "NOT (a.b[0] <> #c OR size(d) IN (:a, :b)) AND e BETWEEN :a AND :b AND begins_with(f, :v)",
  };
  for (const std::string& text : conditions) {
    CAPTURE(text);
    Arena arena;
    const auto parsed = parse_condition_text(text, messages, arena);
    REQUIRE(parsed);
    cache.keep<ParsedCondition>(text, *parsed);
    const auto copied = cache.find<ParsedCondition>(text, arena);
    REQUIRE(copied);
    CHECK(print(*copied) == print(*parsed));
  }
}

TEST_CASE("expression cache: every request resolves its own tree", "[protocol][expression]") {
  ExpressionCache cache;
  const std::string_view set = "SET #a = :v";
  Request first("x", "1", &cache);
  CHECK(first.updated(set) == R"({"pk":{"S":"k"},"x":{"S":"1"}})");
  CHECK(has<Update*>(cache, set));
  Request second("y", "2", &cache);
  CHECK(second.updated(set) == R"({"pk":{"S":"k"},"y":{"S":"2"}})");
  CHECK(first.updated(set) == R"({"pk":{"S":"k"},"x":{"S":"1"}})");
  CHECK(Request("hue", "red", &cache).is_met("#a = :v"));
  CHECK_FALSE(Request("pk", "red", &cache).is_met("#a = :v"));
  CHECK(Request("hue", "red", &cache).is_met("#a = :v"));
  // What only the placeholders make wrong is found for each request.
  CHECK(Request("pk", "v", &cache).updated("SET #a = :v, pk = :v").find("overlap") !=
        std::string::npos);
  CHECK(Request("z", "v", &cache).updated("SET #a = :v, pk = :v") ==
        R"({"pk":{"S":"v"},"z":{"S":"v"}})");
}

TEST_CASE("expression cache: grammars are apart, errors are not kept", "[protocol][expression]") {
  ExpressionCache cache;
  Request request("a", "b", &cache);
  REQUIRE(parse_projection("hue", request.placeholders, Wording{}, request.arena));
  CHECK(has<std::span<Path>>(cache, "hue"));
  CHECK_FALSE(has<ParsedCondition>(cache, "hue"));
  CHECK_FALSE(
      parse_condition("hue", "FilterExpression", request.placeholders, Wording{}, request.arena));
  CHECK_FALSE(has<ParsedCondition>(cache, "hue"));
  CHECK_FALSE(parse_update("hue", request.placeholders, Wording{}, request.arena));
  CHECK_FALSE(has<Update*>(cache, "hue"));
  REQUIRE(parse_key_condition("hue = :v", request.placeholders, Wording{}, request.arena));
  CHECK(has<ParsedCondition>(cache, "hue = :v"));
}

TEST_CASE("expression cache: bounded by entries and bytes", "[protocol][expression]") {
  const auto fill = [](ExpressionCache& cache, std::size_t padding) {
    std::vector<std::string> texts;
    for (int i = 0; i < 1000; ++i) {
      texts.push_back("SET a" + std::to_string(i) + " = :v" + std::string(padding, ' '));
    }
    Request request("a", "b", &cache);
    for (const std::string& text : texts) {
      CHECK(request.updated(text).starts_with(R"({"a)"));
      CHECK(has<Update*>(cache, text));
    }
    std::size_t count = 0;
    for (const std::string& text : texts) count += has<Update*>(cache, text) ? 1 : 0;
    return count;
  };
  ExpressionCache few({.entries_max = 64});
  CHECK(fill(few, 0) <= 64);
  // 1,000 texts of 4,000 bytes do not fit; a chunk of the arena is at most 1 MiB.
  ExpressionCache small({.bytes_max = 1024 * 1024});
  CHECK(fill(small, 3980) < 600);
  ExpressionCache roomy;
  CHECK(fill(roomy, 0) == 1000);
}

TEST_CASE("expression cache: many threads", "[protocol][expression]") {
  ExpressionCache cache({.entries_max = 32});
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&cache, &wrong, t] {
      for (int i = 0; i < 500; ++i) {
        Arena arena;
        std::string body = R"({"ExpressionAttributeNames":{"#a":"x)" + std::to_string(t) + R"("}})";
        auto placeholders = Placeholders::read(*read_json(body, arena), Wording{}, arena, &cache);
        const std::string text = "REMOVE #a, b" + std::to_string((i * 7 + t) % 50);
        const auto update = parse_update(text, *placeholders, Wording{}, arena);
        const bool is_right = update && print(**update) == text &&
                              (*update)->removes[0][0].name == "x" + std::to_string(t);
        if (!is_right) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace stator::expr
