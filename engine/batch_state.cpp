#include "engine/batch_state.h"

namespace stator {
namespace {

using storage::Database;

constexpr std::string_view kNextSpaceKey = "next_space";

// Numbers are never used again, so that data of a deleted table can be swept at leisure.
Result<storage::SpaceId> take_space(storage::WriteTransaction& transaction) {
  STATOR_TRY(const auto stored, transaction.find(Database::Meta, kNextSpaceKey));
  const std::int64_t next = stored ? decode_u64(*stored) : 1;
  STATOR_CHECK(transaction.put(Database::Meta, kNextSpaceKey, encode_u64(next + 1)));
  return storage::SpaceId{static_cast<std::uint32_t>(next)};
}

Result<void> number_spaces(Table& table, storage::WriteTransaction& transaction) {
  STATOR_TRY(table.space, take_space(transaction));
  for (LocalIndex& index : table.local_indexes) {
    STATOR_TRY(index.space, take_space(transaction));
  }
  for (GlobalIndex& index : table.global_indexes) {
    STATOR_TRY(index.space, take_space(transaction));
  }
  return {};
}

}  // namespace

std::vector<storage::SpaceId> spaces_of(const Table& table) {
  std::vector<storage::SpaceId> spaces{table.space};
  for (const LocalIndex& index : table.local_indexes) spaces.push_back(index.space);
  for (const GlobalIndex& index : table.global_indexes) spaces.push_back(index.space);
  return spaces;
}

Result<void> BatchState::apply(Mutation& mutation, storage::WriteTransaction& transaction) {
  for (const auto& change : mutation.records()) {
    if (change.erase) {
      STATOR_CHECK(storage::erase_record(transaction, change.key).map([](bool) {}));
    } else {
      STATOR_CHECK(storage::put_record(transaction, change.key, change.record));
    }
  }
  for (const auto& change : mutation.stats()) {
    SpaceStats& stats = stats_[static_cast<std::uint32_t>(change.space)];
    stats.item_count += change.difference.item_count;
    stats.size_bytes += change.difference.size_bytes;
  }
  for (const auto& change : mutation.collections()) {
    const std::string key = collection_key(change.space, change.partition);
    STATOR_TRY(const auto stored, transaction.find(Database::Collections, key));
    const std::int64_t size_bytes = (stored ? decode_u64(*stored) : 0) + change.size_bytes;
    if (size_bytes == 0) {
      STATOR_CHECK(transaction.erase(Database::Collections, key).map([](bool) {}));
    } else {
      STATOR_CHECK(transaction.put(Database::Collections, key, encode_u64(size_bytes)));
    }
  }
  for (const Table& table : mutation.erased_tables())
    STATOR_CHECK(apply_erased_table(table, transaction));
  for (Table& table : mutation.tables()) STATOR_CHECK(apply_table(std::move(table), transaction));
  return {};
}

Result<void> BatchState::apply_table(Table table, storage::WriteTransaction& transaction) {
  if (table.space == storage::SpaceId{}) {
    // A table of that name may be gone for users and still be recorded.
    const auto& names = working_->tables(table.scope);
    if (const auto gone = names.find(table.name); gone != names.end()) {
      const Catalog::TablePtr old = gone->second;
      STATOR_CHECK(apply_erased_table(*old, transaction));
    }
    STATOR_CHECK(number_spaces(table, transaction));
  }
  STATOR_CHECK(transaction.put(Database::Tables, stats_key(table.space), encode_table(table)));
  working_ = working_->with(std::make_shared<const Table>(std::move(table)));
  return {};
}

Result<void> BatchState::apply_erased_table(const Table& table,
                                            storage::WriteTransaction& transaction) {
  STATOR_CHECK(transaction.erase(Database::Tables, stats_key(table.space)).map([](bool) {}));
  for (const storage::SpaceId space : spaces_of(table)) {
    STATOR_CHECK(transaction.put(Database::Purges, stats_key(space), {}));
    STATOR_CHECK(transaction.erase(Database::Stats, stats_key(space)).map([](bool) {}));
    stats_.erase(static_cast<std::uint32_t>(space));
  }
  working_ = working_->without(table);
  return {};
}

Result<void> BatchState::before_commit(storage::WriteTransaction& transaction) {
  for (const auto& [space, difference] : stats_) {
    const std::string key = stats_key(storage::SpaceId{space});
    STATOR_TRY(const auto stored, transaction.find(Database::Stats, key));
    const std::int64_t items = stored ? decode_u64(stored->substr(0, 8)) : 0;
    const std::int64_t bytes = stored ? decode_u64(stored->substr(8, 8)) : 0;
    STATOR_CHECK(transaction.put(
        Database::Stats, key,
        encode_u64_pair(items + difference.item_count, bytes + difference.size_bytes)));
  }
  return {};
}

bool BatchState::end(bool committed) {
  stats_.clear();
  const bool changed = committed && working_ != published_;
  if (committed) {
    published_ = working_;
  } else {
    working_ = published_;
  }
  return changed;
}

}  // namespace stator
