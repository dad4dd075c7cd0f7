// Test help: rules from text.
#pragma once

#include <string>
#include <utility>

#include "engine/api/operation_table.h"
#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "server/faults/rule_reader.h"
#include "streams/operations.h"

namespace stator::test {

inline const OperationTable& rule_operations() {
  static const OperationTable operations(all_families());
  return operations;
}

// Single quotes stand for double ones.
inline faults::ReadRule read_rule_from(std::string text) {
  for (char& c : text)
    if (c == '\'') c = '"';
  Arena arena;
  const auto json = read_json(text, arena);
  if (!json) return tl::unexpected(std::string("no JSON"));
  return faults::read_rule(*json, rule_operations().rows());
}

inline faults::FaultRule rule_from(std::string text) {
  auto rule = read_rule_from(std::move(text));
  return rule ? std::move(*rule) : faults::FaultRule{};
}

}  // namespace stator::test
