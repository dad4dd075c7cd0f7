#include "engine/pages/page.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/items/key_paths.h"
#include "engine/pages/key_range.h"
#include "engine/pages/page_walk.h"
#include "engine/pages/start_position.h"
#include "engine/schema/partitions.h"
#include "engine/storage/item_store.h"

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

Result<void> check_paths(const ReadTarget& target, const QueryPlan& plan) {
  const ReadPlan& read = plan.read;
  STATOR_CHECK(check_key_paths(*target.table, read.projection));
  for (const auto keys : {target.partition_keys(), target.sort_keys()}) {
    for (const KeyAttribute& key : keys) {
      const bool is_filtered =
          std::any_of(read.filter_paths.begin(), read.filter_paths.end(),
                      [&](const expr::Path& path) { return path.front().name == key.name; });
      if (!is_filtered || plan.may_filter_keys) continue;
      return Error::validation(
          std::string(plan.is_legacy_filter ? "QueryFilter" : "Filter Expression") +
          " can only contain non-primary key attributes: Primary key attribute: " + key.name);
    }
  }
  STATOR_CHECK(check_selected(target, read));
  STATOR_CHECK(check_key_paths(*target.table, read.filter_paths));
  return check_filter_carried(target, plan);
}

Error wrong_segment(const Segment& segment) {
  return Error::validation(
      "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use "
      "ExclusiveStartKey with correct Segment. TotalSegments: " +
      std::to_string(segment.total) + " Segment: " + std::to_string(segment.number));
}

Result<void> check_paths(const ReadTarget& target, const ReadPlan& read) {
  STATOR_CHECK(check_selected(target, read));
  STATOR_CHECK(check_key_paths(*target.table, read.projection));
  return check_key_paths(*target.table, read.filter_paths);
}

// Where the range is entered. Behind its end no sort key begins with two such bytes.
std::string_view first_sort(const storage::SortRange& range, storage::Direction direction) {
  if (direction == storage::Direction::Forward) return range.lower;
  return range.upper.empty() ? std::string_view("\xFF\xFF") : range.upper;
}

// By the description, which a restart keeps, and not as the throughput's partitions are at the
// moment, which it does not.
std::vector<std::uint32_t> partition_begins(const ReadTarget& target) {
  const std::uint32_t count = partition_count(*target.table, target.global);
  std::vector<std::uint32_t> begins(count);
  for (std::uint32_t i = 0; i < count; ++i) begins[i] = partition_begin(i, count);
  return begins;
}

struct PlannedWalk {
  const ReadTarget& target;
  const ReadPlan& plan;
  const HashWalk& walk;
};

// Asked for where it begins, by the least that a page costs, and charged for what it cost.
Result<Page> charged_walk(const PlannedWalk& planned, storage::RecordCursor& cursor,
                          const Snapshot& snapshot, Call& call, RecordSink& sink) {
  const auto& [target, plan, walk] = planned;
  call.walked.way = walk.partition.empty() ? Walked::Way::Scan : Walked::Way::Query;
  call.walked.index_name = plan.index_name.value_or("");
  const std::int64_t least_milli = read_units_milli(0, plan.is_consistent);
  const Charge first = charge_of_page(target, walk, least_milli);
  if (auto throttled = call.charging.begin({*target.table, {&first, 1}}, capacity::Dimension::Read,
                                           snapshot.now()))
    return std::move(*throttled);
  STATOR_TRY(Page page, walk_page(target, plan, walk, cursor, snapshot, call.work, sink));
  call.walked.items_looked_at += page.scanned_count;
  call.walked.items_matched += page.count;
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
  const HashWalk walk{.is_one_item = range.is_one_item,
                      .partition = range.partition,
                      .sort = first_sort(range.sort, plan.direction)};
  return charged_walk({target, read, walk}, cursor, snapshot, call, sink);
}

Result<Page> scan_page(const Table& table, const ScanPlan& plan, const Snapshot& snapshot,
                       Call& call, RecordSink& sink) {
  const ReadPlan& read = plan.read;
  STATOR_TRY(const ReadTarget target,
             find_read_target(table, read.index_name, read.is_consistent, snapshot.now()));
  HashWalk walk{.begin = plan.segment.begin(),
                .end = plan.segment.end(),
                .partition_begins = partition_begins(target)};
  storage::RecordCursor cursor(snapshot.transaction(), target.space());
  std::optional<storage::StoreKey> start;
  if (read.start_key) {
    STATOR_CHECK(check_scan_start_key(target, *read.start_key));
    start = store_key(target, *read.start_key, call.arena);
    const std::uint32_t hash = storage::partition_hash(start->partition);
    if (hash < walk.begin || hash >= walk.end) return wrong_segment(plan.segment);
    walk.begin = hash;
  }
  STATOR_CHECK(check_paths(target, read));
  STATOR_CHECK(start ? cursor.seek_after(*start) : cursor.seek_hash(walk.begin));
  return charged_walk({target, read, walk}, cursor, snapshot, call, sink);
}

}  // namespace stator
