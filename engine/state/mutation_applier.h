// MutationApplier: applies mutations, and collects the changes of the current batch.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/call/settings.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/consumers.h"
#include "engine/schema/stream.h"
#include "engine/state/mutation.h"
#include "engine/state/partition_sizes.h"
#include "engine/storage/environment/transaction.h"
#include "engine/throughput/throughput_state.h"
#include "protocol/errors/result.h"

namespace stator {

class MutationApplier {
 public:
  // With Settings::gsi_delay, active global indexes follow their tables late. Throughput is counted
  // if throttling is on now, even if it is switched off later. REQUIRES: the settings outlive this
  // object; only jobs of the queue change them.
  MutationApplier(std::shared_ptr<const Catalog> catalog,
                  std::shared_ptr<const Consumers> consumers, const Settings& settings)
      : settings_(settings),
        counts_throughput_(settings.throttling != Throttling::Off),
        published_(catalog),
        working_(std::move(catalog)),
        published_consumers_(consumers),
        working_consumers_(std::move(consumers)) {}

  // Sets the watcher of new tables' throughput. Call at the start; otherwise there is none.
  void set_throughput_watcher(capacity::ThroughputWatcher& watcher) {
    throughput_watcher_ = &watcher;
  }

  // The tables and their consumers, as the next job of the batch must see them.
  const std::shared_ptr<const Catalog>& catalog() const { return working_; }
  const Consumers& consumers() const { return *working_consumers_; }
  std::chrono::microseconds gsi_delay() const { return settings_.gsi_delay; }
  // Whether tables have throughput states (engine/state/throughput.h).
  bool counts_throughput() const { return counts_throughput_; }
  const StreamLimits& stream_limits() const { return settings_.streams; }

  // A new consumer starts at the journal's end, or at `position`. Removing one releases entries
  // that only it still needed.
  Result<void> add_consumer(storage::SpaceId table, std::string_view name,
                            storage::WriteTransaction& transaction);
  Result<void> add_consumer(storage::SpaceId table, std::string_view name, std::uint64_t position,
                            storage::WriteTransaction& transaction);
  Result<void> remove_consumer(storage::SpaceId table, std::string_view name,
                               storage::WriteTransaction& transaction);
  // Renames a consumer that needs no new entries but retains the unread ones.
  Result<void> end_following(storage::SpaceId table, const std::string& name,
                             const std::string& kept_as, storage::WriteTransaction& transaction);
  // The number that the next change gets.
  Result<std::uint64_t> next_change(const storage::Transaction& transaction);
  // Allocates a change number.
  Result<std::uint64_t> take_change_number(const storage::Transaction& transaction);
  // For the log: what a chore gave up before its time.
  void note_records_given_up() { ended_.gave_up_records = true; }
  void note_streams_given_up() { ended_.gave_up_streams = true; }
  void note_history_given_up() { ended_.gave_up_history = true; }
  // A copy to the space has begun; a backup expires then.
  void note_copy(storage::SpaceId target) { ended_.copies.push_back(target); }
  // A copy to the space is over. One that the batch has begun leaves no chore then.
  void note_copy_ended(storage::SpaceId target) { std::erase(ended_.copies, target); }
  // REQUIRES: the batch has begun a copy.
  storage::SpaceId last_copy() const { return ended_.copies.back(); }
  void note_expiring_backup(Timestamp expires);
  // A job of the server can begin: the items of an export are complete.
  void note_ready_job() { ended_.has_ready_job = true; }
  // The records of the space, which is in Purges, are not needed any more.
  void note_dropped(storage::SpaceId space) { ended_.dropped_spaces.push_back(space); }
  // A chore removes the records of the space later.
  Result<void> drop_space(storage::SpaceId space, storage::WriteTransaction& transaction);
  // The statistics of a space, with what the batch has gathered.
  Result<SpaceStats> stats(storage::SpaceId space, const storage::Transaction& transaction) const;
  // Adds to the count of entries that the table's recovery retains. No-op without recovery.
  void count_history(const Table& table, SpaceStats difference);
  // Bytes that the recovery of all tables retains of journals.
  Result<std::int64_t> history_bytes(const storage::Transaction& transaction);
  std::uint64_t history_bytes_max() const { return settings_.history_bytes_max; }
  // Bytes of journals beyond those.
  Result<std::uint64_t> stream_bytes(const storage::Transaction& transaction);
  // A stream of the table is to be looked after at that time.
  void enter_stream(storage::SpaceId table, Timestamp due);
  // Whether any table has a stream that an older format only described; begin_following() opens it.
  bool has_unopened_streams() const;
  // Opens such streams. With a delay, also makes all active global indexes consumers, which a
  // process without a delay leaves undone.
  Result<void> begin_following(Timestamp now, Random& random,
                               storage::WriteTransaction& transaction);

  // Writes the changes that a mutation decided at `now`. A failure leaves the transaction half
  // done: the batch must be aborted.
  Result<void> apply(Mutation& mutation, Timestamp now, storage::WriteTransaction& transaction);

  // Writes the changes collected so far, so that the transaction has the complete state.
  Result<void> write_gathered(storage::WriteTransaction& transaction);
  // Call after a rollback. `catalog` and `consumers` describe the restored state. Drops the changes
  // of the batch's earlier jobs.
  void roll_back(std::shared_ptr<const Catalog> catalog,
                 std::shared_ptr<const Consumers> consumers);

  // Schedules removal of spaces that marks protected.
  Result<void> enter_purges(const storage::Transaction& transaction);

  // Writes the collected statistics and counters.
  Result<void> before_commit(storage::WriteTransaction& transaction);

  // Summary of a committed batch.
  struct Ended {
    bool catalog_changed = false;
    bool data_became_complete = false;  // of a new index, or of a table that was restored
    // Reasons to schedule chores (engine/maintenance/chores/chore.h).
    std::vector<storage::SpaceId> changed_tables;     // new ones too; may contain duplicates
    std::vector<storage::SpaceId> dropped_spaces;     // their records still exist
    std::vector<storage::SpaceId> left_journals;      // tables that lost a consumer
    std::vector<storage::SpaceId> kept_journals;      // tables that keep changes from now on
    std::map<storage::SpaceId, Timestamp> journaled;  // tables, and their first entry's time
    // Space of expiry entries, and when the first of the new entries is due, in Unix seconds.
    std::map<storage::SpaceId, std::uint64_t> expiring;
    std::map<storage::SpaceId, std::uint64_t> expired;  // items of tables deleted by time to live
    std::map<storage::SpaceId, Timestamp> streams;  // tables with one to be looked after, and when
    bool has_closed_stream = false;
    bool has_too_large_streams = false;        // they exceed StreamLimits::bytes_max
    bool has_too_large_history = false;        // it exceeds Settings::history_bytes_max
    bool gave_up_history = false;              // before its time
    bool gave_up_records = false;              // of streams, in a full store
    bool gave_up_streams = false;              // beyond kClosedStreamsMax
    std::vector<storage::SpaceId> copies;      // begun; the spaces they are made in
    std::optional<Timestamp> expiring_backup;  // when the first new one expires
    bool has_ready_job = false;                // Engine::on_job_ready()
    bool has_kinesis_work = false;             // Engine::on_kinesis_work()
    bool has_new_kinesis_stream = false;
    bool has_changed_kinesis_stream = false;   // one is being deleted
    std::optional<Timestamp> kinesis_records;  // when hosted streams got the first new one
    std::optional<Timestamp> kept_token;       // when the first one kept was
    bool gave_up_tokens = false;               // that still counted, for tokens_kept_max
    std::vector<OversizedPartition> oversized;
  };
  // Publishes or drops the batch's changes.
  Ended end(bool committed, Timestamp now);

 private:
  // Context of applying a mutation.
  struct ApplyContext {
    Timestamp now;
    Random& random;
    storage::WriteTransaction& transaction;
  };
  Result<void> apply_table(Table table, const ApplyContext& moment);
  Result<void> apply_erased_table(const Table& table, const ApplyContext& moment);
  Result<void> append_to_journals(const Mutation& mutation, Timestamp now,
                                  storage::WriteTransaction& transaction);
  Result<void> apply_expiry(const Mutation::ExpiryChange& change, Timestamp now,
                            storage::WriteTransaction& transaction);
  Result<void> store_token(storage::StoredToken token, Timestamp now,
                           storage::WriteTransaction& transaction);
  Result<void> follow_late(const Table* old, const Table& table,
                           storage::WriteTransaction& transaction);
  Result<void> begin_streams(Timestamp now, Random& random, storage::WriteTransaction& transaction);
  Result<void> begin_delays(storage::WriteTransaction& transaction);
  Result<void> follow_stream(const Table* old, Table& table, const ApplyContext& moment);
  Result<void> follow_recovery(const Table* old, Table& table, const ApplyContext& moment);
  Result<void> follow_kinesis(const Table* old, Table& table, const ApplyContext& moment);
  Result<void> apply_kinesis_streams(Mutation& mutation, const ApplyContext& moment);
  Result<void> follow_restore(const Table* old, Table& table, const ApplyContext& moment);
  Result<void> apply_changed_tables(Mutation& mutation, const ApplyContext& moment);

  const Settings& settings_;
  const bool counts_throughput_;
  capacity::ThroughputWatcher* throughput_watcher_ = nullptr;
  std::shared_ptr<const Catalog> published_;
  std::shared_ptr<const Catalog> working_;
  std::shared_ptr<const Consumers> published_consumers_;
  std::shared_ptr<const Consumers> working_consumers_;
  std::unordered_map<std::uint32_t, SpaceStats> stats_;
  PartitionSizes sizes_;
  std::optional<std::uint64_t> next_change_number_;  // set once the batch needs it
  std::optional<std::int64_t> history_bytes_;        // of all tables; empty: to be summed anew
  Ended ended_;
  std::shared_ptr<const Catalog> gone_back_;  // set if the batch rolled back
};

}  // namespace stator
