// All scenarios of tests/cases/partition-scenarios.json over the pure model, counts exact.
#include "tests/unit/engine/throughput/partition_scenarios.h"

#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "engine/throughput/change_quotas.h"
#include "tests/unit/engine/throughput/target_tracking.h"

using namespace stator;
using namespace stator::capacity;
using namespace stator::capacity::test;

namespace {

std::map<std::string, std::int64_t> counts_of(const JsonNode& object) {
  std::map<std::string, std::int64_t> counts;
  for (const JsonMember& member : object.members()) {
    if (member.value.kind() != JsonNode::Kind::Integer) continue;
    if (const std::int64_t count = integer(object, member.name, 0)) {
      counts[std::string(member.name)] = count;
    }
  }
  return counts;
}

void check_step(ScenarioRun& run, const JsonNode& step) {
  const ScenarioRun::Outcome outcome = run.run(step);
  const JsonNode& expected = *step.find("expect");
  CHECK(outcome.counts == counts_of(expected));
  if (const JsonNode* reasons = expected.find("reasons")) {
    CHECK(outcome.reasons == counts_of(*reasons));
  }
  if (const JsonNode* codes = expected.find("cancellation_codes")) {
    std::vector<std::string> wanted;
    for (const JsonNode& code : codes->elements()) wanted.emplace_back(code.text());
    CHECK(outcome.cancellation_codes == wanted);
  }
  const JsonNode* state = expected.find("state");
  if (state == nullptr) return;
  for (const JsonMember& table : state->members()) {
    for (const JsonMember& member : table.value.members()) {
      INFO(member.name);
      CHECK(run.state(table.name, member.name) == integer(table.value, member.name, -1));
    }
  }
}

}  // namespace

// Millions of requests on few paths: minutes with a sanitizer, which sees no more in all of them.
#if defined(STATOR_SANITIZED)
constexpr std::size_t kStride = 4;
#else
constexpr std::size_t kStride = 1;
#endif

TEST_CASE("partition scenarios: throughput", "[capacity]") {
  const ScenarioFile file;
  const auto scenarios = file.scenarios("throughput");
  REQUIRE(scenarios.size() == 39);
  for (std::size_t i = 0; i < scenarios.size(); i += kStride) {
    const JsonNode* scenario = scenarios[i];
    ScenarioRun run(file.root(), *scenario);
    for (const JsonNode& step : scenario->find("steps")->elements()) {
      INFO(text(*scenario, "id") << ": " << text(*scenario, "title") << ": "
                                 << text(step, "phase"));
      check_step(run, step);
    }
  }
}

namespace {

// Bytes come in hundredths of what a partition holds, evenly over the hashes; whoever is told that
// a partition is over its size splits it in the middle.
void fill_evenly(ThroughputState& state, std::int64_t size_bytes, std::int64_t partition_bytes) {
  constexpr std::uint32_t kGoldenPart = 0x9E3779;  // of all hashes: multiples of it lie evenly
  const std::int64_t steps = 100 * size_bytes / partition_bytes;
  for (std::int64_t step = 0; step < steps; ++step) {
    const auto hash = static_cast<std::uint32_t>(step * kGoldenPart % kHashesEnd);
    const Place place{.hash = hash};
    if (!state.add_bytes(place, partition_bytes / 100)) continue;
    const TablePartitions::Range range = state.partitions().range_of(place);
    REQUIRE(range.is_too_large);
    const std::uint32_t middle = range.begin.hash + (range.hash_end - range.begin.hash) / 2;
    REQUIRE(state.split_for_size({middle, {}}, range.size_bytes / 2, second(0)));
  }
}

}  // namespace

TEST_CASE("partition scenarios: the number of partitions", "[capacity]") {
  const ScenarioFile file;
  const auto scenarios = file.scenarios("partition_count");
  REQUIRE(scenarios.size() == 1);
  for (const JsonNode& of : scenarios.front()->find("cases")->elements()) {
    INFO(text(of, "why"));
    const bool is_on_demand = text(of, "mode") == "PAY_PER_REQUEST";
    CapacitySettings settings;
    settings.mode = is_on_demand ? BillingMode::PayPerRequest : BillingMode::Provisioned;
    settings.provisioned = {integer(of, "read", 0), integer(of, "write", 0)};
    const Throughput warm{integer(of, "warm_read", 0), integer(of, "warm_write", 0)};
    const auto parameters = std::make_shared<const CapacityParameters>();
    ThroughputState state(ThroughputState::Of::Table, settings, parameters, second(0), warm);
    fill_evenly(state, integer(of, "size_gib", 0) << 30, parameters->partition_bytes_max);
    CHECK(state.partitions().count() == static_cast<std::uint32_t>(integer(of, "partitions", 0)));
  }
}

TEST_CASE("partition scenarios: decreases of throughput", "[capacity]") {
  const ScenarioFile file;
  const auto scenarios = file.scenarios("decrease_quota");
  REQUIRE(scenarios.size() == 1);
  ThroughputHistory history;
  for (const JsonNode& call : scenarios.front()->find("calls")->elements()) {
    const Timestamp now = second(integer(call, "time_s", 0));
    INFO("at " << integer(call, "time_s", 0));
    if (!boolean(call, "increase_only", false)) {
      const Timestamp next = next_decrease(history, now);
      CHECK((next == now) == boolean(call, "accepted", false));
      if (next == now) {
        history.decreases_today = history.decreases_on(now) + 1;
        history.last_decrease = now;
      } else {
        CHECK(next == second(integer(call, "next_allowed_s", 0)));
      }
    }
    CHECK(history.decreases_on(now) == integer(call, "count_after", 0));
  }
}

TEST_CASE("partition scenarios: changes to on-demand mode", "[capacity]") {
  const ScenarioFile file;
  const auto scenarios = file.scenarios("mode_switch_quota");
  REQUIRE(scenarios.size() == 1);
  std::vector<Timestamp> switches;
  for (const JsonNode& call : scenarios.front()->find("calls")->elements()) {
    if (text(call, "to") != "PAY_PER_REQUEST") continue;
    INFO("at " << integer(call, "time_s", 0));
    const Timestamp now = second(integer(call, "time_s", 0));
    const bool passes = next_on_demand_switch(switches, now) == now;
    CHECK(passes == boolean(call, "accepted", false));
    if (passes) switches.push_back(now);
  }
}

TEST_CASE("partition scenarios: auto scaling", "[capacity]") {
  const ScenarioFile file;
  const auto scenarios = file.scenarios("auto_scaling");
  REQUIRE(scenarios.size() == 3);
  for (const JsonNode* scenario : scenarios) {
    INFO(text(*scenario, "id"));
    const JsonNode& config = *scenario->find("config");
    TargetTracking tracking({.min_units = integer(config, "min", 0),
                             .max_units = integer(config, "max", 0),
                             .target_pct = integer(config, "target_pct", 0)},
                            integer(config, "initial", 0));
    std::map<std::int64_t, std::int64_t> changes;
    std::int64_t minute = 0;
    for (const JsonNode& units : scenario->find("consumed_per_minute")->elements()) {
      const auto changed = tracking.end_minute(std::stoll(std::string(units.text())));
      if (changed) changes[minute] = *changed;
      ++minute;
    }
    std::map<std::int64_t, std::int64_t> expected;
    for (const JsonNode& change : scenario->find("expect")->elements()) {
      expected[integer(change, "after_minute", -1)] = integer(change, "new_capacity", -1);
    }
    CHECK(changes == expected);
  }
}
