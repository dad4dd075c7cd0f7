#include "engine/reports/views/due_events.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/catalog/catalog.h"
#include "engine/catalog/consumers.h"
#include "engine/reports/visible_tables.h"
#include "engine/schema/expiry.h"
#include "engine/seams/movable_clock.h"
#include "engine/state/in_flight_transactions.h"
#include "engine/state/snapshot.h"
#include "engine/storage/stores/expiries.h"
#include "engine/storage/stores/journal.h"
#include "engine/storage/stores/stream_store.h"
#include "engine/throughput/throughput_state.h"
#include "protocol/text/shown_number.h"

namespace stator {
namespace {

bool is_earlier(const DueEvent& a, const DueEvent& b) {
  return std::tie(a.time, a.label, a.index, a.what) < std::tie(b.time, b.label, b.index, b.what);
}

std::string counted(std::uint64_t number, std::string_view noun, std::string_view verb) {
  return grouped(number) + " " + std::string(noun) + (number == 1 ? " " : "s ") +
         std::string(verb) + (number == 1 ? "s" : "");
}

std::string enabled_or_not(std::string_view subject, bool is_enabled) {
  return std::string(subject) + (is_enabled ? " ENABLED" : " DISABLED");
}

std::string units_text(std::string_view subject, const Throughput& to) {
  return std::string(subject) + " to " + grouped(static_cast<std::uint64_t>(to.read_units)) +
         " read and " + grouped(static_cast<std::uint64_t>(to.write_units)) + " write units";
}

// Collects the first events by time.
class DueList {
 public:
  DueList(Timestamp now, Timestamp until, std::size_t count_max)
      : now_(now), until_(std::min(until, MovableClock::kEnd)), count_max_(count_max) {}

  Timestamp now() const { return now_; }
  bool is_asked(Timestamp time) const { return time <= until_; }

  // What is overdue happens now.
  void add(DueEvent event) {
    event.time = std::max(event.time, now_);
    if (!is_asked(event.time)) return;
    events_.push_back(std::move(event));
    std::push_heap(events_.begin(), events_.end(), is_earlier);
    if (events_.size() <= count_max_) return;
    std::pop_heap(events_.begin(), events_.end(), is_earlier);
    events_.pop_back();
    has_more_ = true;
  }
  // A state that is reached at `time`; no-op if it was reached.
  void add_state(Timestamp time, DueKind kind, const TableLabel& label, const std::string& index,
                 std::string what) {
    if (time > now_) add({time, kind, label, index, std::move(what)});
  }

  // Takes one entry of those that may be counted.
  bool may_count() {
    if (entries_left_ == 0) {
      has_more_ = true;
      return false;
    }
    --entries_left_;
    return true;
  }

  DueEvents finish() && {
    std::sort_heap(events_.begin(), events_.end(), is_earlier);
    return {std::move(events_), has_more_};
  }

 private:
  const Timestamp now_;
  const Timestamp until_;
  const std::size_t count_max_;
  std::size_t entries_left_ = kDueEntriesMax;
  std::vector<DueEvent> events_;  // a heap, the last event on top
  bool has_more_ = false;
};

void add_insights(DueList& list, const std::optional<ContributorInsights>& insights,
                  const TableLabel& label, const std::string& index) {
  if (!insights) return;
  list.add_state(insights->changing_until, DueKind::Table, label, index,
                 enabled_or_not("contributor insights become", insights->is_enabled));
}

// States of the table and its settings.
void add_states(DueList& list, const Table& table, const TableLabel& label) {
  const auto add = [&](Timestamp time, DueKind kind, std::string what) {
    list.add_state(time, kind, label, {}, std::move(what));
  };
  add(table.creating_until, DueKind::Table, "the table becomes ACTIVE");
  add(table.updating_until, DueKind::Table, "the table becomes ACTIVE with its new settings");
  if (table.stream) {
    add(table.stream->changing_until, DueKind::Stream,
        enabled_or_not("the stream becomes", table.stream->is_enabled));
  }
  if (table.time_to_live) {
    add(table.time_to_live->changing_until, DueKind::Table,
        enabled_or_not("time to live becomes", table.time_to_live->is_enabled));
  }
  if (table.encryption)
    add(table.encryption->updating_until, DueKind::Table, "the new encryption is in force");
  const auto add_policy = [&](DueKind kind, const std::optional<ResourcePolicy>& policy) {
    if (policy && policy->former)
      add(policy->former->until, kind, "the change of the resource policy is in force");
  };
  add_policy(DueKind::Table, table.policy);
  if (table.stream) add_policy(DueKind::Stream, table.stream->policy);
  for (const KinesisDestination& destination : table.kinesis) {
    if (destination.state == KinesisState::Enabling) continue;  // not decided by time
    add(destination.changing_until, DueKind::Stream,
        "the Kinesis destination becomes " +
            std::string(destination.status(destination.changing_until)));
  }
  add_insights(list, table.insights, label, {});
}

void add_index_states(DueList& list, const GlobalIndex& index, const TableLabel& label) {
  const auto add = [&](Timestamp time, DueKind kind, std::string what) {
    list.add_state(time, kind, label, index.name, std::move(what));
  };
  if (index.deleting_until) {
    add(*index.deleting_until, DueKind::Removal, "the index is removed");
    return;
  }
  if (index.build)
    add(index.build->allocating_until, DueKind::Index, "the index begins to be filled");
  add(index.updating_until, DueKind::Index, "the index becomes ACTIVE with its new settings");
  add_insights(list, index.insights, label, index.name);
}

void add_throughput(DueList& list, const TableRuntime& runtime, const TableLabel& label,
                    const std::string& index) {
  if (runtime.throughput == nullptr) return;
  const capacity::ThroughputReport report = runtime.throughput->report(list.now());
  const auto add = [&](Timestamp time, DueKind kind, std::string what) {
    list.add({time, kind, label, index, std::move(what)});
  };
  for (const capacity::PartitionSplit& split : report.splits_due)
    add(split.at, DueKind::Split, "a partition is split");
  for (const capacity::ScheduledThroughput& growth : report.growths_due)
    add(growth.at, DueKind::Growth, units_text("throughput on demand grows", growth.to));
  if (report.warming) {
    add(report.warming->at, DueKind::Growth,
        units_text("warm throughput grows", report.warming->to));
  }
}

// Whole intervals, as the sweep has them (engine/maintenance/chores/expiry_sweep.cpp).
Timestamp next_sweep_after(Timestamp sweep, std::chrono::microseconds interval) {
  return {(sweep.unix_us / interval.count() + 1) * interval.count()};
}

// One event for each sweep that deletes items, up to kExpiryEventsMax.
Result<void> add_expiries(DueList& list, const Snapshot& snapshot, const Settings& settings,
                          const Table& table, const TableLabel& label) {
  const TimeToLive* const expiry = table.expiry();
  if (expiry == nullptr || settings.ttl_sweep_interval.count() == 0) return {};
  // Its items' times are not all known yet.
  if (expiry->build)
    list.add({list.now(), DueKind::Ttl, label, {}, "the times of the items are read"});
  const ExpiryWindow window = ExpiryWindow::at(list.now(), settings.ttl_delay);
  STATOR_TRY(auto met,
             storage::first_expiry(snapshot.transaction(), expiry->space, window.first_s));
  std::vector<DueEvent> sweeps;
  bool is_last = false;
  while (met) {
    const Timestamp ripe = std::max(
        {ExpiryWindow::begin(met->due_s, settings.ttl_delay), expiry->changing_until, list.now()});
    if (!list.is_asked(ripe)) break;
    if (sweeps.empty()) {
      sweeps.push_back({ripe, DueKind::Ttl, label, {}, {}, 0});
    } else if (ripe > sweeps.back().time && !is_last) {
      const Timestamp next = next_sweep_after(sweeps.back().time, settings.ttl_sweep_interval);
      sweeps.push_back({std::max(ripe, next), DueKind::Ttl, label, {}, {}, 0});
    }
    is_last = sweeps.size() == kExpiryEventsMax;
    if (!list.may_count()) break;
    ++*sweeps.back().count;
    STATOR_TRY(met, storage::next_expiry(snapshot.transaction(), *met));
  }
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    const bool is_rest = i + 1 == kExpiryEventsMax;
    if (sweeps[i].count == 0) sweeps[i].count.reset();
    const std::string what =
        sweeps[i].count ? counted(*sweeps[i].count, "item", "expire") : "items expire";
    sweeps[i].what = what + (is_rest ? ", from then on" : "");
    list.add(std::move(sweeps[i]));
  }
  return {};
}

// Journal entries from `position` on, as many as may be counted.
Result<std::uint64_t> count_changes(DueList& list, const Snapshot& snapshot, storage::SpaceId table,
                                    std::uint64_t position) {
  storage::JournalCursor journal(snapshot.transaction(), table);
  STATOR_CHECK(journal.seek(position));
  std::uint64_t count = 0;
  while (journal.entry() && list.may_count()) {
    ++count;
    STATOR_CHECK(journal.next());
  }
  return count;
}

Result<std::optional<Timestamp>> first_change_time(const Snapshot& snapshot,
                                                   const storage::Consumer& consumer) {
  STATOR_TRY(const auto first,
             storage::find_in_journal(snapshot.transaction(), consumer.table, consumer.position));
  if (!first) return std::optional<Timestamp>();
  STATOR_TRY(const auto entry, storage::decode_journal_entry(first->bytes));
  return std::optional(entry.written.time);
}

std::string counted_changes(std::uint64_t count) {
  return grouped(count) + (count == 1 ? " change reaches" : " changes begin to reach") +
         " the index";
}

Result<void> add_late_changes(DueList& list, const Snapshot& snapshot, const Settings& settings,
                              const storage::Consumer& consumer, storage::SpaceId space) {
  const Table* const table = snapshot.catalog().find(space);
  const GlobalIndex* const index = table == nullptr ? nullptr : table->find_global_index(space);
  if (index == nullptr || table->status(list.now()) == TableStatus::Gone) return {};
  const auto label = label_of(table->scope, table->region, table->name, settings.isolation);
  if (!label) return {};
  STATOR_TRY(const auto written, first_change_time(snapshot, consumer));
  if (!written) return {};
  STATOR_TRY(const std::uint64_t count,
             count_changes(list, snapshot, consumer.table, consumer.position));
  DueEvent event{written->plus(settings.gsi_delay), DueKind::Index, *label, index->name,
                 "changes begin to reach the index"};
  if (count > 0) {
    event.count = count;
    event.what = counted_changes(count);
  }
  list.add(std::move(event));
  return {};
}

// The shards that are replaced first.
Result<void> add_rollover(DueList& list, const Snapshot& snapshot, const StreamLimits& limits,
                          const Stream& stream, const TableLabel& label) {
  if (limits.rollover_after.count() == 0) return {};
  std::optional<Timestamp> due;
  std::uint64_t count = 0;
  for (const std::string& id : stream.open_shards) {
    STATOR_TRY(const auto shard, storage::find_shard(snapshot.transaction(), stream.number, id));
    if (!shard) continue;
    const Timestamp time = shard->opened.plus(limits.rollover_after);
    if (due && time > *due) continue;
    count = due == time ? count + 1 : 1;
    due = time;
  }
  if (due) {
    list.add({*due,
              DueKind::Stream,
              label,
              {},
              grouped(count) + (count == 1 ? " shard is" : " shards are") + " replaced",
              count});
  }
  return {};
}

Result<void> add_stream(DueList& list, const Snapshot& snapshot, const Settings& settings,
                        const storage::Consumer& consumer, std::uint64_t number) {
  STATOR_TRY(const auto stream, storage::find_stream(snapshot.transaction(), number));
  if (!stream) return {};
  const auto label =
      label_of(stream->scope, stream->region, stream->table_name, settings.isolation);
  if (!label) return {};
  const StreamLimits& limits = settings.streams;
  if (stream->closed) {
    list.add({stream->closed->plus(limits.retention),
              DueKind::Removal,
              *label,
              {},
              "the disabled stream is removed"});
  } else {
    STATOR_CHECK(add_rollover(list, snapshot, limits, *stream, *label));
  }
  STATOR_TRY(const auto written, first_change_time(snapshot, consumer));
  if (written) {
    list.add({written->plus(limits.retention),
              DueKind::Stream,
              *label,
              {},
              "the oldest records of the stream are removed"});
  }
  return {};
}

Result<void> add_consumers(DueList& list, const Snapshot& snapshot, const Settings& settings,
                           StopCondition& stop_condition) {
  STATOR_TRY(const auto consumers, storage::all_consumers(snapshot.transaction()));
  for (const storage::Consumer& consumer : consumers) {
    if (stop_condition.should_stop()) return {};
    if (const auto index = late_index_of(consumer.name))
      STATOR_CHECK(add_late_changes(list, snapshot, settings, consumer, *index));
    if (const auto stream = stream_of(consumer.name))
      STATOR_CHECK(add_stream(list, snapshot, settings, consumer, *stream));
  }
  return {};
}

void add_flights(DueList& list, const Snapshot& snapshot, Isolation isolation,
                 std::size_t count_max) {
  for (const FlightInfo& flight : snapshot.flights(count_max)) {
    if (flight.items.empty()) continue;
    const Table* const table = snapshot.catalog().find(flight.items.front().table);
    if (table == nullptr) continue;
    const auto label = label_of(table->scope, table->region, table->name, isolation);
    if (!label) continue;
    const std::uint64_t count = flight.items.size();
    list.add(
        {flight.due,
         DueKind::Transaction,
         *label,
         {},
         "a transaction on " + grouped(count) + (count == 1 ? " item" : " items") + " is committed",
         count});
  }
}

}  // namespace

std::string_view to_text(DueKind kind) {
  constexpr std::string_view kTexts[] = {"table", "index", "removal", "stream",
                                         "ttl",   "split", "growth",  "transaction"};
  return kTexts[static_cast<std::size_t>(kind)];
}

Result<DueEvents> due_events(const Snapshot& snapshot, const Settings& settings, Timestamp until,
                             std::size_t count_max, StopCondition& stop_condition) {
  DueList list(snapshot.now(), until, count_max);
  bool is_stopped = false;
  const auto add_table = [&](const Table& table, const TableLabel& label) -> Result<void> {
    is_stopped = is_stopped || stop_condition.should_stop();
    if (is_stopped) return {};
    if (table.deleting_until) {
      list.add({*table.deleting_until, DueKind::Removal, label, {}, "the table is removed"});
      return {};
    }
    add_states(list, table, label);
    add_throughput(list, *table.runtime, label, {});
    for (const GlobalIndex& index : table.global_indexes) {
      if (index.status(list.now()) == TableStatus::Gone) continue;
      add_index_states(list, index, label);
      add_throughput(list, *index.runtime, label, index.name);
    }
    return add_expiries(list, snapshot, settings, table, label);
  };
  add_flights(list, snapshot, settings.isolation, count_max);
  STATOR_CHECK(for_each_visible_table(snapshot, settings.isolation, add_table));
  STATOR_CHECK(add_consumers(list, snapshot, settings, stop_condition));
  DueEvents found = std::move(list).finish();
  found.is_stopped = is_stopped || stop_condition.should_stop();
  return found;
}

}  // namespace stator
