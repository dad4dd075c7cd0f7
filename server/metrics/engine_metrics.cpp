// Metrics of the engine: commits, tables, time to live, streams, the clock.
#include <utility>

#include "engine/api/engine.h"
#include "engine/reports/figures.h"
#include "server/metrics/sources.h"

namespace stator {

Result<void> add_commits(const MetricInputs& measured, const Snapshot& /*snapshot*/,
                         MetricPage& page) {
  const Engine::CommitCounters counters = measured.engine.commit_counters();
  page.add(MetricFamily::counter("stator_commit_batches_total",
                                 "Batches of writes that were committed, each by one transaction."),
           counters.batches);
  page.add(MetricFamily::counter("stator_commit_failed_batches_total",
                                 "Batches that could not be stored."),
           counters.failed_batches);
  page.add(MetricFamily::counter("stator_commit_jobs_total",
                                 "Writes in those batches, and pieces of what is done unasked."),
           counters.jobs);
  page.add(MetricFamily::counter("stator_commit_seconds_total",
                                 "Time spent on those batches, fsync included."),
           std::chrono::duration<double>(counters.working).count());
  return {};
}

Result<void> add_tables(const MetricInputs& measured, const Snapshot& snapshot, MetricPage& page) {
  STATOR_TRY(const auto figures, space_figures(snapshot, measured.settings.isolation));
  // Indexes have their own families, so that a sum over tables counts each item once.
  const auto add = [&](bool is_of_indexes, MetricFamily family, auto member) {
    for (const TableStats& space : figures) {
      if (space.index.empty() == is_of_indexes) continue;
      family.add(static_cast<double>(space.stats.*member), {{"region", space.label.region},
                                                            {"access_key", space.label.access_key},
                                                            {"table", space.label.table},
                                                            {"index", space.index}});
    }
    page.add(std::move(family));
  };
  add(false, MetricFamily::gauge("stator_table_items", "Items of a table."),
      &SpaceStats::item_count);
  add(false, MetricFamily::gauge("stator_table_size_bytes", "Size of a table's items."),
      &SpaceStats::size_bytes);
  add(true, MetricFamily::gauge("stator_index_items", "Items in a secondary index."),
      &SpaceStats::item_count);
  add(true, MetricFamily::gauge("stator_index_size_bytes", "Size of the items in an index."),
      &SpaceStats::size_bytes);
  return {};
}

Result<void> add_expiry(const MetricInputs& measured, const Snapshot& snapshot, MetricPage& page) {
  STATOR_TRY(const auto figures, expiry_figures(snapshot, measured.settings.isolation));
  auto lag = MetricFamily::gauge("stator_ttl_lag_seconds",
                                 "How long ago the oldest item expired that is not deleted yet, of "
                                 "a table with time to live.");
  auto deleted =
      MetricFamily::counter("stator_ttl_deleted_items_total", "Items that time to live deleted.");
  for (const ExpiryFigures& table : figures) {
    const MetricFamily::Labels labels{{"region", table.label.region},
                                      {"access_key", table.label.access_key},
                                      {"table", table.label.table}};
    lag.add(table.lag, labels);
    deleted.add(table.deleted, labels);
  }
  page.add(std::move(lag));
  page.add(std::move(deleted));
  return {};
}

Result<void> add_streams(const MetricInputs& measured, const Snapshot& snapshot, MetricPage& page) {
  STATOR_TRY(const auto figures, stream_figures(snapshot, measured.settings.isolation));
  page.add(MetricFamily::gauge("stator_streams", "Streams, disabled ones with records included."),
           std::uint64_t{figures.streams});
  page.add(
      MetricFamily::gauge("stator_stream_records_bytes", "What the records of all streams occupy."),
      figures.journal_bytes);
  page.add(MetricFamily::gauge("stator_stream_records_limit_bytes", "--stream-max-bytes."),
           measured.settings.streams.bytes_max);
  auto age = MetricFamily::gauge("stator_stream_oldest_record_age_seconds",
                                 "Age of the oldest record in the streams of a table.");
  for (const StreamFigures& table : figures.tables) {
    age.add(table.oldest_record_age, {{"region", table.label.region},
                                      {"access_key", table.label.access_key},
                                      {"table", table.label.table}});
  }
  page.add(std::move(age));
  return {};
}

Result<void> add_clock(const MetricInputs& measured, const Snapshot& /*snapshot*/,
                       MetricPage& page) {
  const Timestamp system = measured.system_clock.now();
  page.add(MetricFamily::gauge("stator_clock_offset_seconds",
                               "How far the engine's clock is ahead of the system's."),
           std::chrono::microseconds(measured.engine.clock().now().unix_us - system.unix_us));
  return {};
}

}  // namespace stator
