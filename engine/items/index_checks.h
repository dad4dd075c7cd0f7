// Checks of what is written against every index of a table.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "engine/schema/table.h"
#include "protocol/result.h"

namespace stator {

// Calls `check` for each index; what it answers is a Result<void>. Of several errors the service
// tells that of the first index by name, of whatever kind. One that is being built is left out: it
// leaves out what does not fit.
template <class Check>
Result<void> check_each_index(const Table& table, const Check& check) {
  std::optional<Error> first;
  std::string_view first_name;
  const auto check_one = [&](const auto& index) {
    if (first && first_name < index.name) return;
    Result<void> checked = check(index);
    if (checked) return;
    first.emplace(std::move(checked).error());
    first_name = index.name;
  };
  for (const LocalIndex& index : table.local_indexes) check_one(index);
  for (const GlobalIndex& index : table.global_indexes) {
    if (index.is_active()) check_one(index);
  }
  if (first) return std::move(*first);
  return {};
}

}  // namespace stator
