// What is remembered of large collections, against looking at them.
#include "protocol/expression/evaluation/element_index.h"

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace stator;
using expr::KnownCollections;

namespace {

struct Strings {
  Value string(const std::string& text) { return Value::string(texts.emplace_back(text)); }
  Value list(std::vector<Value> elements) {
    return Value::list(lists.emplace_back(std::move(elements)));
  }
  Value map(const std::string& name, const Value& value) {
    return Value::map(maps.emplace_back(std::vector<Member>{{texts.emplace_back(name), value}}));
  }
  std::deque<std::string> texts;
  std::deque<std::vector<Value>> lists;
  std::deque<std::vector<Member>> maps;
};

}  // namespace

TEST_CASE("known collections: elements are found by index as by looking", "[element_index]") {
  Strings made;
  std::vector<Value> elements;
  for (int i = 0; i < 3'000; ++i) {
    elements.push_back(made.string(std::to_string(i % 1'000)));
    elements.push_back(made.map("a", made.string(std::to_string(i))));
    elements.push_back(Value::null());
  }
  const Value list = made.list(elements);
  KnownCollections known;
  for (int i = 900; i < 1'100; ++i) {
    const std::string text = std::to_string(i);
    CHECK(known.contains(list, made.string(text)) == (i < 1'000));
    CHECK(known.contains(list, made.map("a", made.string(text))));
    CHECK_FALSE(known.contains(list, made.map("b", made.string(text))));
    CHECK_FALSE(known.contains(list, Value::binary(made.texts.emplace_back(text))));
    CHECK(known.contains(list, Value::null()));
    CHECK_FALSE(known.contains(list, Value::boolean(false)));
    CHECK_FALSE(known.contains(made.list({}), made.string(text)));
  }
}

TEST_CASE("known collections: equality is remembered for the pair alone", "[element_index]") {
  Strings made;
  const auto list_to = [&](const std::string& last) {
    std::vector<Value> elements(500, Value::null());
    elements.push_back(made.string(last));
    return made.list(elements);
  };
  const Value a = list_to("x");
  const Value b = list_to("x");
  const Value c = list_to("y");
  KnownCollections known;
  for (int i = 0; i < 10; ++i) {
    CHECK(known.are_equal(a, b));
    CHECK_FALSE(known.are_equal(a, c));
    CHECK(known.are_equal(a, a));
    CHECK_FALSE(known.are_equal(c, b));
    CHECK(known.are_equal(made.list({}), made.list({})));
    CHECK_FALSE(known.are_equal(made.list({}), a));
    CHECK_FALSE(known.are_equal(made.string("x"), made.string("y")));
    CHECK_FALSE(known.are_equal(made.map("x", a), made.map("x", c)));
    CHECK(known.are_equal(made.map("x", a), made.map("x", b)));
  }
}
