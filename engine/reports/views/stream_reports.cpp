#include "engine/reports/views/stream_reports.h"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "engine/catalog/consumers.h"
#include "engine/state/snapshot.h"
#include "engine/storage/keys/partition_hash.h"
#include "engine/storage/stores/journal.h"
#include "engine/storage/stores/stream_store.h"

namespace stator {
namespace {

// What the reports of one table share.
struct ReportLimits {
  std::size_t shards_left;
  std::size_t records_left = kStreamRecordsCountedMax;
};

Result<void> add_shards(const Snapshot& snapshot, ReportLimits& limits, StreamReport& report) {
  std::string last;
  for (;;) {
    STATOR_TRY(auto shard, storage::next_shard(snapshot.transaction(), report.stream.number, last));
    if (!shard) return {};
    if (limits.shards_left == 0) {
      report.has_more = true;
      return {};
    }
    --limits.shards_left;
    last = shard->id;
    report.shards.push_back({*std::move(shard)});
  }
}

// The number after the stream's last record.
std::uint64_t end_of_stream(const StreamReport& report) {
  std::uint64_t end = 0;
  for (const ShardReport& one : report.shards) {
    if (!one.shard.end) return std::numeric_limits<std::uint64_t>::max();
    end = std::max(end, *one.shard.end + 1);
  }
  return end;
}

Result<void> count_records(const Snapshot& snapshot, std::uint64_t position, ReportLimits& limits,
                           StreamReport& report) {
  const std::uint64_t end = end_of_stream(report);
  storage::JournalCursor journal(snapshot.transaction(), report.stream.table);
  STATOR_CHECK(journal.seek(position));
  for (; journal.entry() && journal.entry()->number < end;) {
    if (limits.records_left == 0) {
      report.has_more = true;
      break;
    }
    --limits.records_left;
    const storage::NumberedEntry& met = *journal.entry();
    STATOR_TRY(const auto entry, storage::decode_journal_entry(met.bytes));
    const std::uint32_t hash = storage::partition_hash(entry.partition);
    const auto owner =
        std::find_if(report.shards.begin(), report.shards.end(), [&](const ShardReport& one) {
          return one.shard.may_have(met.number) && one.shard.has(hash);
        });
    if (owner != report.shards.end()) ++owner->records;
    ++report.records;
    report.bytes += met.bytes.size();
    if (!report.oldest) report.oldest = entry.written.time;
    report.newest = entry.written.time;
    STATOR_CHECK(journal.next());
  }
  if (!report.has_more) return {};
  STATOR_TRY(const auto last,
             storage::find_before_in_journal(snapshot.transaction(), report.stream.table, end));
  if (!last) return {};
  STATOR_TRY(const auto entry, storage::decode_journal_entry(last->bytes));
  report.newest = entry.written.time;
  return {};
}

}  // namespace

Result<std::vector<StreamReport>> stream_reports(const Snapshot& snapshot, Isolation isolation,
                                                 std::string_view table_name,
                                                 std::size_t shards_max) {
  std::vector<StreamReport> reports;
  ReportLimits limits{shards_max};
  STATOR_TRY(const auto consumers, storage::all_consumers(snapshot.transaction()));
  for (const storage::Consumer& consumer : consumers) {
    const auto number = stream_of(consumer.name);
    if (!number) continue;
    STATOR_TRY(auto stream, storage::find_stream(snapshot.transaction(), *number));
    if (!stream || stream->table_name != table_name) continue;
    auto label = label_of(stream->scope, stream->region, stream->table_name, isolation);
    if (!label) continue;
    StreamReport& report = reports.emplace_back();
    report.label = *std::move(label);
    report.stream = *std::move(stream);
    STATOR_CHECK(add_shards(snapshot, limits, report));
    STATOR_CHECK(count_records(snapshot, consumer.position, limits, report));
  }
  std::sort(reports.begin(), reports.end(), [](const StreamReport& a, const StreamReport& b) {
    return std::tie(a.label, a.stream.number) < std::tie(b.label, b.stream.number);
  });
  return reports;
}

Result<UnreadRecords> unread_records(const Snapshot& snapshot, const Stream& stream,
                                     const Shard& shard, std::uint64_t position,
                                     std::size_t& records_left) {
  UnreadRecords unread;
  storage::JournalCursor journal(snapshot.transaction(), stream.table);
  STATOR_CHECK(journal.seek(std::max(position, shard.start)));
  while (journal.entry() && shard.may_have(journal.entry()->number)) {
    if (records_left == 0) {
      unread.has_more = true;
      return unread;
    }
    --records_left;
    STATOR_TRY(const auto entry, storage::decode_journal_entry(journal.entry()->bytes));
    if (shard.has(storage::partition_hash(entry.partition))) {
      ++unread.records;
      if (!unread.oldest) unread.oldest = entry.written.time;
    }
    STATOR_CHECK(journal.next());
  }
  return unread;
}

}  // namespace stator
