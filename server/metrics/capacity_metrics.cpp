// Metrics of throughput: what was consumed, and what was throttled or should have been.
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "engine/throughput_figures.h"
#include "server/metrics/sources.h"

namespace stator {

namespace {

using capacity::Dimension;

constexpr std::pair<Dimension, std::string_view> kDimensions[] = {{Dimension::Read, "read"},
                                                                  {Dimension::Write, "write"}};

struct Reported {
  const ThroughputFigures& figures;
  capacity::ThroughputReport report;
};

void add_consumed(const std::vector<Reported>& all, MetricPage& page) {
  auto consumed = MetricFamily::counter("stator_consumed_capacity_units_total",
                                        "Units consumed of a table, or of a global index.");
  for (const auto& [figures, report] : all) {
    for (const auto& [dimension, text] : kDimensions) {
      const auto& side = report.sides[static_cast<std::size_t>(dimension)];
      consumed.add(static_cast<double>(side.consumed_milli) / kMilliPerUnit,
                   {{"region", figures.label.region},
                    {"access_key", figures.label.access_key},
                    {"table", figures.label.table},
                    {"index", figures.index},
                    {"dimension", text}});
    }
  }
  page.add(std::move(consumed));
}

void add_throttled(const std::vector<Reported>& all, MetricPage& page) {
  auto throttled = MetricFamily::counter("stator_throttled_requests_total",
                                         "Reads and writes beyond the throughput of a table or a "
                                         "global index, refused or only observed.");
  for (const auto& [figures, report] : all) {
    for (const auto& [dimension, text] : kDimensions) {
      const auto& refused = report.sides[static_cast<std::size_t>(dimension)].refused;
      for (std::size_t i = 0; i < refused.size(); ++i) {
        if (refused[i] == 0) continue;
        const capacity::ThrottlingReason reason{!figures.index.empty(), dimension,
                                                static_cast<capacity::Limit>(i)};
        throttled.add(refused[i], {{"region", figures.label.region},
                                   {"access_key", figures.label.access_key},
                                   {"table", figures.label.table},
                                   {"index", figures.index},
                                   {"reason", to_text(reason)}});
      }
    }
  }
  page.add(std::move(throttled));
}

void add_limited_changes(const std::vector<Reported>& all, MetricPage& page) {
  auto limited = MetricFamily::counter("stator_limited_changes_total",
                                       "Changes of throughput that came too soon, refused or only "
                                       "observed.");
  for (const auto& [figures, report] : all) {
    for (const LimitedChange change : {LimitedChange::Decrease, LimitedChange::OnDemandSwitch}) {
      const std::uint64_t number = limited_changes(figures, change);
      if (number == 0) continue;
      limited.add(number, {{"region", figures.label.region},
                           {"access_key", figures.label.access_key},
                           {"table", figures.label.table},
                           {"index", figures.index},
                           {"change", to_text(change)}});
    }
  }
  page.add(std::move(limited));
}

void add_partitions(const std::vector<Reported>& all, MetricPage& page) {
  auto partitions =
      MetricFamily::gauge("stator_partitions", "Partitions of a table, or of a global index.");
  for (const auto& [figures, report] : all) {
    partitions.add(static_cast<double>(report.partitions.size()),
                   {{"region", figures.label.region},
                    {"access_key", figures.label.access_key},
                    {"table", figures.label.table},
                    {"index", figures.index}});
  }
  page.add(std::move(partitions));
}

}  // namespace

Result<void> add_throughput(const Measured& measured, const Snapshot& snapshot, MetricPage& page) {
  STATOR_TRY(const auto figures, throughput_figures(snapshot, measured.settings.isolation));
  std::vector<Reported> all;
  for (const ThroughputFigures& one : figures)
    all.push_back({one, one.state->report(snapshot.now())});
  add_consumed(all, page);
  add_throttled(all, page);
  add_limited_changes(all, page);
  add_partitions(all, page);
  return {};
}

}  // namespace stator
