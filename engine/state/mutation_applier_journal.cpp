// The journals of tables: their entries, their numbers and their consumers.
#include <string>
#include <utility>
#include <vector>

#include "engine/state/history.h"
#include "engine/state/mutation_applier.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/stores/counters.h"
#include "engine/storage/stores/journal.h"

namespace stator {

// Encodes all entries before it writes any: the old records are views into pages.
Result<void> MutationApplier::append_to_journals(const Mutation& mutation, Timestamp now,
                                                 storage::WriteTransaction& transaction) {
  std::vector<std::pair<storage::SpaceId, std::string>> entries;
  for (const auto& change : mutation.items()) {
    if (!working_consumers_->has_any(change.key.space)) continue;
    // A write that changes nothing is not a change for consumers.
    if (change.before && change.after && storage::is_same_item(*change.before, *change.after))
      continue;
    std::string& bytes = entries.emplace_back(change.key.space, std::string()).second;
    storage::encode_journal_entry({{now, mutation.origin()},
                                   change.key.partition,
                                   change.key.sort,
                                   change.before,
                                   change.after},
                                  bytes);
  }
  for (const auto& [table, bytes] : entries) {
    STATOR_TRY(const std::uint64_t number, take_change_number(transaction));
    STATOR_CHECK(storage::append_to_journal(transaction, table, number, bytes));
    ended_.journaled.try_emplace(table, now);
    if (const Table* follows = working_->find(table)) {
      count_history(*follows, {1, stored_entry_bytes(bytes.size())});
      ended_.has_kinesis_work = ended_.has_kinesis_work || !follows->kinesis.empty();
    }
  }
  return {};
}

Result<std::uint64_t> MutationApplier::next_change(const storage::Transaction& transaction) {
  if (!next_change_number_) {
    STATOR_TRY(next_change_number_,
               storage::next_number(transaction, storage::MetaKey::NextChange));
  }
  return *next_change_number_;
}

Result<std::uint64_t> MutationApplier::take_change_number(const storage::Transaction& transaction) {
  STATOR_TRY(const std::uint64_t number, next_change(transaction));
  next_change_number_ = number + 1;
  return number;
}

Result<void> MutationApplier::add_consumer(storage::SpaceId table, std::string_view name,
                                           storage::WriteTransaction& transaction) {
  STATOR_TRY(const std::uint64_t end, next_change(transaction));
  return add_consumer(table, name, end, transaction);
}

Result<void> MutationApplier::add_consumer(storage::SpaceId table, std::string_view name,
                                           std::uint64_t position,
                                           storage::WriteTransaction& transaction) {
  working_consumers_ = working_consumers_->with(table, name);
  if (kept_period_of(name)) ended_.kept_journals.push_back(table);
  return storage::put_consumer(transaction, {table, std::string(name), position});
}

Result<void> MutationApplier::remove_consumer(storage::SpaceId table, std::string_view name,
                                              storage::WriteTransaction& transaction) {
  working_consumers_ = working_consumers_->without(table, name);
  ended_.left_journals.push_back(table);
  return storage::erase_consumer(transaction, table, name);
}

Result<void> MutationApplier::end_following(storage::SpaceId table, const std::string& name,
                                            const std::string& kept_as,
                                            storage::WriteTransaction& transaction) {
  STATOR_TRY(const auto position, storage::consumer_position(transaction, table, name));
  if (!position) return {};
  working_consumers_ = working_consumers_->without(table, name);
  STATOR_CHECK(storage::erase_consumer(transaction, table, name));
  ended_.has_closed_stream = true;
  return storage::put_consumer(transaction, {table, kept_as, *position});
}

}  // namespace stator
