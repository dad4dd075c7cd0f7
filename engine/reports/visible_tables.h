// The tables that statistics cover: those that requests can see.
#pragma once

#include <utility>

#include "engine/catalog/catalog.h"
#include "engine/reports/figures.h"
#include "engine/state/snapshot.h"
#include "protocol/errors/result.h"

namespace stator {

// Calls `visit` with each table that is not Gone, and its label. Stops at the first failure.
template <class Visit>
Result<void> for_each_visible_table(const Snapshot& snapshot, Isolation isolation,
                                    const Visit& visit) {
  Result<void> result;
  snapshot.catalog().for_each([&](const Table& table) {
    if (!result || table.status(snapshot.now()) == TableStatus::Gone) return;
    auto label = label_of(table.scope, table.region, table.name, isolation);
    if (label) result = visit(table, *std::move(label));
  });
  return result;
}

}  // namespace stator
