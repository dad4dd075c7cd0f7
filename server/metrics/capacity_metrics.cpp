// Metrics of throughput: units consumed, and requests throttled or observed above a limit.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/table_view.h"
#include "engine/reports/throughput_figures.h"
#include "server/metrics/sources.h"

namespace stator {

namespace {

using capacity::Dimension;
using capacity::ThroughputReport;

constexpr std::pair<Dimension, std::string_view> kDimensions[] = {{Dimension::Read, "read"},
                                                                  {Dimension::Write, "write"}};

struct TableReport {
  const ThroughputStats& figures;
  ThroughputReport report;
};

// Adds a value for reads and one for writes, if there is one.
template <class ValueOf>
void add_sides(const std::vector<TableReport>& all, MetricFamily family, ValueOf value_of,
               MetricPage& page) {
  for (const auto& [figures, report] : all) {
    for (const auto& [dimension, text] : kDimensions) {
      const std::optional<double> value = value_of(report, dimension);
      if (!value) continue;
      family.add(*value, {{"region", figures.label.region},
                          {"access_key", figures.label.access_key},
                          {"table", figures.label.table},
                          {"index", figures.index},
                          {"dimension", text}});
    }
  }
  page.add(std::move(family));
}

using Units = std::optional<double>;

Units units(std::int64_t units_milli) { return static_cast<double>(units_milli) / kMilliPerUnit; }

void add_consumed(const std::vector<TableReport>& all, MetricPage& page) {
  const auto consumed = [](const ThroughputReport& report, Dimension dimension) {
    return units(report.sides[static_cast<std::size_t>(dimension)].consumed_milli);
  };
  add_sides(all,
            MetricFamily::counter("stator_consumed_capacity_units_total",
                                  "Units consumed of a table, or of a global index."),
            consumed, page);
  const auto refused = [](const ThroughputReport& report, Dimension dimension) {
    return units(report.sides[static_cast<std::size_t>(dimension)].refused_milli);
  };
  add_sides(all,
            MetricFamily::counter("stator_throttled_capacity_units_total",
                                  "Units of a table, or of a global index, that requests did not "
                                  "get because they were throttled, or would not have got."),
            refused, page);
}

void add_limits(const std::vector<TableReport>& all, MetricPage& page) {
  const auto provisioned = [](const ThroughputReport& report, Dimension dimension) -> Units {
    if (report.settings.mode != BillingMode::Provisioned) return std::nullopt;
    const Throughput& limits = report.settings.provisioned;
    return dimension == Dimension::Read ? limits.read_units : limits.write_units;
  };
  add_sides(all,
            MetricFamily::gauge("stator_provisioned_capacity_units",
                                "Units a second that are provisioned, in that mode."),
            provisioned, page);
  const auto maximum = [](const ThroughputReport& report, Dimension dimension) -> Units {
    if (report.settings.mode != BillingMode::PayPerRequest) return std::nullopt;
    const OnDemandThroughput& limits = report.settings.maximum;
    return dimension == Dimension::Read ? limits.max_read_units : limits.max_write_units;
  };
  add_sides(all,
            MetricFamily::gauge("stator_on_demand_max_capacity_units",
                                "Units a second at most on demand, where a maximum is set."),
            maximum, page);
}

void add_throttled(const std::vector<TableReport>& all, MetricPage& page) {
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

void add_limited_changes(const std::vector<TableReport>& all, MetricPage& page) {
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

void add_partitions(const std::vector<TableReport>& all, MetricPage& page) {
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

Result<void> add_throughput(const MetricInputs& measured, const Snapshot& snapshot,
                            MetricPage& page) {
  STATOR_TRY(const auto figures, throughput_figures(snapshot, measured.settings.isolation));
  const Timestamp now = TableView(snapshot).now();
  std::vector<TableReport> all;
  for (const ThroughputStats& one : figures) all.push_back({one, one.state->report(now)});
  add_consumed(all, page);
  add_limits(all, page);
  add_throttled(all, page);
  add_limited_changes(all, page);
  add_partitions(all, page);
  return {};
}

}  // namespace stator
