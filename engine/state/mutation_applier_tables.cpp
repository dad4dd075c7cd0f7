// What tables being changed mean for point-in-time recovery, restores and Kinesis destinations.
#include <algorithm>
#include <utility>

#include "engine/catalog/consumers.h"
#include "engine/state/client_secret.h"
#include "engine/state/history.h"
#include "engine/state/item_copies.h"
#include "engine/state/mutation_applier.h"
#include "engine/storage/descriptions/kinesis_streams.h"
#include "engine/storage/stores/counters.h"

namespace stator {

using storage::Database;

namespace {

bool follows_as(const Table& table, std::uint64_t number) {
  return std::any_of(table.kinesis.begin(), table.kinesis.end(),
                     [number](const KinesisDestination& one) { return one.number == number; });
}

}  // namespace

Result<void> MutationApplier::follow_recovery(const Table* old, Table& table,
                                              const ApplyContext& moment) {
  const bool was_enabled = old != nullptr && old->recovery;
  if (was_enabled == table.recovery.has_value()) return {};
  if (table.recovery) return add_consumer(table.space, kHistoryConsumer, moment.transaction);
  STATOR_CHECK(drop_space(old->recovery->space, moment.transaction));
  history_bytes_.reset();
  return remove_consumer(table.space, kHistoryConsumer, moment.transaction);
}

Result<void> MutationApplier::follow_restore(const Table* old, Table& table,
                                             const ApplyContext& moment) {
  const CopyContext context{*this, moment.transaction, moment.now};
  if (old == nullptr)
    return table.restore ? begin_copy(table.restore->copy, table.space, context) : Result<void>();
  if (!old->restore || table.restore) return {};
  ended_.data_became_complete = true;
  return end_copy(old->restore->copy, table.space, context);
}

void MutationApplier::note_expiring_backup(Timestamp expires) {
  if (!ended_.expiring_backup || expires < *ended_.expiring_backup)
    ended_.expiring_backup = expires;
}

Result<SpaceStats> MutationApplier::stats(storage::SpaceId space,
                                          const storage::Transaction& transaction) const {
  STATOR_TRY(SpaceStats stats, storage::find_stats(transaction, space));
  const auto gathered = stats_.find(static_cast<std::uint32_t>(space));
  if (gathered == stats_.end()) return stats;
  stats.item_count += gathered->second.item_count;
  stats.size_bytes += gathered->second.size_bytes;
  return stats;
}

void MutationApplier::count_history(const Table& table, SpaceStats difference) {
  if (!table.recovery) return;
  SpaceStats& stats = stats_[static_cast<std::uint32_t>(table.recovery->space)];
  stats.item_count += difference.item_count;
  stats.size_bytes += difference.size_bytes;
  if (history_bytes_) *history_bytes_ += difference.size_bytes;
}

Result<std::int64_t> MutationApplier::history_bytes(const storage::Transaction& transaction) {
  if (history_bytes_) return *history_bytes_;
  std::vector<storage::SpaceId> spaces;
  working_->for_each([&](const Table& table) {
    if (table.recovery) spaces.push_back(table.recovery->space);
  });
  std::int64_t sum = 0;
  for (const storage::SpaceId space : spaces) {
    STATOR_TRY(const SpaceStats counted, stats(space, transaction));
    sum += counted.size_bytes;
  }
  history_bytes_ = sum;
  return sum;
}

Result<std::uint64_t> MutationApplier::stream_bytes(const storage::Transaction& transaction) {
  STATOR_TRY(const std::int64_t history, history_bytes(transaction));
  const auto all = static_cast<std::int64_t>(transaction.occupied_bytes(Database::Journal));
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, all - history));
}

// A destination gets the changes from its enabling on, and those up to its disabling. It stops
// being a consumer when it has them, or when its number is gone from the table.
Result<void> MutationApplier::follow_kinesis(const Table* old, Table& table,
                                             const ApplyContext& moment) {
  if (table.kinesis.empty() && (old == nullptr || old->kinesis.empty())) return {};
  ended_.has_kinesis_work = true;
  for (KinesisDestination& one : table.kinesis) {
    const bool is_followed =
        one.state == KinesisState::Enabling || one.state == KinesisState::Active;
    if (is_followed && one.number == 0) {
      STATOR_TRY(one.number, take_change_number(moment.transaction));
      STATOR_CHECK(add_consumer(table.space, kinesis_consumer(one.number), moment.transaction));
    }
    if (one.state == KinesisState::Disabled && one.number != 0 && !one.end) {
      STATOR_TRY(one.end, next_change(moment.transaction));
    }
    if (one.state == KinesisState::EnableFailed) one.number = 0;
  }
  if (old == nullptr) return {};
  for (const KinesisDestination& one : old->kinesis) {
    if (one.number != 0 && !follows_as(table, one.number))
      STATOR_CHECK(remove_consumer(table.space, kinesis_consumer(one.number), moment.transaction));
  }
  return {};
}

// Destinations may wait for a new stream.
Result<void> MutationApplier::apply_kinesis_streams(Mutation& mutation,
                                                    const ApplyContext& moment) {
  for (const KinesisStream& stream : mutation.erased_kinesis_streams()) {
    STATOR_CHECK(storage::erase_kinesis_stream(moment.transaction, stream));
    STATOR_CHECK(drop_space(stream.space, moment.transaction));
  }
  for (KinesisStream& stream : mutation.kinesis_streams()) {
    if (stream.space == storage::SpaceId{}) {
      STATOR_TRY(stream.space, storage::take_space(moment.transaction));
      STATOR_CHECK(keep_client_secret(moment.transaction, moment.random));
      ended_.has_new_kinesis_stream = true;
    }
    if (stream.deleting_until) ended_.has_changed_kinesis_stream = true;
    STATOR_CHECK(storage::put_kinesis_stream(moment.transaction, stream));
    if (!ended_.kinesis_records) ended_.kinesis_records = moment.now;
  }
  return {};
}

}  // namespace stator
