// Presets: which rules they make, and which mistakes get which words.
#include "server/faults/presets.h"

#include <string>

#include <catch2/catch.hpp>

#include "engine/seams/iso_time.h"
#include "tests/unit/server/faults/read_rule_from.h"

namespace stator {
namespace {

using faults::PresetChoice;

constexpr Timestamp kNow{1'000'000'000'000'000};

std::vector<faults::FaultRule> rules_of(const PresetChoice& choice) {
  auto rules = faults::read_preset(choice, kNow, test::rule_operations().rows());
  if (!rules) FAIL(rules.error());
  return std::move(*rules);
}

std::string words_of(const PresetChoice& choice) {
  const auto rules = faults::read_preset(choice, kNow, test::rule_operations().rows());
  REQUIRE_FALSE(rules);
  return rules.error();
}

struct Expected {
  PresetChoice choice;
  std::vector<std::string> rules;  // names and effects
};

TEST_CASE("fault presets: each makes its rules", "[server]") {
  const Expected expected[] = {
      {{"flaky-1%", {}}, {"flaky error"}},
      {{"throttled", {}}, {"throttled error"}},
      {{"hot-table", "orders"}, {"hot-table error"}},
      {{"lost-answers", {}}, {"lost-answers drop after"}},
      {{"half-batches", {}}, {"half-batches unprocessed"}},
      {{"conflicts", {}}, {"conflicts cancel"}},
      {{"slow", {}}, {"slow delay"}},
      {{"bad-network", {}},
       {"bad-network-reset drop before", "bad-network-cut corrupt cut",
        "bad-network-crc corrupt crc", "bad-network-drip drip"}},
      {{"az-outage", {}},
       {"az-outage-hang drop before", "az-outage-slow delay", "az-outage-errors error"}},
      {{"region-outage", "us-east-1"}, {"region-outage drop before"}},
      {{"stale", "1s"}, {"stale stale"}},
      {{"iterators", {}}, {"iterators error"}},
      {{"error-probability", "0.5"}, {"error-probability error"}},
      {{"read-error-probability", "1"}, {"read-error-probability error"}},
      {{"write-error-probability", "1e-3"}, {"write-error-probability error"}},
  };
  for (const Expected& preset : expected) {
    CAPTURE(preset.choice.name);
    std::vector<std::string> rules;
    for (const auto& rule : rules_of(preset.choice))
      rules.push_back(rule.name + " " + std::string(rule.effect.name()));
    CHECK(rules == preset.rules);
    // States of the past are retained by rules alone.
    CHECK(faults::read_preset_alone(preset.choice).has_value() == (preset.choice.name != "stale"));
  }
}

TEST_CASE("fault presets: arguments are text, not JSON", "[server]") {
  CHECK(rules_of({"hot-table", "orders-*"}).front().match.table == "orders-*");
  CHECK(rules_of({"hot-table", "a\"}}"}).front().match.table == "a\"}}");
  CHECK(words_of({"hot-table", "\xff"}) == "the argument is not UTF-8");
  CHECK(words_of({"hot-table", std::string(2000, 'x')}) == "table is to have at most 1024 bytes");
}

TEST_CASE("fault presets: the variables of LocalStack have theirs", "[server]") {
  CHECK(faults::preset_variables().size() == 3);
  for (const auto& [variable, preset] : faults::preset_variables()) {
    CAPTURE(variable);
    CHECK(rules_of({preset, ".25"}).front().when.probability == 0.25);
    for (const char* const wrong : {"1.5", "-1", "half", "0.5 ", "nan", "0.1,"})
      CHECK(words_of({preset, wrong}) ==
            "the preset " + std::string(preset) + " needs a number from 0 to 1");
  }
}

TEST_CASE("fault presets: an outage ends with errors a minute later", "[server]") {
  const auto rules = rules_of({"az-outage", {}});
  CHECK(rules[0].when.lasts == std::chrono::seconds(60));
  CHECK(rules[2].when.from == kNow.plus(std::chrono::seconds(60)));
  CHECK(rules[2].when.lasts == std::chrono::seconds(5));
}

TEST_CASE("fault presets: every mistake has its words", "[server]") {
  CHECK_THAT(words_of({"throtled", {}}),
             Catch::StartsWith("no such preset: 'throtled', did you mean throttled?; the presets: "
                               "flaky-1%, throttled, "));
  CHECK(words_of({"hot-table", {}}) == "the preset hot-table needs a TABLE");
  CHECK(words_of({"slow", "5ms"}) == "the preset slow takes no argument");
  CHECK_FALSE(faults::read_preset_alone({"none", {}}));
}

TEST_CASE("fault presets: text names one with its argument", "[server]") {
  const auto choice = faults::find_preset("preset hot-table my orders");
  REQUIRE(choice);
  CHECK(choice->name == "hot-table");
  CHECK(choice->argument == "my orders");
  CHECK(faults::find_preset("preset slow")->argument.empty());
  CHECK_FALSE(faults::find_preset("presets.json"));
  CHECK_FALSE(faults::find_preset(R"({"drop":"after"})"));
}

}  // namespace
}  // namespace stator
