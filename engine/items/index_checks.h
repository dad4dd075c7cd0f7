// Checks written data against every index of a table.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "engine/schema/table.h"
#include "protocol/errors/result.h"
#include "protocol/service/common_errors.h"

namespace stator {

inline bool is_being_built(const GlobalIndex& index) {
  return index.build && !index.deleting_until;
}
inline bool is_being_built(const LocalIndex& /*index*/) { return false; }

// The error for a value that does not fit the keys of an index being built.
inline Error violates_backfilling_index() {
  return invalid_parameter("Schema violation against backfilling index");
}

// Calls `check`, which returns a Result<void>, for each index. Of several errors the service
// reports that of the first index by name. Any error of an index being built has the same text
// (conformance/observed/tables.md 3.1).
template <class Check>
Result<void> check_each_index(const Table& table, const Check& check) {
  std::optional<Error> first;
  std::string_view first_name;
  const auto check_one = [&](const auto& index) {
    if (first && first_name < index.name) return;
    Result<void> checked = check(index);
    if (checked) return;
    first.emplace(is_being_built(index) ? violates_backfilling_index()
                                        : std::move(checked).error());
    first_name = index.name;
  };
  for (const LocalIndex& index : table.local_indexes) check_one(index);
  for (const GlobalIndex& index : table.global_indexes) {
    if (index.is_active() || is_being_built(index)) check_one(index);
  }
  if (first) return std::move(*first);
  return {};
}

}  // namespace stator
