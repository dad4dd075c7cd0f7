#include "engine/reports/views/mark_changes.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "engine/catalog/mark_state.h"
#include "engine/reports/reported_key.h"
#include "engine/reports/views/mark_walk.h"
#include "engine/state/snapshot.h"
#include "engine/storage/environment/undo_log.h"
#include "engine/storage/records/item_codec.h"

namespace stator {
namespace {

std::optional<std::string> image_json(const std::optional<std::string_view>& record) {
  if (!record) return std::nullopt;
  std::string json;
  storage::EncodedItem(*record).append_json(json);
  return json;
}

// The numbers of marks from `first` on.
std::vector<std::uint32_t> numbers_from(const std::vector<storage::Mark>& marks,
                                        std::size_t first) {
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = first; i < marks.size(); ++i) numbers.push_back(marks[i].number);
  return numbers;
}

Result<void> collect_items(MarkWalk& walk, const MarkChangesQuery& query, MarkChanges& changes) {
  std::size_t records = 0;
  std::size_t bytes = 0;
  const auto add = [&](const ChangedItem& item) {
    Arena arena;
    bytes += item.was.value_or("").size() + item.is.value_or("").size();
    changes.items.push_back({item.label,
                             item_key_json(item.table, item.is ? *item.is : *item.was, arena),
                             image_json(item.was), image_json(item.is)});
  };
  STATOR_TRY(changes.next, walk.items(query.after, add, [&] {
    return ++records < kMarkRecordsMax && bytes < kMarkItemBytesMax &&
           changes.items.size() < query.items_max;
  }));
  return {};
}

// Counts items with a scope's marks; `records_left` are those that may still be read.
Result<void> count_items(const Snapshot& snapshot, const MarkWalk::Scope& scope,
                         StopCondition& stop_condition, std::size_t& records_left,
                         MarkFigures& figures) {
  if (records_left == 0) {
    figures.has_more = true;
    return {};
  }
  std::map<TableLabel, MarkFigures::TableItems> tables;
  MarkWalk walk(snapshot, scope, stop_condition);
  const auto count = [&](const ChangedItem& item) {
    MarkFigures::TableItems& table = tables[item.label];
    ++(item.is ? table.put : table.deleted);
  };
  STATOR_TRY(const std::string next, walk.items({}, count, [&] { return --records_left > 0; }));
  figures.has_more = figures.has_more || !next.empty() || walk.is_stopped();
  for (auto& [label, items] : tables) {
    items.label = label;
    figures.tables.push_back(std::move(items));
  }
  return {};
}

}  // namespace

Result<std::optional<MarkChanges>> mark_changes(const Snapshot& snapshot,
                                                const MarkChangesQuery& query,
                                                StopCondition& stop_condition) {
  STATOR_TRY(const auto marks, storage::all_marks(snapshot.transaction()));
  const auto named = std::find_if(marks.begin(), marks.end(), [&](const storage::Mark& mark) {
    return mark.name == query.mark;
  });
  if (named == marks.end()) return std::optional<MarkChanges>();
  STATOR_TRY(const MarkState state, decode_mark_state(named->state));
  MarkChanges changes;
  changes.made = state.made;
  const auto numbers = numbers_from(marks, static_cast<std::size_t>(named - marks.begin()));
  const MarkWalk::Scope scope{query.isolation, query.is_meant, numbers};
  MarkWalk walk(snapshot, scope, stop_condition);
  if (query.after.empty()) {
    STATOR_CHECK(walk.tables([&](const TableLabel& label, TableChangeKind kind) {
      changes.tables.push_back({label, kind});
      return changes.tables.size() < kTableChangesMax;
    }));
  }
  if (!walk.is_stopped()) STATOR_CHECK(collect_items(walk, query, changes));
  changes.is_stopped = walk.is_stopped();
  return std::optional(std::move(changes));
}

Result<std::vector<MarkFigures>> mark_figures(const Snapshot& snapshot, Isolation isolation,
                                              StopCondition& stop_condition) {
  STATOR_TRY(const auto marks, storage::all_marks(snapshot.transaction()));
  std::size_t records_left = kMarkRecordsMax;
  std::vector<MarkFigures> all;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    MarkFigures& figures = all.emplace_back();
    figures.name = marks[i].name;
    STATOR_TRY(const MarkState state, decode_mark_state(marks[i].state));
    figures.made = state.made;
    STATOR_TRY(const auto size,
               storage::undo_size(snapshot.transaction(), marks[i].number, kMarkRecordsMax));
    figures.records = size.records;
    figures.bytes = size.bytes;
    figures.has_more = size.has_more;
    const auto numbers = numbers_from(marks, i);
    const auto is_meant = [](const TableLabel&) { return true; };
    STATOR_CHECK(count_items(snapshot, {isolation, is_meant, numbers}, stop_condition, records_left,
                             figures));
  }
  return all;
}

}  // namespace stator
