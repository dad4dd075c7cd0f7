#include "engine/data_folder/follower_check.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "engine/catalog/consumers.h"
#include "engine/schema/stream.h"
#include "engine/schema/stream_name.h"
#include "engine/state/history.h"
#include "engine/state/stream_life.h"
#include "engine/storage/bytes/bytes.h"
#include "engine/storage/keys/keys.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/stores/counters.h"
#include "engine/storage/stores/journal.h"
#include "engine/storage/stores/stream_store.h"

namespace stator {
namespace {

using storage::Database;

class FollowerChecker {
 public:
  explicit FollowerChecker(const StoredState& state)
      : state_(state), transaction_(state.transaction), findings_(state.findings) {}

  Result<void> check() {
    STATOR_TRY(next_change_, storage::next_number(transaction_, storage::MetaKey::NextChange));
    note_copies();
    STATOR_CHECK(check_consumers());
    Result<void> checked;
    state_.catalog->for_each([&](const Table& table) {
      if (checked) checked = check_followed(table);
    });
    STATOR_CHECK(std::move(checked));
    STATOR_CHECK(check_streams());
    return check_journals();
  }

 private:
  // Consumers of copies, by the space that is copied and the one that gets the items.
  void note_copies() {
    const auto note = [&](const ItemCopy& copy, storage::SpaceId target) {
      copies_.emplace(copy.source, target);
    };
    for (const Backup& backup : state_.backups) {
      if (backup.copy) note(*backup.copy, backup.space);
    }
    for (const ExportJob& job : state_.exports) {
      if (job.copy) note(*job.copy, job.space);
    }
    state_.catalog->for_each([&](const Table& table) {
      if (table.restore) note(table.restore->copy, table.space);
    });
  }

  Result<void> check_consumers() {
    STATOR_TRY(const auto consumers, storage::all_consumers(transaction_));
    for (const storage::Consumer& consumer : consumers) {
      STATOR_TRY(const bool has_place, has_place_for(consumer));
      if (!has_place || consumer.position > next_change_)
        findings_.add("journal", "the consumer " + consumer.name + " has no place");
    }
    return {};
  }

  Result<bool> has_place_for(const storage::Consumer& consumer) {
    if (const auto target = copy_target_of(consumer.name))
      return copies_.contains({consumer.table, *target});
    if (const auto number = stream_of(consumer.name)) {
      const auto stream = storage::find_stream(transaction_, *number);
      // check_streams() reports one that is damaged.
      return !stream || (*stream && (*stream)->table == consumer.table &&
                         consumer_of(**stream) == consumer.name);
    }
    const Table* table = state_.catalog->find(consumer.table);
    if (table == nullptr || table->space != consumer.table) return false;
    if (kept_period_of(consumer.name)) return true;
    if (consumer.name == kHistoryConsumer) return table->recovery.has_value();
    if (const auto index = late_index_of(consumer.name))
      return table->find_global_index(*index) != nullptr;
    const auto number = kinesis_destination_of(consumer.name);
    return number &&
           std::any_of(table->kinesis.begin(), table->kinesis.end(),
                       [&](const KinesisDestination& one) { return one.number == *number; });
  }

  Result<bool> has_consumer(storage::SpaceId table, const std::string& name) {
    STATOR_TRY(const auto position, storage::consumer_position(transaction_, table, name));
    return position.has_value();
  }

  // What the table's description says that follows it.
  Result<void> check_followed(const Table& table) {
    const std::string where = place_of(table);
    for (const KinesisDestination& one : table.kinesis) {
      if (one.number == 0) continue;
      STATOR_TRY(const bool is_there, has_consumer(table.space, kinesis_consumer(one.number)));
      if (!is_there) findings_.add(where, "no changes are retained for " + one.stream_arn);
    }
    if (table.recovery) STATOR_CHECK(check_history(table, where + ", recovery"));
    const bool has_open_stream =
        table.has_enabled_stream() && table.stream->number != 0 && !table.deleting_until;
    if (!has_open_stream) return {};
    const auto stream = storage::find_stream(transaction_, table.stream->number);
    if (!stream) return {};  // check_streams() reports it
    const bool is_its_own = *stream && (*stream)->table == table.space && !(*stream)->closed &&
                            (*stream)->label == table.stream->label;
    if (!is_its_own) findings_.add(where, "its stream " + table.stream->label + " is not open");
    return {};
  }

  // Recovery counts the entries that it retains.
  Result<void> check_history(const Table& table, const std::string& where) {
    STATOR_TRY(const auto position,
               storage::consumer_position(transaction_, table.space, kHistoryConsumer));
    if (!position) {
      findings_.add(where, "no changes are retained");
      return {};
    }
    SpaceStats met;
    for (std::uint64_t next = *position;;) {
      STATOR_TRY(const auto entry, storage::find_in_journal(transaction_, table.space, next));
      if (!entry) break;
      next = entry->number + 1;
      ++met.item_count;
      met.size_bytes += stored_entry_bytes(entry->bytes.size());
    }
    STATOR_TRY(const SpaceStats recorded, storage::find_stats(transaction_, table.recovery->space));
    if (met.item_count != recorded.item_count || met.size_bytes != recorded.size_bytes)
      findings_.add(where, std::to_string(met.item_count) + " changes of " +
                               std::to_string(met.size_bytes) + " bytes are there, " +
                               std::to_string(recorded.item_count) + " of " +
                               std::to_string(recorded.size_bytes) + " are recorded");
    return {};
  }

  Result<void> check_journals() {
    STATOR_TRY(const auto tables, storage::tables_with_journal(transaction_));
    for (const storage::SpaceId table : tables) {
      for (std::uint64_t position = 0;;) {
        STATOR_TRY(const auto met, storage::find_in_journal(transaction_, table, position));
        if (!met) break;
        position = met->number + 1;
        const auto entry = storage::decode_journal_entry(met->bytes);
        const bool is_sound = entry &&
                              (!entry->before || storage::is_valid_record(*entry->before)) &&
                              (!entry->after || storage::is_valid_record(*entry->after));
        if (!is_sound || met->number >= next_change_)
          findings_.add("journal", "a change cannot be read");
      }
    }
    return {};
  }

  // A stream has a record by its number, one by its name, and its shards. There are no others.
  Result<void> check_streams() {
    std::uint64_t records = 0;
    storage::KeyBuffer key = storage::StreamKey{0}.encode();
    for (bool is_after = false;; is_after = true) {
      STATOR_TRY(const auto met, transaction_.seek(Database::Streams, key.view(), is_after));
      if (!met || met->key.size() != key.size() || met->key.front() != key.view().front()) break;
      const auto number = number_of(met->key);
      key = storage::StreamKey{number}.encode();
      records += 2;
      const auto stream = storage::find_stream(transaction_, number);
      if (stream && *stream) {
        STATOR_CHECK(check_stream(**stream));
      } else {
        findings_.add("stream number " + std::to_string(number), "cannot be read");
      }
      STATOR_TRY(const std::uint64_t shards, count_shards(number));
      records += shards;
    }
    const std::uint64_t all = transaction_.record_count(Database::Streams);
    if (records != all)
      findings_.add("streams", std::to_string(all) + " records, streams and their shards have " +
                                   std::to_string(records));
    return {};
  }

  static std::uint64_t number_of(std::string_view stream_key) {
    storage::ByteReader in(stream_key);
    in.u8();
    return in.be<std::uint64_t>();
  }

  Result<std::uint64_t> count_shards(std::uint64_t stream) {
    const storage::KeyBuffer prefix = storage::ShardKey{stream, {}}.encode();
    std::string key(prefix.view());
    for (std::uint64_t count = 0;; ++count) {
      STATOR_TRY(const auto met, transaction_.seek(Database::Streams, key, /*after=*/true));
      if (!met || !met->key.starts_with(prefix.view())) return count;
      key = met->key;
    }
  }

  Result<void> check_stream(const Stream& stream) {
    const std::string where = "stream " + stream.label + " of table " + stream.table_name;
    const auto named = storage::find_stream(
        transaction_, StreamName{stream.scope, stream.table_name, stream.label});
    if (!named || !*named || (*named)->number != stream.number)
      findings_.add(where, "is not found by its name");
    STATOR_TRY(const bool follows, has_consumer(stream.table, consumer_of(stream)));
    if (!follows) findings_.add(where, "its records are not retained");
    if (!stream.closed) {
      const Table* table = state_.catalog->find(stream.table);
      if (table == nullptr || !table->stream || table->stream->number != stream.number)
        findings_.add(where, "is open, and is not its table's");
    }
    return check_shards(stream, where);
  }

  Result<void> check_shards(const Stream& stream, const std::string& where) {
    std::set<std::string> open;
    std::uint64_t hashes = 0;
    for (std::string id;;) {
      const auto shard = storage::next_shard(transaction_, stream.number, id);
      if (!shard) {
        findings_.add(where, shard.error());
        return {};
      }
      if (!*shard) break;
      id = (*shard)->id;
      if ((*shard)->end && *(*shard)->end < (*shard)->start)
        findings_.add(where, "a shard ends before it starts");
      if ((*shard)->end) continue;
      open.insert(id);
      hashes += (*shard)->hash_end - (*shard)->hash_begin;
    }
    const std::set<std::string> recorded(stream.open_shards.begin(), stream.open_shards.end());
    if (open != recorded)
      findings_.add(where, std::to_string(open.size()) + " shards are open, " +
                               std::to_string(recorded.size()) + " are recorded");
    if (hashes != (stream.closed ? 0 : kPartitionHashes))
      findings_.add(where, "its open shards do not have each partition once");
    return {};
  }

  const StoredState& state_;
  const storage::Transaction& transaction_;
  Findings& findings_;
  std::uint64_t next_change_ = 0;
  std::set<std::pair<storage::SpaceId, storage::SpaceId>> copies_;
};

}  // namespace

Result<void> check_followers(const StoredState& state) { return FollowerChecker(state).check(); }

}  // namespace stator
