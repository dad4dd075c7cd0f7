#include "server/faults/presets.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>

#include "engine/seams/iso_time.h"
#include "protocol/json/json_reader.h"
#include "protocol/json/json_writer.h"
#include "protocol/memory/arena.h"
#include "protocol/text/utf8.h"
#include "server/options/argument_errors.h"

namespace stator::faults {

namespace {

enum class ArgumentKind : std::uint8_t { None, Text, Probability };

// `rules` is a list in JSON. $ARGUMENT stands for the argument, $MINUTE for the time a minute
// after the rules are made.
struct Preset {
  std::string_view name;
  ArgumentKind kind;
  std::string_view argument;  // its name, for messages
  std::string_view rules;
};

constexpr std::chrono::seconds kMinute{60};

constexpr Preset kPresets[] = {
    {"flaky-1%", ArgumentKind::None, "", R"([
      {"name":"flaky","when":{"probability":0.01},"effect":{"error":"InternalServerError"}}])"},
    {"throttled", ArgumentKind::None, "", R"([
      {"name":"throttled","match":{"operation":["reads","writes"]},"when":{"attempt":[1,2]},
       "effect":{"error":"ProvisionedThroughputExceededException"}}])"},
    {"hot-table", ArgumentKind::Text, "TABLE", R"([
      {"name":"hot-table","match":{"operation":["reads","writes"],"table":$ARGUMENT},
       "when":{"probability":0.5},"effect":{"error":"ThrottlingException"}}])"},
    {"lost-answers", ArgumentKind::None, "", R"([
      {"name":"lost-answers","when":{"probability":0.02},"effect":{"drop":"after"}}])"},
    {"half-batches", ArgumentKind::None, "", R"([
      {"name":"half-batches","match":{"operation":["BatchGetItem","BatchWriteItem"]},
       "when":{"every":2},"effect":{"unprocessed":{"fraction":0.5}}}])"},
    {"conflicts", ArgumentKind::None, "", R"([
      {"name":"conflicts","match":{"operation":"transactions"},"when":{"every":3},
       "effect":{"cancel":{"*":"TransactionConflict"}}}])"},
    {"slow", ArgumentKind::None, "", R"([
      {"name":"slow","effect":{"delay":{"lognormal":{"median":"5ms","p99":"200ms"}}}}])"},
    {"bad-network", ArgumentKind::None, "", R"([
      {"name":"bad-network-reset","when":{"probability":0.005},
       "effect":{"drop":"before","how":"rst"}},
      {"name":"bad-network-cut","when":{"probability":0.002},"effect":{"corrupt":"cut"}},
      {"name":"bad-network-crc","when":{"probability":0.001},"effect":{"corrupt":"crc"}},
      {"name":"bad-network-drip","when":{"probability":0.01},
       "effect":{"drip":{"bytes":64,"every":"10ms"}}}])"},
    {"az-outage", ArgumentKind::None, "", R"([
      {"name":"az-outage-hang","when":{"probability":0.333,"for":"60s"},
       "effect":{"drop":"before","how":"hang"}},
      {"name":"az-outage-slow","when":{"for":"60s"},"effect":{"delay":"2ms"}},
      {"name":"az-outage-errors","when":{"from":$MINUTE,"for":"5s","probability":0.05},
       "effect":{"error":"InternalServerError"}}])"},
    {"region-outage", ArgumentKind::Text, "REGION", R"([
      {"name":"region-outage","match":{"region":$ARGUMENT},
       "effect":{"drop":"before","how":"rst"}}])"},
    {"stale", ArgumentKind::Text, "AGE", R"([
      {"name":"stale","effect":{"stale":$ARGUMENT}}])"},
    {"iterators", ArgumentKind::None, "", R"([
      {"name":"iterators","match":{"operation":"GetRecords"},"when":{"every":10},
       "effect":{"error":"ExpiredIteratorException"}}])"},
    {"error-probability", ArgumentKind::Probability, "probability", R"([
      {"name":"error-probability","match":{"operation":["reads","writes"]},
       "when":{"probability":$ARGUMENT},
       "effect":{"error":"ProvisionedThroughputExceededException"}}])"},
    {"read-error-probability", ArgumentKind::Probability, "probability", R"([
      {"name":"read-error-probability","match":{"operation":"reads"},
       "when":{"probability":$ARGUMENT},
       "effect":{"error":"ProvisionedThroughputExceededException"}}])"},
    {"write-error-probability", ArgumentKind::Probability, "probability", R"([
      {"name":"write-error-probability","match":{"operation":"writes"},
       "when":{"probability":$ARGUMENT},
       "effect":{"error":"ProvisionedThroughputExceededException"}}])"},
};

constexpr PresetVariable kVariables[] = {
    {"DYNAMODB_ERROR_PROBABILITY", "error-probability"},
    {"DYNAMODB_READ_ERROR_PROBABILITY", "read-error-probability"},
    {"DYNAMODB_WRITE_ERROR_PROBABILITY", "write-error-probability"},
};

tl::expected<const Preset*, std::string> preset_of(const PresetChoice& choice) {
  std::vector<std::string> names;
  std::string list;
  for (const Preset& preset : kPresets) {
    names.emplace_back(preset.name);
    list += (list.empty() ? "" : ", ") + names.back();
    if (preset.name != choice.name) continue;
    const bool needs_argument = preset.kind != ArgumentKind::None;
    if (needs_argument && choice.argument.empty())
      return tl::unexpected("the preset " + names.back() + " needs a " +
                            std::string(preset.argument));
    if (!needs_argument && !choice.argument.empty())
      return tl::unexpected("the preset " + names.back() + " takes no argument");
    return &preset;
  }
  const std::string name(choice.name.substr(0, 64));
  return tl::unexpected("no such preset: '" + name + "'" + did_you_mean(name, names) +
                        "; the presets: " + list);
}

void replace(std::string& text, std::string_view placeholder, std::string_view value) {
  const std::size_t at = text.find(placeholder);
  if (at != std::string::npos) text.replace(at, placeholder.size(), value);
}

// The argument as JSON.
tl::expected<std::string, std::string> value_text(const Preset& preset, std::string_view argument) {
  std::string value;
  if (preset.kind == ArgumentKind::Text) {
    if (!is_valid_utf8(argument)) return tl::unexpected(std::string("the argument is not UTF-8"));
    append_json_string(value, argument);
  } else if (preset.kind == ArgumentKind::Probability) {
    double chance = -1;
    const char* const end = argument.data() + argument.size();
    const auto read = std::from_chars(argument.data(), end, chance);
    if (read.ec != std::errc{} || read.ptr != end || !(chance >= 0 && chance <= 1))
      return tl::unexpected("the preset " + std::string(preset.name) +
                            " needs a number from 0 to 1");
    std::array<char, 64> digits{};
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), chance);
    value.assign(digits.data(), written.ptr);
  }
  return value;
}

// Passes the preset's list of rules to `use`, which returns a tl::expected.
template <class Use>
auto read_rules_of(const PresetChoice& choice, Timestamp now, const Use& use)
    -> decltype(use(JsonNode())) {
  const auto preset = preset_of(choice);
  if (!preset) return tl::unexpected(preset.error());
  const auto value = value_text(**preset, choice.argument);
  if (!value) return tl::unexpected(value.error());
  std::string text((*preset)->rules);
  replace(text, "$MINUTE", "\"" + iso_extended(now.plus(kMinute)) + "\"");
  replace(text, "$ARGUMENT", *value);
  Arena arena;
  return use(*read_json(text, arena));
}

}  // namespace

std::span<const PresetVariable> preset_variables() { return kVariables; }

std::optional<PresetChoice> find_preset(std::string_view text) {
  constexpr std::string_view kWord = "preset ";
  if (!text.starts_with(kWord)) return std::nullopt;
  const std::string_view rest = text.substr(kWord.size());
  const std::size_t blank = rest.find(' ');
  if (blank == std::string_view::npos) return PresetChoice{rest, {}};
  return PresetChoice{rest.substr(0, blank), rest.substr(blank + 1)};
}

tl::expected<std::vector<FaultRule>, std::string> read_preset(
    const PresetChoice& choice, Timestamp now, std::span<const Operation> operations) {
  return read_rules_of(choice, now,
                       [&](const JsonNode& rules) { return read_rules(rules, operations); });
}

ReadRule read_preset_alone(const PresetChoice& choice) {
  return read_rules_of(choice, Timestamp{}, [](const JsonNode& rules) {
    return read_effect_alone(*rules.elements().front().find("effect"));
  });
}

}  // namespace stator::faults
