#include "engine/outbox/kinesis_queue.h"

#include <limits>
#include <utility>

#include "engine/api/engine.h"
#include "engine/catalog/consumers.h"
#include "engine/kinesis/change_record.h"
#include "engine/kinesis/destination_decision.h"
#include "engine/maintenance/chores/chore.h"
#include "engine/state/snapshot.h"
#include "engine/storage/stores/journal.h"

namespace stator {
namespace {

const KinesisDestination* destination_of(const Table* table, std::uint64_t number) {
  if (table == nullptr || number == 0) return nullptr;
  for (const KinesisDestination& one : table->kinesis)
    if (one.number == number) return &one;
  return nullptr;
}

KinesisQueue queue_of(const Table& table, const KinesisDestination& one) {
  KinesisQueue queue;
  queue.table = table.space;
  queue.number = one.number;
  queue.table_name = table.name;
  queue.region = table.region;
  queue.stream_arn = one.stream_arn;
  queue.is_decided = one.state != KinesisState::Enabling;
  if (!queue.is_decided)
    queue.refusal = kinesis_arn_refusal(table, one.stream_arn, /*is_own_account=*/false);
  queue.end = one.end.value_or(std::numeric_limits<std::uint64_t>::max());
  return queue;
}

}  // namespace

Result<std::vector<KinesisQueue>> KinesisQueues::all() const {
  std::vector<KinesisQueue> candidates;
  snapshot_.catalog().for_each([&](const Table& table) {
    for (const KinesisDestination& one : table.kinesis)
      if (one.number != 0) candidates.push_back(queue_of(table, one));
  });
  std::vector<KinesisQueue> queues;
  for (KinesisQueue& queue : candidates) {
    STATOR_TRY(const auto position, storage::consumer_position(snapshot_.transaction(), queue.table,
                                                               kinesis_consumer(queue.number)));
    if (!position) continue;
    queue.position = *position;
    STATOR_TRY(const auto first,
               storage::find_in_journal(snapshot_.transaction(), queue.table, *position));
    const bool waits = first && first->number < queue.end;
    if (waits || !queue.is_decided) queues.push_back(std::move(queue));
  }
  return queues;
}

Result<std::vector<KinesisQueueRecord>> KinesisQueues::next(const KinesisQueue& queue,
                                                            std::uint64_t from,
                                                            std::size_t count_max,
                                                            std::size_t bytes_max) const {
  std::vector<KinesisQueueRecord> records;
  const Table* const table = snapshot_.catalog().find(queue.table);
  const KinesisDestination* const one = destination_of(table, queue.number);
  if (one == nullptr) return records;
  storage::JournalCursor cursor(snapshot_.transaction(), queue.table);
  STATOR_CHECK(cursor.seek(from));
  std::size_t bytes = 0;
  while (cursor.entry() && cursor.entry()->number < queue.end && records.size() < count_max &&
         bytes < bytes_max) {
    STATOR_TRY(auto record, kinesis_change_record(*table, *one, *cursor.entry()));
    bytes += record.data.size();
    records.push_back({record.change, std::move(record.partition_key), std::move(record.data)});
    STATOR_CHECK(cursor.next());
  }
  return records;
}

Result<KinesisQueues::Waiting> KinesisQueues::waiting(const KinesisQueue& queue,
                                                      std::uint64_t from) const {
  return measure(queue, from, std::numeric_limits<std::uint64_t>::max());
}

Result<KinesisQueues::Waiting> KinesisQueues::oldest(const KinesisQueue& queue, std::uint64_t bytes,
                                                     std::uint64_t bytes_max) const {
  return measure(queue, queue.position, bytes > bytes_max ? bytes - bytes_max : 0);
}

// The changes from a number on, until they have as many bytes.
Result<KinesisQueues::Waiting> KinesisQueues::measure(const KinesisQueue& queue, std::uint64_t from,
                                                      std::uint64_t bytes_max) const {
  Waiting found{.end = from};
  storage::JournalCursor cursor(snapshot_.transaction(), queue.table);
  STATOR_CHECK(cursor.seek(from));
  while (cursor.entry() && cursor.entry()->number < queue.end && found.bytes < bytes_max) {
    ++found.count;
    found.bytes += cursor.entry()->bytes.size();
    found.end = cursor.entry()->number + 1;
    STATOR_CHECK(cursor.next());
  }
  return found;
}

bool decide_kinesis_queue(Engine& engine, const KinesisQueue& queue, const std::string& reason) {
  return engine.commit_piece([&](ChorePiece& piece) -> Result<void> {
    const Table* const table = piece.catalog().find(queue.table);
    if (destination_of(table, queue.number) == nullptr) return {};
    Table next = *table;
    decide_kinesis(next, queue.number, reason);
    piece.mutation.put_table(std::move(next));
    return piece.apply();
  });
}

// A disabled destination that has all its changes is ended by a chore, which the table's commit
// wakes.
bool advance_kinesis_queue(Engine& engine, const KinesisQueue& queue, std::uint64_t position) {
  return engine.commit_piece([&](ChorePiece& piece) -> Result<void> {
    const Table* const table = piece.catalog().find(queue.table);
    const KinesisDestination* const one = destination_of(table, queue.number);
    if (one == nullptr) return {};
    const std::string consumer = kinesis_consumer(queue.number);
    STATOR_TRY(const auto reached,
               storage::consumer_position(piece.transaction, queue.table, consumer));
    if (!reached || *reached >= position) return {};
    STATOR_CHECK(storage::put_consumer(piece.transaction, {queue.table, consumer, position}));
    STATOR_CHECK(storage::trim_journal(piece.transaction, queue.table, 2 * piece.limits.records_max)
                     .map([](bool) {}));
    if (one->end) piece.mutation.put_table(*table);
    return piece.apply();
  });
}

bool give_up_kinesis_changes(Engine& engine, const KinesisQueue& queue, std::uint64_t position) {
  if (!advance_kinesis_queue(engine, queue, position)) return false;
  for (bool is_trimmed = false; !is_trimmed;) {
    const bool is_done = engine.commit_piece([&](ChorePiece& piece) -> Result<void> {
      STATOR_TRY(is_trimmed,
                 storage::trim_journal(piece.transaction, queue.table, piece.limits.records_max));
      return {};
    });
    if (!is_done) return false;
  }
  return true;
}

}  // namespace stator
