// Presets: rules for common troubles under one name. docs/faults.md lists them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "engine/operations/operation.h"
#include "engine/seams/clock.h"
#include "server/faults/fault_rule.h"
#include "server/faults/rule_reader.h"

namespace stator::faults {

// "hot-table orders": a name, and what the preset is for.
struct PresetChoice {
  std::string_view name;
  std::string_view argument;  // empty: none
};

// A variable of LocalStack, and the preset that it is the argument of.
struct PresetVariable {
  const char* variable;
  std::string_view preset;
};
std::span<const PresetVariable> preset_variables();

// Reads "preset hot-table orders", the form of --faults and of the header. Empty: it is no preset.
std::optional<PresetChoice> find_preset(std::string_view text);

// The preset's rules. Windows of time begin at `now`, by the engine's clock. Errors are one line;
// that of an unknown name lists the presets.
tl::expected<std::vector<FaultRule>, std::string> read_preset(
    const PresetChoice& choice, Timestamp now, std::span<const Operation> operations);

// The effect of the preset's first rule, for one request alone, as read_effect_alone().
ReadRule read_preset_alone(const PresetChoice& choice);

}  // namespace stator::faults
