// tests/cases/partition-scenarios.json, and what runs its timelines over the pure model.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/throughput/admission.h"
#include "engine/throughput/throughput_state.h"
#include "protocol/json/json_tree.h"
#include "protocol/memory/arena.h"

namespace stator::capacity::test {

// Midnight of a day.
inline constexpr std::int64_t kStartUs = std::int64_t{20'700} * 86'400 * 1'000'000;
inline Timestamp second(std::int64_t seconds) { return {kStartUs + seconds * 1'000'000}; }

// The document, whose trees live as long.
class ScenarioFile {
 public:
  ScenarioFile();
  const JsonNode& root() const { return root_; }
  // Those of a type.
  std::vector<const JsonNode*> scenarios(std::string_view type) const;

 private:
  std::string text_;
  Arena arena_;
  JsonNode root_;
};

std::int64_t integer(const JsonNode& object, std::string_view name, std::int64_t otherwise);
std::string_view text(const JsonNode& object, std::string_view name);
bool boolean(const JsonNode& object, std::string_view name, bool otherwise);

// The file's defaults, then the scenario's own parameters.
CapacityParameters scenario_parameters(const JsonNode& file, const JsonNode& scenario);

// One scenario's tables and keys while its steps are run.
class ScenarioRun {
 public:
  ScenarioRun(const JsonNode& file, const JsonNode& scenario);

  // What came of one step, under the names of "expect"; counts that are zero are left out.
  struct Outcome {
    std::map<std::string, std::int64_t> counts;
    std::map<std::string, std::int64_t> reasons;
    std::vector<std::string> cancellation_codes;
  };
  Outcome run(const JsonNode& step);
  // Of the table's "state", by the name of "expect"; tokens in thousandths.
  std::int64_t state(std::string_view table, std::string_view name);

 private:
  struct ScenarioTable {
    bool is_on_demand = false;
    std::unique_ptr<ThroughputState> state;
    std::map<std::string, std::unique_ptr<ThroughputState>, std::less<>> indexes;
  };
  struct ScenarioKey {
    std::uint32_t hash = 0;
    std::string sort;
  };

  std::unique_ptr<ThroughputState> make_state(ThroughputState::Of of, const JsonNode& description,
                                              bool is_on_demand, const ScenarioTable* table);
  void act(const JsonNode& action);
  void request(const JsonNode& request, Outcome& outcome);
  void single(const JsonNode& request, Outcome& outcome);
  void batch(const JsonNode& request, Outcome& outcome);
  void transaction(const JsonNode& request, Outcome& outcome);
  // The claims of the i-th of a request's repetitions.
  std::vector<Claim> claims(const JsonNode& request, bool is_read, std::int64_t i);
  Place place(const JsonNode& request, std::int64_t i);
  bool pass(const std::vector<Claim>& event, Outcome& outcome);

  std::shared_ptr<const CapacityParameters> parameters_;
  std::map<std::string, ScenarioTable, std::less<>> tables_;
  std::map<std::string, ScenarioKey, std::less<>> keys_;
  std::string first_key_;
  std::int64_t now_s_ = 0;
  std::string sort_of_time_;
};

}  // namespace stator::capacity::test
