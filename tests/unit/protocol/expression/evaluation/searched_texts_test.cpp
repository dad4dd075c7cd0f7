// Conditions that search one text many times are met as if each search were made alone.
#include <deque>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "protocol/expression/evaluation/condition.h"

namespace stator::expr {
namespace {

// Conditions at random over an item of two long texts, a text of bytes, a list and a short string.
class Conditions {
 public:
  explicit Conditions(std::uint32_t seed) : random_(seed) {
    for (std::string* text : {&texts_[0], &texts_[1], &texts_[2]}) {
      text->resize(20'000);
      for (char& letter : *text) letter = static_cast<char>('a' + random_() % 3);
    }
    texts_[3] = texts_[0].substr(5'000, 30);
    members_ = {{"a", Value::string(texts_[0])},
                {"b", Value::string(texts_[1])},
                {"c", Value::binary(texts_[0])},
                {"l", Value::list(elements_)},
                {"s", Value::string(texts_[3])}};
  }

  bool is_met(const Condition& condition) const { return matches(condition, Item(members_)); }

  // Terms joined at random, and whether they are met.
  const Condition* make(int terms, bool& is_met) {
    if (terms == 1) return make_term(is_met);
    bool is_left_met = false;
    bool is_right_met = false;
    const int left = 1 + static_cast<int>(random_() % static_cast<std::uint32_t>(terms - 1));
    children_.push_back({const_cast<Condition*>(make(left, is_left_met)),
                         const_cast<Condition*>(make(terms - left, is_right_met))});
    const bool is_and = random_() % 2 == 0;
    conditions_.push_back({is_and ? Condition::Kind::And : Condition::Kind::Or});
    conditions_.back().children = children_.back();
    is_met = is_and ? is_left_met && is_right_met : is_left_met || is_right_met;
    return &conditions_.back();
  }

 private:
  static constexpr const char* kNames[] = {"a", "b", "c", "l", "s", "x"};

  Operand attribute(std::size_t index) {
    steps_.push_back({PathElement{kNames[index], kNames[index]}});
    Operand operand;
    operand.path = steps_.back();
    return operand;
  }
  Operand constant(const Value& value) {
    Operand operand;
    operand.kind = Operand::Kind::Constant;
    operand.value = value;
    return operand;
  }

  // contains(text, piece), of any of them.
  const Condition* make_term(bool& is_met) {
    const std::size_t text = random_() % 7;  // the last two: none, a constant
    std::string& piece =
        pieces_.emplace_back(texts_[random_() % 3].substr(random_() % 19'000, 1 + random_() % 40));
    const Value wanted = text == 2 ? Value::binary(piece) : Value::string(piece);
    const bool is_attribute = random_() % 8 == 0;
    operands_.push_back({text == 6 ? constant(Value::string(texts_[1])) : attribute(text),
                         is_attribute ? attribute(4) : constant(wanted)});
    const std::string& sought = is_attribute ? texts_[3] : piece;
    const bool is_right_type = text != 2 || !is_attribute;
    const std::string* searched = text < 2    ? &texts_[text]
                                  : text == 2 ? &texts_[0]
                                  : text == 4 ? &texts_[3]
                                  : text == 6 ? &texts_[1]
                                              : nullptr;
    is_met = searched != nullptr && is_right_type && searched->find(sought) != std::string::npos;
    calls_.push_back({Function::Contains, "contains", operands_.back()});
    conditions_.push_back({Condition::Kind::Test});
    conditions_.back().call = &calls_.back();
    return &conditions_.back();
  }

  std::mt19937 random_;
  std::string texts_[4];
  std::vector<Value> elements_ = {Value::null()};
  std::vector<Member> members_;
  std::deque<std::string> pieces_;
  std::deque<std::vector<PathElement>> steps_;
  std::deque<std::vector<Operand>> operands_;
  std::deque<std::vector<Condition*>> children_;
  std::deque<Call> calls_;
  std::deque<Condition> conditions_;
};

}  // namespace

TEST_CASE("contains: many searches together find what each finds alone", "[expression]") {
  int met = 0;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    Conditions conditions(seed);
    bool expected = false;
    const Condition* const condition = conditions.make(1 + static_cast<int>(seed % 100), expected);
    CHECK(conditions.is_met(*condition) == expected);
    met += expected ? 1 : 0;
  }
  CHECK(met > 100);
  CHECK(met < 300);
}

}  // namespace stator::expr
