#include "server/options/capacity_parameters.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <span>
#include <system_error>

namespace stator {
namespace {

using capacity::AccountScope;
using capacity::AdaptiveMode;
using capacity::CapacityParameters;
using capacity::IndexErrors;

struct NumberParameter {
  std::string_view name;
  std::int64_t min;
  std::int64_t max;
  void (*set)(CapacityParameters& parameters, std::int64_t value);
};

// Words for the values 0, 1, ... in their order.
struct NamedValues {
  std::string_view name;
  std::span<const std::string_view> words;
  void (*set)(CapacityParameters& parameters, std::size_t value);
};

constexpr std::int64_t kDaySeconds = 86'400;
constexpr std::int64_t kUnitsMax = capacity::CapacityParameters::kUnitsMax;

constexpr NumberParameter kNumbers[] = {
    {"burst-seconds", 1, kDaySeconds, [](auto& p, auto v) { p.burst_s = v; }},
    {"initial-burst-seconds", 0, kDaySeconds, [](auto& p, auto v) { p.initial_burst_s = v; }},
    {"on-demand-max-burst-seconds", 1, kDaySeconds,
     [](auto& p, auto v) { p.on_demand_max_burst_s = v; }},
    {"partition-reads", 1, kUnitsMax, [](auto& p, auto v) { p.partition_limits.read_units = v; }},
    {"partition-writes", 1, kUnitsMax, [](auto& p, auto v) { p.partition_limits.write_units = v; }},
    {"partition-burst-seconds", 1, kDaySeconds, [](auto& p, auto v) { p.partition_burst_s = v; }},
    {"partition-bytes", 1, std::int64_t{1} << 50,
     [](auto& p, auto v) { p.partition_bytes_max = v; }},
    {"partitions-max", 1, 65'536,
     [](auto& p, auto v) { p.partitions_max = static_cast<std::uint32_t>(v); }},
    {"account-reads", 1, kUnitsMax, [](auto& p, auto v) { p.account_table.read_units = v; }},
    {"account-writes", 1, kUnitsMax, [](auto& p, auto v) { p.account_table.write_units = v; }},
    {"account-burst-seconds", 1, kDaySeconds, [](auto& p, auto v) { p.account_burst_s = v; }},
    {"on-demand-partitions", 1, 1024, [](auto& p, auto v) { p.on_demand_partitions_min = v; }},
    {"on-demand-reads", 1, kUnitsMax, [](auto& p, auto v) { p.on_demand_initial.read_units = v; }},
    {"on-demand-writes", 1, kUnitsMax,
     [](auto& p, auto v) { p.on_demand_initial.write_units = v; }},
    {"growth-delay-seconds", 0, kDaySeconds, [](auto& p, auto v) { p.growth_delay_s = v; }},
    {"window-seconds", 1, 3600, [](auto& p, auto v) { p.window_s = v; }},
    {"heat-percent", 1, 100, [](auto& p, auto v) { p.heat_threshold_pct = v; }},
    {"heat-windows", 1, 60, [](auto& p, auto v) { p.heat_windows = v; }},
    {"split-seconds", 0, kDaySeconds, [](auto& p, auto v) { p.split_duration_s = v; }},
    {"first-warming-seconds", 0, kDaySeconds, [](auto& p, auto v) { p.first_warming_s = v; }},
    {"further-warming-seconds", 0, kDaySeconds, [](auto& p, auto v) { p.further_warming_s = v; }},
    {"adaptive-delay-seconds", 0, kDaySeconds, [](auto& p, auto v) { p.adaptive_delay_s = v; }},
};

constexpr std::string_view kOffOn[] = {"off", "on"};
constexpr std::string_view kFormulas[] = {"sum", "larger"};
constexpr std::string_view kScopes[] = {"each", "table"};
constexpr std::string_view kIndexErrors[] = {"by-cause", "throttling"};
constexpr std::string_view kModes[] = {"instant", "delayed", "off"};

constexpr NamedValues kWords[] = {
    {"heat-split", kOffOn, [](auto& p, auto v) { p.heat_split = v == 1; }},
    {"heat-split-with-streams", kOffOn,
     [](auto& p, auto v) { p.heat_split_with_streams = v == 1; }},
    {"partition-formula", kFormulas,
     [](auto& p, auto v) { p.partition_formula = static_cast<PartitionFormula>(v); }},
    {"account-scope", kScopes,
     [](auto& p, auto v) { p.account_scope = static_cast<AccountScope>(v); }},
    {"index-errors", kIndexErrors,
     [](auto& p, auto v) { p.index_errors = static_cast<IndexErrors>(v); }},
    {"adaptive", kModes, [](auto& p, auto v) { p.adaptive_mode = static_cast<AdaptiveMode>(v); }},
};

tl::expected<void, std::string> set_number(const NumberParameter& number, std::string_view text,
                                           CapacityParameters& parameters) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = failure == std::errc() && end == text.data() + text.size();
  if (!is_whole || value < number.min || value > number.max) {
    return tl::unexpected(std::string(number.name) + " is a whole number from " +
                          std::to_string(number.min) + " to " + std::to_string(number.max));
  }
  number.set(parameters, value);
  return {};
}

tl::expected<void, std::string> set_word(const NamedValues& words, std::string_view text,
                                         CapacityParameters& parameters) {
  const auto found = std::find(words.words.begin(), words.words.end(), text);
  if (found == words.words.end()) {
    std::string all;
    for (const std::string_view word : words.words)
      all.append(all.empty() ? "" : ", ").append(word);
    return tl::unexpected(std::string(words.name) + " is one of " + all);
  }
  words.set(parameters, static_cast<std::size_t>(found - words.words.begin()));
  return {};
}

tl::expected<void, std::string> set(std::string_view entry, CapacityParameters& parameters) {
  const std::size_t equals = entry.find('=');
  const std::string_view name = entry.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : entry.substr(equals + 1);
  for (const NumberParameter& number : kNumbers) {
    if (number.name == name) return set_number(number, value, parameters);
  }
  for (const NamedValues& words : kWords) {
    if (words.name == name) return set_word(words, value, parameters);
  }
  return tl::unexpected("there is no '" + std::string(name) + "'");
}

}  // namespace

tl::expected<void, std::string> read_capacity_parameters(std::string_view list,
                                                         CapacityParameters& parameters) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (auto read = set(list.substr(0, comma), parameters); !read) return read;
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  return {};
}

}  // namespace stator
