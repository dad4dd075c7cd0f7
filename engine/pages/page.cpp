#include "engine/pages/page.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/pages/key_range.h"
#include "engine/pages/page_walk.h"
#include "engine/pages/read_checks.h"
#include "engine/pages/start_position.h"
#include "engine/schema/partitions.h"
#include "engine/storage/keys/partition_hash.h"
#include "engine/storage/stores/item_store.h"
#include "engine/throughput/throughput_state.h"

namespace stator {
namespace {

void begin_behind(storage::SortRange& range, std::string_view sort, storage::Direction direction,
                  Arena& arena) {
  if (direction == storage::Direction::Backward) {
    range.upper = sort;
    return;
  }
  std::string behind(sort);
  behind.push_back('\0');
  range.lower = arena.copy(std::string_view(behind));
}

Error wrong_segment(const Segment& segment) {
  return invalid_start_key(Error::validation(
      "Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. "
      "TotalSegments: " +
      std::to_string(segment.total) + " Segment: " + std::to_string(segment.number)));
}

// The sort bytes where the range is entered. After its end no sort key begins with two such bytes.
std::string_view first_sort(const storage::SortRange& range, storage::Direction direction) {
  if (direction == storage::Direction::Forward) return range.lower;
  return range.upper.empty() ? std::string_view("\xFF\xFF") : range.upper;
}

// The throughput state, with all changes due by `now` applied; nullptr if nothing is counted. Local
// indexes share the table's partitions.
const capacity::ThroughputState* throughput_of(const ReadTarget& target, Timestamp now) {
  const auto& runtime = target.global != nullptr ? target.global->runtime : target.table->runtime;
  if (runtime->throughput != nullptr) runtime->throughput->settle(now);
  return runtime->throughput.get();
}

// For a forward Scan: the current partitions, or those that the description implies if nothing is
// counted.
void find_partitions(const ReadTarget& target, Timestamp now, Arena& arena, ScanRange& walk) {
  if (const capacity::ThroughputState* state = throughput_of(target, now)) {
    for (const capacity::Position& begin :
         state->partitions().begins_from(walk.begin, {walk.end.hash, std::string(walk.end.sort)}))
      walk.partition_begins.push_back({begin.hash, arena.copy(std::string_view(begin.sort))});
    return;
  }
  const std::uint32_t count = partition_count(*target.table, target.global);
  for (std::uint32_t i = partition_of(walk.begin.hash, count); i < count; ++i)
    walk.partition_begins.push_back({.hash = partition_begin(i, count)});
}

// For a Query: one partition, unless its collection is divided.
void find_partitions_of_collection(const ReadTarget& target, const storage::SortRange& range,
                                   Timestamp now, Arena& arena, ScanRange& walk) {
  const capacity::ThroughputState* state = throughput_of(target, now);
  if (state == nullptr || !state->partitions().has_divided()) return;
  const std::uint32_t hash = storage::partition_hash(walk.partition);
  const capacity::Place low{.hash = hash, .sort = range.lower};
  const capacity::Place high = range.upper.empty()
                                   ? capacity::Place{.hash = hash + 1}
                                   : capacity::Place{.hash = hash, .sort = range.upper};
  const bool is_backward = walk.direction == storage::Direction::Backward;
  walk.begin.hash = hash;
  walk.end = is_backward ? low : high;
  for (const capacity::Position& begin :
       state->partitions().begins_from(low, {high.hash, std::string(high.sort)}))
    walk.partition_begins.push_back({begin.hash, arena.copy(std::string_view(begin.sort))});
  if (!is_backward) return;
  std::reverse(walk.partition_begins.begin(), walk.partition_begins.end());
  // The range's end may be where the next partition begins.
  walk.begin.sort = walk.partition_begins.front().sort;
}

struct PlannedWalk {
  const ReadTarget& target;
  const ReadPlan& plan;
  const ScanRange& walk;
};

// Asks at the start for the minimum cost of a page, and charges the real cost at the end.
Result<Page> charged_walk(const PlannedWalk& planned, storage::RecordCursor& cursor,
                          const Snapshot& snapshot, Call& call, RecordSink& sink) {
  const auto& [target, plan, walk] = planned;
  call.walked.way = walk.partition.empty() ? ReadStats::ReadKind::Scan : ReadStats::ReadKind::Query;
  call.walked.index_name = plan.index_name.value_or("");
  const std::int64_t least_milli = read_units_milli(0, plan.is_consistent);
  const Charge first = charge_of_page(target, walk, least_milli);
  if (auto throttled = call.charging.begin({*target.table, {&first, 1}}, capacity::Dimension::Read,
                                           snapshot.now()))
    return std::move(*throttled);
  STATOR_TRY(Page page, walk_page(target, plan, walk, cursor, snapshot, call, sink));
  call.walked.items_scanned += page.scanned_count;
  call.walked.items_matched += page.count;
  call.walked.size_bytes += static_cast<std::int64_t>(page.size_bytes);
  call.walked.end = page.end;
  ++call.walked.pages;
  call.charging.end({*target.table, page.charges}, capacity::Dimension::Read, snapshot.now());
  return page;
}

}  // namespace

Result<Page> query_page(const Table& table, const QueryPlan& plan, const Snapshot& snapshot,
                        Call& call, RecordSink& sink) {
  const ReadPlan& read = plan.read;
  Arena& arena = call.arena;
  auto found = find_read_target(table, read.index_name, read.is_consistent, snapshot.now());
  STATOR_CHECK(check_old_count(plan.conditions, found && found->has_many_keys(), call.wording));
  STATOR_TRY(const ReadTarget target, std::move(found));
  STATOR_TRY(KeyRange range, key_range(target, plan.conditions, call.wording, arena));
  if (read.start_key) {
    STATOR_CHECK(check_query_start_key(target, *read.start_key));
    const storage::StoreKey place = store_key(target, *read.start_key, arena);
    STATOR_CHECK(check_start_in_range(target, range, place));
    begin_behind(range.sort, place.sort, plan.direction, arena);
  }
  STATOR_CHECK(check_paths(target, plan));
  storage::RecordCursor cursor(snapshot.transaction(), target.space());
  STATOR_CHECK(cursor.seek_range(range.partition, range.sort, plan.direction));
  ScanRange walk{.begin = {.sort = first_sort(range.sort, plan.direction)},
                 .direction = plan.direction,
                 .is_one_item = range.is_one_item,
                 .partition = range.partition};
  find_partitions_of_collection(target, range.sort, snapshot.now(), arena, walk);
  return charged_walk({target, read, walk}, cursor, snapshot, call, sink);
}

Result<Page> scan_page(const Table& table, const ScanPlan& plan, const Snapshot& snapshot,
                       Call& call, RecordSink& sink) {
  const ReadPlan& read = plan.read;
  STATOR_TRY(const ReadTarget target,
             find_read_target(table, read.index_name, read.is_consistent, snapshot.now()));
  ScanRange walk{.begin = {.hash = plan.segment.begin()}, .end = {.hash = plan.segment.end()}};
  storage::RecordCursor cursor(snapshot.transaction(), target.space());
  std::optional<storage::StoreKey> start;
  if (read.start_key) {
    STATOR_CHECK(check_scan_start_key(target, *read.start_key, call.wording));
    start = store_key(target, *read.start_key, call.arena);
    const std::uint32_t hash = storage::partition_hash(start->partition);
    if (hash < walk.begin.hash || hash >= walk.end.hash) return wrong_segment(plan.segment);
    walk.begin = {.hash = hash, .sort = start->sort};
  }
  STATOR_CHECK(check_paths(target, read));
  STATOR_CHECK(start ? cursor.seek_after(*start) : cursor.seek_hash(walk.begin.hash));
  find_partitions(target, snapshot.now(), call.arena, walk);
  return charged_walk({target, read, walk}, cursor, snapshot, call, sink);
}

}  // namespace stator
