#include "engine/state/mutation_applier.h"

#include <algorithm>
#include <utility>

#include "engine/schema/expiry.h"
#include "engine/state/client_secret.h"
#include "engine/state/stream_life.h"
#include "engine/state/throughput.h"
#include "engine/storage/expiries.h"
#include "engine/storage/item_codec.h"
#include "engine/storage/journal.h"
#include "engine/storage/keys.h"
#include "engine/storage/table_codec.h"
#include "engine/storage/throughput_store.h"

namespace stator {
namespace {

using storage::Database;

// Numbers are never used again, so that data of a deleted table can be swept at leisure.
Result<storage::SpaceId> take_space(storage::WriteTransaction& transaction) {
  STATOR_TRY(const auto number, take_number(transaction, storage::MetaKey::NextSpace));
  return storage::SpaceId{static_cast<std::uint32_t>(number)};
}

storage::KeyBuffer key_of(storage::SpaceId space) { return storage::SpaceKey{space}.encode(); }

// Numbers what has no number yet: a new table with its indexes, a table's new index, or time to
// live that was enabled.
Result<void> number_spaces(Table& table, storage::WriteTransaction& transaction) {
  const auto number = [&](storage::SpaceId& space) -> Result<void> {
    if (space != storage::SpaceId{}) return {};
    STATOR_TRY(space, take_space(transaction));
    return {};
  };
  STATOR_CHECK(number(table.space));
  for (LocalIndex& index : table.local_indexes) STATOR_CHECK(number(index.space));
  for (GlobalIndex& index : table.global_indexes) STATOR_CHECK(number(index.space));
  if (table.expiry() != nullptr) STATOR_CHECK(number(table.time_to_live->space));
  return {};
}

bool has_active_index(const Table& table, storage::SpaceId space) {
  const GlobalIndex* index = table.find_global_index(space);
  return index != nullptr && index->is_active();
}

bool has_unopened_stream(const Table& table) {
  return table.has_enabled_stream() && table.stream->number == 0 && !table.deleting_until;
}

Result<void> apply_collection(const Mutation::CollectionChange& change,
                              storage::WriteTransaction& transaction) {
  const storage::KeyBuffer key = storage::CollectionKey{change.space, change.partition}.encode();
  STATOR_TRY(const auto stored, transaction.find(Database::Collections, key.view()));
  std::int64_t size_bytes = 0;
  if (stored) {
    STATOR_TRY(size_bytes, storage::decode_collection_size(*stored));
  }
  size_bytes += change.size_bytes;
  if (size_bytes == 0) {
    STATOR_CHECK(transaction.erase(Database::Collections, key.view()).map([](bool) {}));
    return {};
  }
  return transaction.put(Database::Collections, key.view(),
                         storage::encode_collection_size(size_bytes));
}

}  // namespace

// Entries are encoded before anything is written: records of before are views into pages.
Result<void> MutationApplier::append_to_journals(const Mutation& mutation, Timestamp now,
                                                 storage::WriteTransaction& transaction) {
  std::vector<std::pair<storage::SpaceId, std::string>> entries;
  for (const auto& change : mutation.items()) {
    if (!working_consumers_->has_any(change.key.space)) continue;
    // What changes nothing is of no interest to anybody.
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
  working_consumers_ = working_consumers_->with(table, name);
  return storage::put_consumer(transaction, {table, std::string(name), end});
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
  return storage::put_consumer(transaction, {table, kept_as, *position});
}

void MutationApplier::enter_stream(storage::SpaceId table, Timestamp due) {
  const auto [entered, is_new] = ended_.streams.try_emplace(table, due);
  if (!is_new) entered->second = std::min(entered->second, due);
}

bool MutationApplier::has_unopened_streams() const {
  bool has_any = false;
  working_->for_each([&](const Table& table) { has_any = has_any || has_unopened_stream(table); });
  return has_any;
}

Result<void> MutationApplier::begin_streams(Timestamp now, Random& random,
                                            storage::WriteTransaction& transaction) {
  std::vector<Table> tables;
  working_->for_each([&](const Table& table) {
    if (has_unopened_stream(table)) tables.push_back(table);
  });
  for (Table& table : tables)
    STATOR_CHECK(apply_table(std::move(table), {now, random, transaction}));
  return {};
}

Result<void> MutationApplier::begin_following(Timestamp now, Random& random,
                                              storage::WriteTransaction& transaction) {
  STATOR_CHECK(begin_streams(now, random, transaction));
  STATOR_CHECK(keep_client_secret(transaction, random));
  return settings_.gsi_delay.count() > 0 ? begin_delays(transaction) : Result<void>();
}

// A table that is being deleted records nothing any more.
Result<void> MutationApplier::follow_stream(const Table* old, Table& table, const Moment& moment) {
  const auto open_in = [](const Table& of) {
    return of.has_enabled_stream() && !of.deleting_until ? of.stream->number : 0;
  };
  const StreamMoment now{*this, moment.transaction, moment.now};
  const std::uint64_t before = old == nullptr ? 0 : open_in(*old);
  if (before != 0 && open_in(table) != before) {
    const Timestamp until = table.deleting_until ? *table.deleting_until
                            : table.stream       ? table.stream->changing_until
                                                 : Timestamp{};
    STATOR_CHECK(close_stream(before, until, now));
  }
  return has_unopened_stream(table) ? open_stream(table, now, moment.random) : Result<void>();
}

Result<void> MutationApplier::begin_delays(storage::WriteTransaction& transaction) {
  std::vector<std::pair<storage::SpaceId, storage::SpaceId>> indexes;
  working_->for_each([&](const Table& table) {
    for (const GlobalIndex& index : table.global_indexes) {
      if (index.is_active() && !working_consumers_->is_late(index.space))
        indexes.emplace_back(table.space, index.space);
    }
  });
  for (const auto& [table, index] : indexes)
    STATOR_CHECK(add_consumer(table, late_index_consumer(index), transaction));
  return {};
}

// With a delay, an index follows its table late while it is active. Before, its entries are written
// at once: nobody can query it yet. Afterwards what it had coming is of no use.
Result<void> MutationApplier::follow_late(const Table* old, const Table& table,
                                          storage::WriteTransaction& transaction) {
  for (const GlobalIndex& index : table.global_indexes) {
    const bool was_active = old != nullptr && has_active_index(*old, index.space);
    if (settings_.gsi_delay.count() > 0 && index.is_active() && !was_active)
      STATOR_CHECK(add_consumer(table.space, late_index_consumer(index.space), transaction));
  }
  if (old == nullptr) return {};
  for (const GlobalIndex& index : old->global_indexes) {
    if (working_consumers_->is_late(index.space) && !has_active_index(table, index.space))
      STATOR_CHECK(remove_consumer(table.space, late_index_consumer(index.space), transaction));
  }
  return {};
}

Result<void> MutationApplier::apply(Mutation& mutation, Timestamp now,
                                    storage::WriteTransaction& transaction) {
  if (!working_consumers_->empty()) STATOR_CHECK(append_to_journals(mutation, now, transaction));
  for (const auto& change : mutation.entries()) {
    // What is late is derived from the journal when it is due.
    if (!working_consumers_->is_late(change.space)) mutation.apply_entry(change);
  }
  if (settings_.throttling != Throttling::Off) sizes_.note(mutation, *working_);
  for (const auto& change : mutation.items()) {
    if (change.after) {
      STATOR_CHECK(storage::put_record(transaction, change.key, *change.after));
    } else {
      STATOR_CHECK(storage::erase_record(transaction, change.key).map([](bool) {}));
      if (mutation.origin() == storage::Origin::TimeToLive) ++ended_.expired[change.key.space];
    }
  }
  for (const auto& change : mutation.records()) {
    if (change.erase) {
      STATOR_CHECK(storage::erase_record(transaction, change.key).map([](bool) {}));
    } else {
      STATOR_CHECK(storage::put_record(transaction, change.key, change.record));
    }
  }
  for (const auto& change : mutation.expiries())
    STATOR_CHECK(apply_expiry(change, now, transaction));
  if (mutation.token()) STATOR_CHECK(keep_token(*mutation.token(), now, transaction));
  for (const auto& change : mutation.stats()) {
    SpaceStats& stats = stats_[static_cast<std::uint32_t>(change.space)];
    stats.item_count += change.difference.item_count;
    stats.size_bytes += change.difference.size_bytes;
  }
  for (const auto& change : mutation.collections()) {
    STATOR_CHECK(apply_collection(change, transaction));
  }
  for (const Table& table : mutation.erased_tables())
    STATOR_CHECK(apply_erased_table(table, {now, mutation.random(), transaction}));
  for (Table& table : mutation.tables())
    STATOR_CHECK(apply_table(std::move(table), {now, mutation.random(), transaction}));
  return {};
}

Result<void> MutationApplier::apply_expiry(const Mutation::ExpiryChange& change, Timestamp now,
                                           storage::WriteTransaction& transaction) {
  storage::Expiry expiry{change.space, 0, change.partition, change.sort};
  if (change.due_before_s) {
    expiry.due_s = *change.due_before_s;
    STATOR_CHECK(storage::erase_expiry(transaction, expiry));
  }
  if (!change.due_after_s) return {};
  expiry.due_s = *change.due_after_s;
  if (expiry.due_s >= ExpiryWindow::at(now, {}).first_s) {
    std::uint64_t& first = ended_.expiring.try_emplace(change.space, expiry.due_s).first->second;
    first = std::min(first, expiry.due_s);
  }
  return storage::put_expiry(transaction, expiry);
}

// Beyond the bound the oldest goes with each that comes.
Result<void> MutationApplier::keep_token(storage::KeptToken token, Timestamp now,
                                         storage::WriteTransaction& transaction) {
  token.finished = now;
  STATOR_CHECK(storage::put_token(transaction, token));
  if (!ended_.kept_token) ended_.kept_token = now;
  if (storage::count_tokens(transaction) <= settings_.tokens_kept_max) return {};
  STATOR_TRY(const auto oldest, storage::first_token_finished(transaction));
  if (oldest && now < oldest->plus(storage::kTokenLife)) ended_.gave_up_tokens = true;
  STATOR_CHECK(storage::erase_oldest_tokens(transaction, Timestamp::max(), /*count_max=*/1)
                   .map([](const auto& /*left*/) {}));
  return {};
}

Result<void> MutationApplier::apply_table(Table table, const Moment& moment) {
  storage::WriteTransaction& transaction = moment.transaction;
  // The table as it was, or another one of that name, gone for users and still recorded.
  const Catalog::TablePtr old = working_->find_recorded(table.scope, table.name);
  if (old != nullptr && table.space == storage::SpaceId{})
    STATOR_CHECK(apply_erased_table(*old, moment));
  if (old != nullptr && table.space == old->space) {
    for (const GlobalIndex& index : old->global_indexes) {
      if (table.find_global_index(index.space) == nullptr)
        STATOR_CHECK(drop_space(index.space, transaction));
    }
    const TimeToLive* expiry = old->expiry();
    if (expiry != nullptr && (table.expiry() == nullptr || table.expiry()->space != expiry->space))
      STATOR_CHECK(drop_space(expiry->space, transaction));
    for (const GlobalIndex& index : table.global_indexes) {
      if (index.is_active() && !has_active_index(*old, index.space))
        ended_.index_became_active = true;
    }
  }
  STATOR_CHECK(number_spaces(table, transaction));
  table.begin_runtimes();
  begin_throughput(table, settings_, moment.now, throughput_watcher_);
  const bool is_same = old != nullptr && table.space == old->space;
  STATOR_CHECK(follow_late(is_same ? old.get() : nullptr, table, transaction));
  STATOR_CHECK(follow_stream(is_same ? old.get() : nullptr, table, moment));
  if (!is_same) STATOR_CHECK(keep_client_secret(transaction, moment.random));
  STATOR_CHECK(transaction.put(Database::Tables, key_of(table.space).view(), encode_table(table)));
  ended_.changed_tables.push_back(table.space);
  working_ = working_->with(std::make_shared<const Table>(std::move(table)));
  return {};
}

// Its stream stays, closed.
Result<void> MutationApplier::apply_erased_table(const Table& table, const Moment& moment) {
  storage::WriteTransaction& transaction = moment.transaction;
  if (table.has_enabled_stream() && !table.deleting_until) {
    STATOR_CHECK(close_stream(table.stream->number, Timestamp{}, {*this, transaction, moment.now}));
  }
  STATOR_CHECK(transaction.erase(Database::Tables, key_of(table.space).view()).map([](bool) {}));
  for (const storage::SpaceId space : spaces_of(table))
    STATOR_CHECK(drop_space(space, transaction));
  for (const std::string& consumer : working_consumers_->of(table.space))
    STATOR_CHECK(remove_consumer(table.space, consumer, transaction));
  working_ = working_->without(table);
  return {};
}

// Its records are swept later.
Result<void> MutationApplier::drop_space(storage::SpaceId space,
                                         storage::WriteTransaction& transaction) {
  STATOR_CHECK(transaction.put(Database::Purges, key_of(space).view(), {}));
  STATOR_CHECK(transaction.erase(Database::Stats, key_of(space).view()).map([](bool) {}));
  STATOR_CHECK(storage::erase_throughput(transaction, space));
  stats_.erase(static_cast<std::uint32_t>(space));
  ended_.dropped_spaces.push_back(space);
  return {};
}

Result<void> MutationApplier::write_gathered(storage::WriteTransaction& transaction) {
  for (const auto& [space, difference] : stats_) {
    const storage::KeyBuffer key = key_of(storage::SpaceId{space});
    STATOR_TRY(const auto stored, transaction.find(Database::Stats, key.view()));
    SpaceStats stats;
    if (stored) {
      STATOR_TRY(stats, storage::decode_stats(*stored));
    }
    stats.item_count += difference.item_count;
    stats.size_bytes += difference.size_bytes;
    STATOR_CHECK(transaction.put(Database::Stats, key.view(), storage::encode_stats(stats)));
  }
  stats_.clear();
  if (!next_change_number_) return {};
  return storage::put_next_number(transaction, storage::MetaKey::NextChange, *next_change_number_);
}

void MutationApplier::go_back(std::shared_ptr<const Catalog> catalog,
                              std::shared_ptr<const Consumers> consumers) {
  ended_ = {};
  sizes_.end(/*committed=*/false);
  working_ = std::move(catalog);
  working_consumers_ = std::move(consumers);
  gone_back_ = working_;
}

Result<void> MutationApplier::enter_purges(const storage::Transaction& transaction) {
  std::string last;
  for (;;) {
    STATOR_TRY(const auto purge, transaction.seek(Database::Purges, last, !last.empty()));
    if (!purge) return {};
    last = purge->key;
    STATOR_TRY(const auto dropped, storage::SpaceKey::decode(last));
    ended_.dropped_spaces.push_back(dropped.space);
  }
}

Result<void> MutationApplier::before_commit(storage::WriteTransaction& transaction) {
  if (!ended_.journaled.empty()) {
    ended_.has_too_large_streams =
        transaction.occupied_bytes(Database::Journal) > settings_.streams.bytes_max;
  }
  return write_gathered(transaction);
}

MutationApplier::Ended MutationApplier::end(bool committed, Timestamp now) {
  stats_.clear();
  next_change_number_.reset();
  const auto gone_back = std::exchange(gone_back_, nullptr);
  const Catalog& before_all = gone_back != nullptr ? *gone_back : *published_;
  Ended ended = std::exchange(ended_, {});
  ended.oversized = sizes_.end(committed);
  if (!committed) {
    working_ = published_;
    working_consumers_ = published_consumers_;
    ended = {};
    return ended;  // on all ways this one, so that it is not moved
  }
  ended.catalog_changed = working_ != published_;
  for (const storage::SpaceId space : ended.changed_tables) {
    const Table* before = before_all.find(space);
    const Table* after = working_->find(space);
    if (before != nullptr && after != nullptr) follow_description(*before, *after, now);
  }
  for (const auto& [space, count] : ended.expired) {
    const Table* table = working_->find(space);
    if (table != nullptr) table->runtime->expired_items += count;
  }
  published_ = working_;
  published_consumers_ = working_consumers_;
  return ended;
}

}  // namespace stator
