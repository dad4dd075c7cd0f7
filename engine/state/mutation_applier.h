// MutationApplier: applies mutations, and knows what the jobs of the current batch have changed so
// far.
// Used by the queue's leader only.
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
#include "engine/capacity/throughput_state.h"
#include "engine/schema/stream.h"
#include "engine/state/catalog.h"
#include "engine/state/consumers.h"
#include "engine/state/mutation.h"
#include "engine/state/partition_sizes.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator {

class MutationApplier {
 public:
  // With Settings::gsi_delay, active global indexes follow their tables late. The settings must
  // outlive it.
  MutationApplier(std::shared_ptr<const Catalog> catalog,
                  std::shared_ptr<const Consumers> consumers, const Settings& settings)
      : settings_(settings),
        published_(catalog),
        working_(std::move(catalog)),
        published_consumers_(consumers),
        working_consumers_(std::move(consumers)) {}

  // Who watches what new tables can serve; from the beginning on, or nobody does.
  void set_throughput_watcher(capacity::ThroughputWatcher& watcher) {
    throughput_watcher_ = &watcher;
  }

  // The tables, and who follows them, as the next job of the batch sees them.
  const std::shared_ptr<const Catalog>& catalog() const { return working_; }
  const Consumers& consumers() const { return *working_consumers_; }
  std::chrono::microseconds gsi_delay() const { return settings_.gsi_delay; }
  const StreamLimits& stream_limits() const { return settings_.streams; }

  // A consumer begins at the journal's end. Removing one lets entries go that only it still needed.
  Result<void> add_consumer(storage::SpaceId table, std::string_view name,
                            storage::WriteTransaction& transaction);
  Result<void> remove_consumer(storage::SpaceId table, std::string_view name,
                               storage::WriteTransaction& transaction);
  // A consumer that wants nothing new, but keeps what it has not seen under another name.
  Result<void> end_following(storage::SpaceId table, const std::string& name,
                             const std::string& kept_as, storage::WriteTransaction& transaction);
  // A number of its own among those of the changes.
  Result<std::uint64_t> take_change_number(const storage::Transaction& transaction);
  // A stream of the table is to be looked after at that time.
  void enter_stream(storage::SpaceId table, Timestamp due);
  // Whether there are tables whose stream an earlier format only described. Opens those streams.
  bool has_unopened_streams() const;
  // The same, and with a delay makes all active global indexes consumers that are not: those of a
  // process without one.
  Result<void> begin_following(Timestamp now, Random& random,
                               storage::WriteTransaction& transaction);

  // Writes what a mutation decided at `now`. A failure leaves the transaction half done: the batch
  // must be aborted.
  Result<void> apply(Mutation& mutation, Timestamp now, storage::WriteTransaction& transaction);

  // Writes what the batch has gathered so far, so that the transaction is the whole state.
  Result<void> write_gathered(storage::WriteTransaction& transaction);
  // The transaction has gone back to another state, whose tables and consumers these are. What the
  // jobs before changed is undone with it.
  void go_back(std::shared_ptr<const Catalog> catalog, std::shared_ptr<const Consumers> consumers);

  // Spaces whose removal waited for the last mark to go.
  Result<void> enter_purges(const storage::Transaction& transaction);

  // Writes the statistics and counters gathered.
  Result<void> before_commit(storage::WriteTransaction& transaction);

  // What a batch that was committed left.
  struct Ended {
    bool catalog_changed = false;
    bool index_became_active = false;
    // What chores may follow from (engine/maintenance/chore.h).
    std::vector<storage::SpaceId> changed_tables;     // new ones too; one may be named twice
    std::vector<storage::SpaceId> dropped_spaces;     // their records are still there
    std::vector<storage::SpaceId> left_journals;      // of these tables: they lost a consumer
    std::map<storage::SpaceId, Timestamp> journaled;  // tables, and their first entry's time
    // By the space of its entries: tables that got items which may expire, and when the first one
    // does, in Unix seconds.
    std::map<storage::SpaceId, std::uint64_t> expiring;
    std::map<storage::SpaceId, std::uint64_t> expired;  // items of tables deleted by time to live
    std::map<storage::SpaceId, Timestamp> streams;  // tables with one to be looked after, and when
    bool has_too_large_streams = false;             // they exceed StreamLimits::bytes_max
    std::optional<Timestamp> kept_token;            // when the first one kept was
    bool gave_up_tokens = false;                    // that still counted, for tokens_kept_max
    std::vector<OversizedPartition> oversized;
  };
  // Keeps or forgets the batch's changes.
  Ended end(bool committed, Timestamp now);

 private:
  // What all of a mutation's changes need.
  struct Moment {
    Timestamp now;
    Random& random;
    storage::WriteTransaction& transaction;
  };
  Result<void> apply_table(Table table, const Moment& moment);
  Result<void> apply_erased_table(const Table& table, const Moment& moment);
  Result<void> drop_space(storage::SpaceId space, storage::WriteTransaction& transaction);
  Result<void> append_to_journals(const Mutation& mutation, Timestamp now,
                                  storage::WriteTransaction& transaction);
  Result<void> apply_expiry(const Mutation::ExpiryChange& change, Timestamp now,
                            storage::WriteTransaction& transaction);
  Result<void> keep_token(storage::KeptToken token, Timestamp now,
                          storage::WriteTransaction& transaction);
  Result<std::uint64_t> next_change(const storage::Transaction& transaction);
  Result<void> follow_late(const Table* old, const Table& table,
                           storage::WriteTransaction& transaction);
  Result<void> begin_streams(Timestamp now, Random& random, storage::WriteTransaction& transaction);
  Result<void> begin_delays(storage::WriteTransaction& transaction);
  Result<void> follow_stream(const Table* old, Table& table, const Moment& moment);

  const Settings& settings_;
  capacity::ThroughputWatcher* throughput_watcher_ = nullptr;
  std::shared_ptr<const Catalog> published_;
  std::shared_ptr<const Catalog> working_;
  std::shared_ptr<const Consumers> published_consumers_;
  std::shared_ptr<const Consumers> working_consumers_;
  std::unordered_map<std::uint32_t, SpaceStats> stats_;
  PartitionSizes sizes_;
  std::optional<std::uint64_t> next_change_number_;  // once the batch needed it
  Ended ended_;
  std::shared_ptr<const Catalog> gone_back_;  // by the batch
};

}  // namespace stator
