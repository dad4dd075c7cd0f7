// Reads rules from JSON. What a rule must not say, and what this version has not built, is an
// error: no member is ignored.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "engine/operations/operation.h"
#include "protocol/json/json_tree.h"
#include "server/faults/fault_rule.h"

namespace stator::faults {

// Errors are one line.
using ReadRule = tl::expected<FaultRule, std::string>;

// Reads a rule. `operations` are those that requests can name.
ReadRule read_rule(const JsonNode& json, std::span<const Operation> operations);

// Reads {"rules": […]}, a list of rules, or one rule. The error names the rule.
tl::expected<std::vector<FaultRule>, std::string> read_rules(const JsonNode& json,
                                                             std::span<const Operation> operations);

// Reads an effect for one request alone. The rule is named "header".
ReadRule read_effect_alone(const JsonNode& json);

}  // namespace stator::faults
