#include "engine/state/mutation_applier.h"

#include <algorithm>
#include <utility>

#include "engine/schema/expiry.h"
#include "engine/state/client_secret.h"
#include "engine/state/history.h"
#include "engine/state/imports.h"
#include "engine/state/item_copies.h"
#include "engine/state/stream_life.h"
#include "engine/state/throughput.h"
#include "engine/storage/descriptions/descriptions.h"
#include "engine/storage/keys/keys.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/records/table_codec.h"
#include "engine/storage/stores/counters.h"
#include "engine/storage/stores/expiries.h"
#include "engine/storage/stores/journal.h"
#include "engine/storage/stores/throughput_store.h"

namespace stator {
namespace {

using storage::Database;

storage::KeyBuffer key_of(storage::SpaceId space) { return storage::SpaceKey{space}.encode(); }

// Assigns missing numbers: to a new table with its indexes, to a new index, or to enabled time to
// live.
Result<void> number_spaces(Table& table, storage::WriteTransaction& transaction) {
  const auto number = [&](storage::SpaceId& space) -> Result<void> {
    if (space != storage::SpaceId{}) return {};
    STATOR_TRY(space, storage::take_space(transaction));
    return {};
  };
  STATOR_CHECK(number(table.space));
  for (LocalIndex& index : table.local_indexes) STATOR_CHECK(number(index.space));
  for (GlobalIndex& index : table.global_indexes) STATOR_CHECK(number(index.space));
  if (table.expiry() != nullptr) STATOR_CHECK(number(table.time_to_live->space));
  if (table.recovery) STATOR_CHECK(number(table.recovery->space));
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

// A table that is being deleted records no more changes.
Result<void> MutationApplier::follow_stream(const Table* old, Table& table,
                                            const ApplyContext& moment) {
  const auto open_in = [](const Table& of) {
    return of.has_enabled_stream() && !of.deleting_until ? of.stream->number : 0;
  };
  const StreamContext now{*this, moment.transaction, moment.now};
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

// With a delay, an index follows its table late while it is active. Before that its entries are
// written at once, because it cannot be queried yet. Afterwards its pending changes are useless.
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
    // Late entries are derived from the journal when they are due.
    if (!working_consumers_->is_late(change.space)) mutation.apply_entry(change);
  }
  if (counts_throughput_) sizes_.note(mutation, *working_);
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
  if (mutation.token()) STATOR_CHECK(store_token(*mutation.token(), now, transaction));
  for (const auto& change : mutation.stats()) {
    SpaceStats& stats = stats_[static_cast<std::uint32_t>(change.space)];
    stats.item_count += change.difference.item_count;
    stats.size_bytes += change.difference.size_bytes;
  }
  for (const auto& change : mutation.collections()) {
    STATOR_CHECK(apply_collection(change, transaction));
  }
  return apply_changed_tables(mutation, {now, mutation.random(), transaction});
}

Result<void> MutationApplier::apply_changed_tables(Mutation& mutation, const ApplyContext& moment) {
  for (const Table& table : mutation.erased_tables())
    STATOR_CHECK(apply_erased_table(table, moment));
  for (Table& table : mutation.tables()) STATOR_CHECK(apply_table(std::move(table), moment));
  const CopyContext context{*this, moment.transaction, moment.now};
  for (const Backup& backup : mutation.erased_backups())
    STATOR_CHECK(apply_erased_backup(backup, context));
  for (Backup& backup : mutation.backups()) STATOR_CHECK(apply_backup(std::move(backup), context));
  for (const ExportJob& job : mutation.erased_exports())
    STATOR_CHECK(apply_erased_export(job, context));
  for (ExportJob& job : mutation.exports()) STATOR_CHECK(apply_export(std::move(job), context));
  for (const ImportJob& job : mutation.erased_imports())
    STATOR_CHECK(storage::Imports::erase(moment.transaction, job));
  for (ImportJob& job : mutation.imports())
    STATOR_CHECK(apply_import(std::move(job), *this, moment.transaction));
  for (const BulkJob& job : mutation.erased_bulk_jobs())
    STATOR_CHECK(apply_erased_bulk_job(job, context));
  for (BulkJob& job : mutation.bulk_jobs()) STATOR_CHECK(apply_bulk_job(std::move(job), context));
  return apply_kinesis_streams(mutation, moment);
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

// At the limit each new token replaces the oldest.
Result<void> MutationApplier::store_token(storage::StoredToken token, Timestamp now,
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

Result<void> MutationApplier::apply_table(Table table, const ApplyContext& moment) {
  storage::WriteTransaction& transaction = moment.transaction;
  // The table's old state, or another table of that name, Gone for users but still recorded.
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
        ended_.data_became_complete = true;
    }
  }
  STATOR_CHECK(number_spaces(table, transaction));
  table.begin_runtimes();
  if (counts_throughput_) begin_throughput(table, settings_, moment.now, throughput_watcher_);
  const bool is_same = old != nullptr && table.space == old->space;
  STATOR_CHECK(follow_late(is_same ? old.get() : nullptr, table, transaction));
  STATOR_CHECK(follow_stream(is_same ? old.get() : nullptr, table, moment));
  STATOR_CHECK(follow_recovery(is_same ? old.get() : nullptr, table, moment));
  STATOR_CHECK(follow_kinesis(is_same ? old.get() : nullptr, table, moment));
  STATOR_CHECK(follow_restore(is_same ? old.get() : nullptr, table, moment));
  if (!is_same) STATOR_CHECK(keep_client_secret(transaction, moment.random));
  STATOR_CHECK(transaction.put(Database::Tables, key_of(table.space).view(), encode_table(table)));
  ended_.changed_tables.push_back(table.space);
  working_ = working_->with(std::make_shared<const Table>(std::move(table)));
  return {};
}

// Its stream stays, closed. With point-in-time recovery its items stay, as a backup.
Result<void> MutationApplier::apply_erased_table(const Table& table, const ApplyContext& moment) {
  storage::WriteTransaction& transaction = moment.transaction;
  if (table.has_enabled_stream() && !table.deleting_until) {
    STATOR_CHECK(close_stream(table.stream->number, Timestamp{}, {*this, transaction, moment.now}));
  }
  STATOR_CHECK(transaction.erase(Database::Tables, key_of(table.space).view()).map([](bool) {}));
  const CopyContext context{*this, transaction, moment.now};
  if (table.restore) STATOR_CHECK(end_copy(table.restore->copy, table.space, context));
  if (table.recovery) {
    STATOR_CHECK(retain_as_backup(table, context));
    STATOR_CHECK(drop_space(table.recovery->space, transaction));
    history_bytes_.reset();
  }
  for (const storage::SpaceId space : spaces_of(table)) {
    STATOR_CHECK(drop_space(space, transaction));
    if (!table.recovery || space != table.space) continue;
    STATOR_CHECK(transaction.erase(Database::Purges, key_of(space).view()).map([](bool) {}));
    ended_.dropped_spaces.pop_back();
  }
  for (const std::string& consumer : working_consumers_->of(table.space)) {
    if (!copy_target_of(consumer))
      STATOR_CHECK(remove_consumer(table.space, consumer, transaction));
  }
  working_ = working_->without(table);
  return {};
}

// A chore removes its records later.
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
  for (const auto& [number, difference] : stats_) {
    const storage::SpaceId space{number};
    STATOR_TRY(const SpaceStats sum, stats(space, transaction));
    STATOR_CHECK(
        transaction.put(Database::Stats, key_of(space).view(), storage::encode_stats(sum)));
  }
  stats_.clear();
  if (!next_change_number_) return {};
  return storage::put_next_number(transaction, storage::MetaKey::NextChange, *next_change_number_);
}

void MutationApplier::roll_back(std::shared_ptr<const Catalog> catalog,
                                std::shared_ptr<const Consumers> consumers) {
  ended_ = {};
  sizes_.end(/*committed=*/false);
  history_bytes_.reset();
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
  STATOR_CHECK(write_gathered(transaction));
  if (!ended_.journaled.empty()) {
    STATOR_TRY(const std::int64_t history, history_bytes(transaction));
    STATOR_TRY(const std::uint64_t streams, stream_bytes(transaction));
    ended_.has_too_large_history = history > static_cast<std::int64_t>(settings_.history_bytes_max);
    ended_.has_too_large_streams = streams > settings_.streams.bytes_max;
  }
  return {};
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
    history_bytes_.reset();
    ended = {};
    return ended;  // the same object on all paths, so no move
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
