#include "tests/unit/engine/throughput/partition_scenarios.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "protocol/json/json_reader.h"
#include "tests/cases/source_folder.h"

namespace stator::capacity::test {
namespace {

std::string file_text() {
  std::ifstream file(stator::test::source_path("tests/cases/partition-scenarios.json"),
                     std::ios::binary);
  if (!file) throw std::runtime_error("partition-scenarios.json cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

JsonNode parsed(std::string& text, Arena& arena) {
  const auto root = read_json(text, arena);
  if (!root) throw std::runtime_error("partition-scenarios.json is no JSON");
  return *root;
}

// Units, with half ones, in thousandths.
std::int64_t units_milli(const JsonNode& object) {
  return static_cast<std::int64_t>(
      std::strtod(std::string(object.find("units")->text()).c_str(), nullptr) * 1000);
}

Throughput throughput(const JsonNode& object, std::string_view read, std::string_view write) {
  return {integer(object, read, 0), integer(object, write, 0)};
}

std::uint32_t hash_of(const JsonNode& object) {
  return static_cast<std::uint32_t>(integer(object, "hash16", 0)) << 8;
}

}  // namespace

std::int64_t integer(const JsonNode& object, std::string_view name, std::int64_t otherwise) {
  const JsonNode* found = object.find(name);
  return found != nullptr ? std::strtoll(std::string(found->text()).c_str(), nullptr, 10)
                          : otherwise;
}

std::string_view text(const JsonNode& object, std::string_view name) {
  const JsonNode* found = object.find(name);
  return found != nullptr ? found->text() : std::string_view();
}

bool boolean(const JsonNode& object, std::string_view name, bool otherwise) {
  const JsonNode* found = object.find(name);
  return found != nullptr ? found->kind() == JsonNode::Kind::True : otherwise;
}

ScenarioFile::ScenarioFile() : text_(file_text()), root_(parsed(text_, arena_)) {}

std::vector<const JsonNode*> ScenarioFile::scenarios(std::string_view type) const {
  std::vector<const JsonNode*> found;
  for (const JsonNode& scenario : root_.find("scenarios")->elements()) {
    if (text(scenario, "type") == type) found.push_back(&scenario);
  }
  return found;
}

CapacityParameters scenario_parameters(const JsonNode& file, const JsonNode& scenario) {
  CapacityParameters made;
  made.first_warming_s = 0;  // "set_warm" stands for the end of it
  const JsonNode none = JsonNode::object({});
  const JsonNode* own = scenario.find("params");
  for (const JsonNode* from : {file.find("defaults"), own != nullptr ? own : &none}) {
    const auto take = [from](std::string_view name, auto& into) {
      into = static_cast<std::remove_reference_t<decltype(into)>>(integer(*from, name, into));
    };
    take("burst_seconds", made.burst_s);
    take("initial_burst_seconds", made.initial_burst_s);
    take("partition_read_limit", made.partition_limits.read_units);
    take("partition_write_limit", made.partition_limits.write_units);
    take("partition_burst_seconds", made.partition_burst_s);
    take("account_table_read", made.account_table.read_units);
    take("account_table_write", made.account_table.write_units);
    take("account_burst_seconds", made.account_burst_s);
    take("adaptive_delay_s", made.adaptive_delay_s);
    take("window_s", made.window_s);
    take("heat_threshold_pct", made.heat_threshold_pct);
    take("heat_windows", made.heat_windows);
    take("split_duration_s", made.split_duration_s);
    take("od_growth_delay_s", made.growth_delay_s);
    take("od_initial_partitions", made.on_demand_partitions_min);
    take("od_initial_read", made.on_demand_initial.read_units);
    take("od_initial_write", made.on_demand_initial.write_units);
    take("od_max_burst_seconds", made.on_demand_max_burst_s);
    take("partition_max_bytes", made.partition_bytes_max);
    made.heat_split = boolean(*from, "heat_split", made.heat_split);
    const std::string_view mode = text(*from, "adaptive_mode");
    if (mode == "off") made.adaptive_mode = AdaptiveMode::Off;
    if (mode == "delayed") made.adaptive_mode = AdaptiveMode::Delayed;
  }
  return made;
}

ScenarioRun::ScenarioRun(const JsonNode& file, const JsonNode& scenario)
    : parameters_(std::make_shared<const CapacityParameters>(scenario_parameters(file, scenario))) {
  for (const JsonNode& description : scenario.find("tables")->elements()) {
    ScenarioTable& table = tables_[std::string(text(description, "name"))];
    table.is_on_demand = text(description, "mode") == "PAY_PER_REQUEST";
    table.state = make_state(ThroughputState::Of::Table, description, table.is_on_demand, nullptr);
    const JsonNode* indexes = description.find("gsis");
    if (indexes == nullptr) continue;
    for (const JsonNode& index : indexes->elements()) {
      table.indexes[std::string(text(index, "name"))] =
          make_state(ThroughputState::Of::Index, index, table.is_on_demand, &table);
    }
  }
  for (const JsonMember& key : scenario.find("keys")->members()) {
    if (first_key_.empty()) first_key_ = key.name;
    keys_[std::string(key.name)] = {hash_of(key.value), std::string(text(key.value, "sort"))};
  }
}

std::unique_ptr<ThroughputState> ScenarioRun::make_state(ThroughputState::Of of,
                                                         const JsonNode& description,
                                                         bool is_on_demand,
                                                         const ScenarioTable* table) {
  CapacitySettings settings;
  settings.mode = is_on_demand ? BillingMode::PayPerRequest : BillingMode::Provisioned;
  settings.provisioned = throughput(description, "read", "write");
  if (description.find("max_read") != nullptr) {
    settings.maximum.max_read_units = integer(description, "max_read", 0);
  }
  if (description.find("max_write") != nullptr) {
    settings.maximum.max_write_units = integer(description, "max_write", 0);
  }
  settings.has_local_index = boolean(description, "lsi", false);
  const ThroughputState* of_table = table != nullptr ? table->state.get() : nullptr;
  const Throughput warm = throughput(description, "warm_read", "warm_write");
  auto made =
      std::make_unique<ThroughputState>(of, settings, parameters_, second(0), warm, of_table);
  const auto partitions = static_cast<std::uint32_t>(integer(description, "partitions", 0));
  if (partitions == 0) return made;
  PersistedThroughput persisted = made->persistent_form(second(0));
  persisted.partitions.clear();
  for (const Position& begin : PartitionMap::equal_ranges(partitions)) {
    persisted.partitions.push_back({begin, 0});
  }
  return std::make_unique<ThroughputState>(of, settings, parameters_, second(0), persisted,
                                           of_table);
}

void ScenarioRun::act(const JsonNode& action) {
  ThroughputState& state = *tables_.at(std::string(text(action, "table"))).state;
  const Throughput to = throughput(action, "read", "write");
  if (text(action, "do") == "set_warm") {
    state.schedule_warm_throughput(to, second(now_s_));
  } else if (text(action, "do") == "set_throughput") {
    CapacitySettings settings = state.report(second(now_s_)).settings;
    settings.provisioned = to;
    state.configure(settings, second(now_s_), second(now_s_));
  } else {
    throw std::runtime_error("an action that is not known");
  }
}

Place ScenarioRun::place(const JsonNode& request, std::int64_t i) {
  std::string_view name = text(request, "key");
  if (const JsonNode* names = request.find("keys")) {
    const auto all = names->elements();
    name = all[static_cast<std::size_t>(i) % all.size()].text();
  }
  const ScenarioKey& key = keys_.find(name.empty() ? first_key_ : name)->second;
  const bool from_time = boolean(request, "sort_from_time", false);
  return {.hash = key.hash, .sort = from_time ? sort_of_time_ : key.sort, .partition = {}};
}

std::vector<Claim> ScenarioRun::claims(const JsonNode& request, bool is_read, std::int64_t i) {
  ScenarioTable& table = tables_.find(text(request, "table"))->second;
  const Dimension dimension = is_read ? Dimension::Read : Dimension::Write;
  const std::string_view index = text(request, "index");
  ThroughputState* of = index.empty() ? table.state.get() : table.indexes.find(index)->second.get();
  std::vector<Claim> made = {{of, dimension, place(request, i), units_milli(request)}};
  if (const JsonNode* charged = request.find("gsi_charges")) {
    for (const JsonMember& of_index : charged->members()) {
      for (const JsonNode& charge : of_index.value.elements()) {
        made.push_back({table.indexes.find(of_index.name)->second.get(),
                        dimension,
                        {.hash = hash_of(charge), .sort = {}, .partition = {}},
                        units_milli(charge)});
      }
    }
  }
  return made;
}

bool ScenarioRun::pass(const std::vector<Claim>& event, Outcome& outcome) {
  const std::vector<Refusal> refusals = ask(event, second(now_s_));
  if (refusals.empty()) {
    take(event, second(now_s_));
    return true;
  }
  refused(event, refusals, second(now_s_));
  for (const Refusal& refusal : refusals) ++outcome.reasons[std::string(to_text(refusal.reason))];
  return false;
}

void ScenarioRun::single(const JsonNode& request, Outcome& outcome) {
  const bool is_read = text(request, "op") == "read";
  for (std::int64_t i = 0; i < integer(request, "n", 1); ++i) {
    ++outcome.counts[pass(claims(request, is_read, i), outcome) ? "accepted" : "throttled"];
  }
}

void ScenarioRun::batch(const JsonNode& request, Outcome& outcome) {
  const bool is_read = text(request, "op") == "batch_read";
  bool has_any = false;
  for (const JsonNode& item : request.find("items")->elements()) {
    for (std::int64_t i = 0; i < integer(item, "n", 1); ++i) {
      const bool passes = pass(claims(item, is_read, i), outcome);
      has_any = has_any || passes;
      ++outcome.counts[passes ? "processed" : "unprocessed"];
    }
  }
  ++outcome.counts[has_any ? "accepted" : "throttled"];
}

void ScenarioRun::transaction(const JsonNode& request, Outcome& outcome) {
  const bool is_read = text(request, "op") == "transact_read";
  std::vector<std::vector<Claim>> members;
  std::vector<bool> on_demand;
  for (const JsonNode& item : request.find("items")->elements()) {
    for (std::int64_t i = 0; i < integer(item, "n", 1); ++i) {
      members.push_back(claims(item, is_read, i));
      on_demand.push_back(tables_.find(text(item, "table"))->second.is_on_demand);
    }
  }
  const std::vector<Event> events(members.begin(), members.end());
  const auto refusals = take_all(events, second(now_s_));
  bool passes = true;
  std::vector<std::string> codes;
  for (std::size_t i = 0; i < refusals.size(); ++i) {
    passes = passes && refusals[i].empty();
    codes.emplace_back(refusals[i].empty() ? "None"
                       : on_demand[i]      ? "ThrottlingError"
                                           : "ProvisionedThroughputExceeded");
  }
  ++outcome.counts[passes ? "accepted" : "throttled"];
  if (!passes) outcome.cancellation_codes = codes;
}

void ScenarioRun::request(const JsonNode& request, Outcome& outcome) {
  const std::string_view op = text(request, "op");
  if (op == "read" || op == "write") return single(request, outcome);
  if (op == "batch_read" || op == "batch_write") return batch(request, outcome);
  if (op == "transact_read" || op == "transact_write") return transaction(request, outcome);
  throw std::runtime_error("a request that is not known");
}

ScenarioRun::Outcome ScenarioRun::run(const JsonNode& step) {
  Outcome outcome;
  for (std::int64_t tick = 0; tick < integer(step, "ticks", 1); ++tick) {
    now_s_ = integer(step, "at_s", 0) + tick * integer(step, "every_s", 1);
    sort_of_time_ = std::to_string(10'000'000'000 + now_s_).substr(1);
    if (const JsonNode* actions = step.find("actions")) {
      for (const JsonNode& action : actions->elements()) act(action);
    }
    const JsonNode* requests = step.find("requests");
    if (requests == nullptr) continue;
    for (const JsonNode& one : requests->elements()) request(one, outcome);
  }
  return outcome;
}

std::int64_t ScenarioRun::state(std::string_view table, std::string_view name) {
  const ThroughputReport report = tables_.find(table)->second.state->report(second(now_s_));
  if (name == "partitions") return static_cast<std::int64_t>(report.partitions.size());
  if (name == "warm_read") return report.warm.read_units;
  if (name == "warm_write") return report.warm.write_units;
  if (name == "read_tokens") return report.sides[0].own.balance_micro / kMicroPerUnit;
  throw std::runtime_error("a state that is not known");
}

}  // namespace stator::capacity::test
