#include "server/start/faults_at_start.h"

#include <chrono>
#include <utility>
#include <vector>

#include "engine/api/engine.h"
#include "engine/api/operation_table.h"
#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "server/data/formats/input_file.h"
#include "server/faults/presets.h"
#include "server/faults/rule_reader.h"
#include "server/log/log.h"
#include "server/options/variables.h"

namespace stator {

namespace {

// The rules of --faults: of a file, or of a preset.
tl::expected<std::vector<faults::FaultRule>, std::string> rules_at_start(
    const std::string& given, const OperationTable& operations, Timestamp now) {
  if (const auto preset = faults::find_preset(given))
    return faults::read_preset(*preset, now, operations.rows());
  auto text = data::read_file(given);
  if (!text) return tl::unexpected(text.error());
  Arena arena;
  const auto json = read_json(*text, arena);
  if (!json) return tl::unexpected(given + " is not JSON");
  auto read = faults::read_rules(*json, operations.rows());
  if (!read) return tl::unexpected(given + ": " + read.error());
  return read;
}

// Adds what the variables of LocalStack ask for.
tl::expected<void, std::string> add_rules_of_variables(faults::FaultRules& rules,
                                                       const OperationTable& operations,
                                                       Timestamp now) {
  for (const auto& [variable, preset] : faults::preset_variables()) {
    const std::string value = variable_text(variable);
    if (value.empty()) continue;
    auto read = faults::read_preset({preset, value}, now, operations.rows());
    if (!read) return tl::unexpected(variable + (": " + read.error()));
    if (read->front().when.probability > 0) rules.add(std::move(*read), now);
  }
  return {};
}

}  // namespace

tl::expected<std::unique_ptr<faults::FaultRules>, std::string> make_faults(
    const Options& options, Random& random, const OperationTable& operations, const Engine& engine,
    LiveSettings& settings) {
  if (!options.has_admin_path || !options.has_faults) return nullptr;
  const Timestamp now = engine.clock().now();
  auto rules = std::make_unique<faults::FaultRules>(
      options.fault_seed.value_or(random.next()), [](const std::string& line) { log::info(line); },
      [&settings](std::chrono::microseconds age) { settings.retain_for_faults(age); });
  if (!options.faults_file.empty()) {
    auto read = rules_at_start(options.faults_file, operations, now);
    if (!read) return tl::unexpected("--faults: " + read.error());
    rules->add(std::move(*read), now);
  }
  if (auto added = add_rules_of_variables(*rules, operations, now); !added)
    return tl::unexpected(std::move(added).error());
  if (!rules->any()) return rules;
  log::info("faults draw by the seed " + std::to_string(rules->seed()));
  return rules;
}

}  // namespace stator
