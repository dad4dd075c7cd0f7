// Reads the effect of a rule.
#pragma once

#include "protocol/json/json_tree.h"
#include "server/faults/fault_rule.h"

namespace stator::faults {

// Throws WrongRule (member_reader.h).
FaultEffect read_effect(const JsonNode& json);

}  // namespace stator::faults
