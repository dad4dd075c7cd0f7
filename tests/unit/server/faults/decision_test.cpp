// Which of the requests that fit a rule fail.
#include "server/faults/decision.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/faults/fault_rules.h"
#include "tests/unit/server/faults/read_rule_from.h"

namespace stator {
namespace {

using faults::FaultRule;
using faults::FaultRules;
using faults::RequestFacts;

FaultRule rule_when(const std::string& when) {
  auto rule = test::read_rule_from("{'name':'r','when':" + when + ",'effect':{'drop':'after'}}");
  REQUIRE(rule);
  return *rule;
}

// "2 4" of the first ten requests.
std::string fired_of_ten(const FaultRule& rule) {
  std::string fired;
  for (std::uint64_t n = 1; n <= 10; ++n)
    if (fires(rule, /*seed=*/7, Timestamp{0}, {n, std::nullopt, Timestamp{0}}))
      fired += (fired.empty() ? "" : " ") + std::to_string(n);
  return fired;
}

TEST_CASE("fault rules: numbers decide who fails", "[server]") {
  struct Row {
    const char* when;
    const char* fired;
  };
  for (const Row& row :
       {Row{"{}", "1 2 3 4 5 6 7 8 9 10"}, Row{"{'nth':2}", "2"}, Row{"{'nth':[1,3]}", "1 3"},
        Row{"{'every':5}", "5 10"}, Row{"{'first':2}", "1 2"}, Row{"{'skip':8}", "9 10"},
        Row{"{'skip':4,'every':3}", "7 10"}, Row{"{'skip':4,'first':1}", "5"},
        Row{"{'probability':0}", ""}, Row{"{'attempt':1}", ""}}) {
    CAPTURE(row.when);
    CHECK(fired_of_ten(rule_when(row.when)) == row.fired);
  }
}

// The numbers of those of ten requests that fail, by access key a, b, a, b and so on, and item.
std::string fired_of_clients(FaultRules& rules, const std::string& rule) {
  auto read = test::read_rule_from(rule);
  REQUIRE(read);
  rules.add({*read}, Timestamp{});
  std::string fired;
  for (int n = 1; n <= 10; ++n) {
    const std::string item = "item" + std::to_string(n % 3);
    const Member members[] = {{"pk", Value::string(item)}};
    RequestFacts facts;
    facts.operation = "PutItem";
    facts.access = Access::Write;
    facts.access_key = n % 2 == 1 ? "a" : "b";
    facts.resources = {{.table = "t", .key = members}};
    if (rules.decide(facts, Timestamp{})) fired += (fired.empty() ? "" : " ") + std::to_string(n);
  }
  return fired;
}

TEST_CASE("fault rules: numbers may count the requests of a client or a key", "[server]") {
  FaultRules rules(7, [](const std::string&) {});
  const std::string end = ",'effect':{'drop':'before'}}";
  CHECK(fired_of_clients(rules, "{'name':'r','when':{'nth':2}" + end) == "2");
  CHECK(fired_of_clients(rules, "{'name':'r','when':{'nth':2,'count_by':'client'}" + end) == "3 4");
  CHECK(fired_of_clients(rules,
                         "{'name':'r','match':{'key':{'pk':'*'}},"
                         "'when':{'first':1,'count_by':'key'}" +
                             end) == "1 2 3");
  CHECK(fired_of_clients(rules,
                         "{'name':'r','match':{'key':{'pk':'item1'}},"
                         "'when':{'nth':3,'count_by':'key'}" +
                             end) == "7");
  CHECK(rules.find("r")->matched() == 4);
}

TEST_CASE("fault rules: a delay may go on to later rules, a rule for the arrival is apart",
          "[server]") {
  FaultRules rules(7, [](const std::string&) {});
  const auto add = [&](const char* rule) { rules.add({test::rule_from(rule)}, Timestamp{}); };
  add("{'name':'slow','effect':{'delay':'20ms','and_on':true}}");
  add("{'name':'late','effect':{'delay':'1s','clock':'engine','at':'after','and_on':true}}");
  add("{'name':'lost','when':{'times':1},'effect':{'drop':'after'}}");
  add("{'name':'never','effect':{'drop':'before'}}");
  add("{'name':'early','stage':'arrival','effect':{'drop':'before'}}");
  CHECK(rules.any_at_arrival());
  RequestFacts facts;
  facts.operation = "PutItem";
  const auto first = rules.decide(facts, Timestamp{});
  CHECK(first.of->rule().name == "lost");
  CHECK(first.before.wire == std::chrono::milliseconds(20));
  CHECK(first.after.engine == std::chrono::seconds(1));
  CHECK(rules.decide(facts, Timestamp{}).of->rule().name == "never");
  CHECK(rules.decide(facts, Timestamp{}, /*is_arrival=*/true).of->rule().name == "early");
  CHECK(rules.find("early")->matched() == 1);
  rules.remove("early");
  CHECK_FALSE(rules.any_at_arrival());
}

TEST_CASE("fault rules: attempts and windows of time", "[server]") {
  const auto at = [](const char* when, std::uint64_t attempt, std::int64_t now_s) {
    return fires(rule_when(when), 1, Timestamp{10'000'000},
                 {1, attempt, Timestamp{now_s * 1'000'000}});
  };
  CHECK(at("{'attempt':1}", 1, 0));
  CHECK_FALSE(at("{'attempt':1}", 2, 0));
  CHECK(at("{'attempt':[1,2]}", 2, 0));
  CHECK(at("{'attempt':{'from':2}}", 9, 0));
  CHECK_FALSE(at("{'attempt':{'from':2,'to':3}}", 4, 0));
  const char* const window = "{'from':'1970-01-01T00:00:20Z','until':'1970-01-01T00:00:30Z'}";
  CHECK_FALSE(at(window, 1, 19));
  CHECK(at(window, 1, 20));
  CHECK(at(window, 1, 29));
  CHECK_FALSE(at(window, 1, 30));
  CHECK(at("{'for':'5s'}", 1, 14));
  CHECK_FALSE(at("{'for':'5s'}", 1, 15));
}

TEST_CASE("fault rules: a probability draws by seed, name and number alone", "[server]") {
  const auto fired = [](std::uint64_t seed, FaultRule rule) {
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t n = 1; n <= 1000; ++n)
      if (fires(rule, seed, Timestamp{0}, {n, std::nullopt, Timestamp{0}})) numbers.push_back(n);
    return numbers;
  };
  const FaultRule rule = rule_when("{'probability':0.3}");
  const auto first = fired(7, rule);
  CHECK(first == fired(7, rule));
  CHECK(first.size() > 240);
  CHECK(first.size() < 360);
  CHECK(first != fired(8, rule));
  FaultRule renamed = rule;
  renamed.name = "other";
  CHECK(first != fired(7, renamed));
}

TEST_CASE("fault rules: delays lie in their range and repeat", "[server]") {
  const auto delay = [](const char* text, std::uint64_t n) {
    return delay_of(test::rule_from("{'name':'r','effect':{'delay':" + std::string(text) + "}}"), 7,
                    n)
        .count();
  };
  CHECK(delay("'200ms'", 1) == 200'000);
  int below_median = 0;
  int above_p99 = 0;
  for (std::uint64_t n = 1; n <= 500; ++n) {
    const auto uniform = delay("{'uniform':['50ms','2s']}", n);
    CHECK(uniform >= 50'000);
    CHECK(uniform <= 2'000'000);
    CHECK(uniform == delay("{'uniform':['50ms','2s']}", n));
    const auto lognormal = delay("{'lognormal':{'median':'5ms','p99':'80ms'}}", n);
    below_median += lognormal < 5'000 ? 1 : 0;
    above_p99 += lognormal > 80'000 ? 1 : 0;
  }
  CHECK(below_median > 200);
  CHECK(below_median < 300);
  CHECK(above_p99 < 20);
}

RequestFacts a_put() {
  RequestFacts facts;
  facts.operation = "PutItem";
  facts.access = Access::Write;
  return facts;
}

// Numbers of the requests for which a rule of this name fired.
std::vector<int> fired_by(FaultRules& rules, const std::string& name, int requests) {
  std::vector<int> numbers;
  for (int n = 1; n <= requests; ++n) {
    const auto fault = rules.decide(a_put(), Timestamp{0});
    if (fault && fault.of->rule().name == name) numbers.push_back(n);
  }
  return numbers;
}

TEST_CASE("fault rules: the first that fires decides, and all count", "[server]") {
  FaultRules rules(7, [](const std::string&) {});
  CHECK_FALSE(rules.any());
  FaultRule second = rule_when("{'nth':[2,3]}");
  second.name = "second";
  REQUIRE(rules.add({rule_when("{'nth':2,'times':1}"), second}, Timestamp{0}));
  CHECK(rules.any());
  CHECK(fired_by(rules, "second", 4) == std::vector<int>{3});
  CHECK(rules.find("r")->is_spent());
  CHECK(rules.find("second")->matched() == 4);
  REQUIRE(rules.find("second")->firings().size() == 1);
  CHECK(rules.find("second")->firings().front().number == 3);
}

TEST_CASE("fault rules: another rule moves no firing", "[server]") {
  const auto drawn = [](bool has_other) {
    FaultRules rules(7, [](const std::string&) {});
    std::vector<FaultRule> made;
    made.push_back(rule_when("{'probability':0.3}"));
    if (has_other) {
      made.push_back(rule_when("{'every':2}"));
      made.back().name = "other";
    }
    REQUIRE(rules.add(std::move(made), Timestamp{0}));
    return fired_by(rules, "r", 1000);
  };
  CHECK(drawn(false) == drawn(true));
}

TEST_CASE("fault rules: names replace, others are given, all have a bound", "[server]") {
  std::vector<std::string> lines;
  FaultRules rules(7, [&lines](const std::string& line) { lines.push_back(line); });
  FaultRule unnamed = rule_when("{}");
  unnamed.name.clear();
  REQUIRE(rules.add({rule_when("{}"), unnamed, unnamed}, Timestamp{0}));
  CHECK(rules.all()[1]->rule().name == "fault-1");
  CHECK(rules.all()[2]->rule().name == "fault-2");
  rules.decide(a_put(), Timestamp{0});
  CHECK(rules.find("r")->matched() == 1);
  REQUIRE(rules.add({rule_when("{'nth':2}")}, Timestamp{0}));
  CHECK(rules.find("r")->matched() == 0);
  CHECK(rules.all().size() == 3);
  CHECK_FALSE(rules.add(std::vector<FaultRule>(faults::kFaultRulesMax, unnamed), Timestamp{0}));
  CHECK(rules.all().size() == 3);
  CHECK(rules.remove("fault-1"));
  CHECK_FALSE(rules.remove("fault-1"));
  CHECK(rules.clear() == 2);
  CHECK_FALSE(rules.any());
  CHECK_THAT(lines.front(), Catch::StartsWith("fault rule r is made"));
}

TEST_CASE("fault rules: 256 fit, and a replaced one is none more", "[server]") {
  FaultRules rules(7, [](const std::string&) {});
  FaultRule unnamed = rule_when("{}");
  unnamed.name.clear();
  REQUIRE(rules.add(std::vector<FaultRule>(255, unnamed), Timestamp{0}));
  REQUIRE(rules.add({rule_when("{}")}, Timestamp{0}));
  CHECK(rules.add({rule_when("{'nth':2}")}, Timestamp{0}));
  CHECK_FALSE(rules.add({unnamed}, Timestamp{0}));
  CHECK(rules.all().size() == 256);
}

TEST_CASE("fault rules: the last 20 firings stay, newest last", "[server]") {
  FaultRules rules(7, [](const std::string&) {});
  REQUIRE(rules.add({rule_when("{}")}, Timestamp{0}));
  const auto numbers = [&rules] {
    std::vector<std::uint64_t> shown;
    for (const faults::Firing& firing : rules.find("r")->firings()) shown.push_back(firing.number);
    return shown;
  };
  std::vector<std::uint64_t> expected;
  for (std::uint64_t n = 1; n <= 20; ++n) {
    rules.decide(a_put(), Timestamp{0});
    expected.push_back(n);
  }
  CHECK(numbers() == expected);
  rules.decide(a_put(), Timestamp{0});
  expected.erase(expected.begin());
  expected.push_back(21);
  CHECK(numbers() == expected);
  CHECK(rules.find("r")->fired() == 21);
}

TEST_CASE("fault rules: beyond 16,384 subjects all of them begin anew", "[server]") {
  faults::LiveRule live(rule_when("{}"), Timestamp{0});
  constexpr std::uint64_t kSubjects = 16 * 1024;
  for (std::uint64_t subject = 0; subject < kSubjects; ++subject) live.number_next_of(subject);
  CHECK(live.number_next_of(0) == 2);
  CHECK(live.number_next_of(kSubjects) == 1);
  CHECK(live.number_next_of(0) == 1);
}

}  // namespace
}  // namespace stator
