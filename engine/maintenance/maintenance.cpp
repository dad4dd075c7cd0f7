#include "engine/maintenance/maintenance.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "engine/state/held_changes.h"

namespace stator {
namespace {

using storage::Database;

storage::SpaceId space_of_purge(std::string_view key) {
  std::uint32_t number = 0;
  for (const char byte : key) number = (number << 8) | static_cast<unsigned char>(byte);
  return storage::SpaceId{number};
}

template <class Visit>
void for_each_table(const Catalog& catalog, Visit visit) {
  catalog.for_each(visit);
}

// Item collections are keyed by space first. Returns whether all are gone.
Result<bool> sweep_collections(storage::WriteTransaction& transaction, const std::string& space_key,
                               std::size_t records_max) {
  for (std::size_t i = 0; i < records_max; ++i) {
    STATOR_TRY(const auto record, transaction.seek(Database::Collections, space_key));
    if (!record || !record->key.starts_with(space_key)) return true;
    const std::string key(record->key);
    STATOR_CHECK(transaction.erase(Database::Collections, key).map([](bool) {}));
  }
  return false;
}

}  // namespace

Result<MaintenanceState> look_for_maintenance(const storage::Transaction& transaction,
                                              const Catalog& catalog, Timestamp now) {
  STATOR_TRY(std::optional<Timestamp> first, first_change_due(transaction));
  for_each_table(catalog, [&](const Table& table) {
    const auto due = table.maintenance_due();
    if (due && (!first || *due < *first)) first = due;
  });
  STATOR_TRY(const auto purge, transaction.seek(Database::Purges, {}));
  MaintenanceState state;
  state.is_due = purge || (first && *first <= now);
  if (!state.is_due) state.next_due = first;
  return state;
}

Result<void> Maintenance::run_piece(storage::WriteTransaction& transaction, Timestamp now,
                                    const PieceLimits& limits) {
  STATOR_CHECK(remove_gone(transaction, now));
  constexpr unsigned kKinds = 3;
  for (unsigned i = 0; i < kKinds; ++i) {
    bool found = false;
    const unsigned kind = turn_++ % kKinds;
    if (kind == 0) {
      STATOR_TRY(found, sweep(transaction, limits));
    } else if (kind == 1) {
      STATOR_TRY(found, apply_held_changes(transaction, now, limits));
    } else {
      STATOR_TRY(found, backfill(transaction, now, limits));
    }
    if (found) break;
  }
  return {};
}

Result<void> Maintenance::remove_gone(storage::WriteTransaction& transaction, Timestamp now) {
  mutation_.clear();
  for_each_table(*batch_.catalog(), [&](const Table& table) {
    if (table.status(now) == TableStatus::Gone) {
      mutation_.erase_table(table);
    } else if (table.has_gone_indexes(now)) {
      Table next = table;
      next.remove_gone_indexes(now);
      mutation_.put_table(std::move(next));
    }
  });
  return batch_.apply(mutation_, now, transaction);
}

Result<bool> Maintenance::sweep(storage::WriteTransaction& transaction, const PieceLimits& limits) {
  STATOR_TRY(const auto purge, transaction.seek(Database::Purges, {}));
  if (!purge) return false;
  const std::string key(purge->key);
  STATOR_TRY(const bool is_empty,
             storage::erase_some(transaction, space_of_purge(key), limits.records_max));
  if (!is_empty) return true;
  STATOR_TRY(const bool no_collections, sweep_collections(transaction, key, limits.records_max));
  if (no_collections) STATOR_CHECK(transaction.erase(Database::Purges, key).map([](bool) {}));
  return true;
}

Result<bool> Maintenance::apply_held_changes(storage::WriteTransaction& transaction, Timestamp now,
                                             const PieceLimits& limits) {
  STATOR_TRY(const auto due, first_change_due(transaction));
  if (!due || *due > now) return false;
  // Changes of indexes that are no more are dropped.
  std::unordered_set<std::uint32_t> spaces;
  for_each_table(*batch_.catalog(), [&](const Table& table) {
    for (const GlobalIndex& index : table.global_indexes)
      spaces.insert(static_cast<std::uint32_t>(index.space));
  });
  const auto is_wanted = [&](storage::SpaceId space) {
    return spaces.contains(static_cast<std::uint32_t>(space));
  };
  mutation_.clear();
  arena_.reset();
  STATOR_TRY(const TakenChanges taken,
             take_due_changes(transaction, now, limits.records_max, limits.bytes_max, is_wanted,
                              mutation_, arena_));
  STATOR_CHECK(erase_changes(transaction, taken));
  STATOR_CHECK(batch_.apply(mutation_, now, transaction));
  return true;
}

Result<bool> Maintenance::backfill(storage::WriteTransaction& transaction, Timestamp now,
                                   const PieceLimits& limits,
                                   std::optional<storage::SpaceId> only_table) {
  // The next table behind the last one, or else the first one of all.
  const Table* behind = nullptr;
  const Table* first = nullptr;
  for_each_table(*batch_.catalog(), [&](const Table& table) {
    const auto is_backfilling = [&](const GlobalIndex& index) { return index.is_backfilling(now); };
    if (only_table && *only_table != table.space) return;
    if (std::none_of(table.global_indexes.begin(), table.global_indexes.end(), is_backfilling))
      return;
    if (first == nullptr || table.space < first->space) first = &table;
    if (table.space > last_backfilled_table_ &&
        (behind == nullptr || table.space < behind->space)) {
      behind = &table;
    }
  });
  const Table* table = behind != nullptr ? behind : first;
  if (table == nullptr) return false;
  last_backfilled_table_ = table->space;
  const auto index =
      std::find_if(table->global_indexes.begin(), table->global_indexes.end(),
                   [&](const GlobalIndex& candidate) { return candidate.is_backfilling(now); });
  mutation_.clear();
  arena_.reset();
  STATOR_CHECK(backfill_piece(transaction, *table, *index, limits, mutation_, arena_));
  STATOR_CHECK(batch_.apply(mutation_, now, transaction));
  return true;
}

}  // namespace stator
