// /_stator/capacity/TABLE/series: what a table or an index served and throttled over time, in all
// and by partition.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/engine.h"
#include "engine/capacity/parameters.h"
#include "engine/reports/reported_key.h"
#include "engine/reports/throughput_figures.h"
#include "engine/reports/use_series.h"
#include "engine/seams/iso_time.h"
#include "protocol/shapes/attribute_value.h"
#include "protocol/values/value.h"
#include "server/admin/named_table.h"
#include "server/admin/verbs.h"
#include "server/http/query_text.h"
#include "server/threads/use_sampler.h"

namespace stator {

namespace {

using capacity::Dimension;
using capacity::ThroughputReport;

// A row of the map has one partition, or several neighbours.
constexpr std::size_t kRowsMax = 64;
constexpr std::size_t kKeysOfRowMax = 3;
constexpr std::int64_t kSecondsMax = kUseStepSeconds.back() * kUseStepsMax;

struct SeriesQuery {
  TableChoice choice;
  std::string index;
  std::int64_t seconds = kUseStepSeconds.front() * kUseStepsMax;

  // The shortest step of which enough are in memory.
  std::size_t length() const {
    std::size_t at = 0;
    while (kUseStepSeconds[at] * static_cast<std::int64_t>(kUseStepsMax) < seconds) ++at;
    return at;
  }
};

// Returns what is invalid; empty if nothing is.
std::string read_series_query(std::string_view text, SeriesQuery& query) {
  std::string why;
  for_each_parameter(text, [&](std::string_view name, std::string_view value) {
    query.choice.read(name, value);
    if (name == "index") query.index = percent_decoded(value);
    if (name != "seconds") return true;
    const auto end = value.data() + value.size();
    const auto read = std::from_chars(value.data(), end, query.seconds);
    const bool is_valid = read.ec == std::errc() && read.ptr == end && query.seconds > 0 &&
                          query.seconds <= kSecondsMax;
    if (!is_valid) why = "seconds is a number from 1 to " + std::to_string(kSecondsMax);
    return is_valid;
  });
  return why;
}

// Numbers by step; the last step contains the present.
struct Numbers {
  std::int64_t first = 0;  // the number of the first step
  std::size_t count = 0;

  // Writes what `take` makes of each step, divided by `per`; 0 without a step. REQUIRES: `steps`
  // begin with `first` or later.
  template <class Take>
  void write(JsonWriter& json, std::string_view name, const std::vector<UseStep>& steps,
             std::int64_t per, const Take& take) const {
    json.key(name);
    json.begin_array();
    auto step = steps.begin();
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t number = first + static_cast<std::int64_t>(i);
      std::int64_t value = 0;
      if (step != steps.end() && step->number == number) value = take(*step++);
      if (per == 1 || value == 0) {
        json.integer(value);
      } else {
        json.decimal(static_cast<double>(value) / static_cast<double>(per));
      }
    }
    json.end_array();
  }
};

std::int64_t sum(const std::array<std::uint64_t, capacity::kLimits>& counts) {
  std::int64_t sum = 0;
  for (const std::uint64_t count : counts) sum += static_cast<std::int64_t>(count);
  return sum;
}

std::size_t at(Dimension dimension) { return static_cast<std::size_t>(dimension); }

void write_table(JsonWriter& json, const Numbers& numbers, const std::vector<UseStep>& steps) {
  json.key("table");
  json.begin_object();
  for (const Dimension dimension : capacity::kBothDimensions) {
    numbers.write(json, dimension == Dimension::Read ? "read" : "write", steps, kMilliPerUnit,
                  [&](const UseStep& step) { return step.consumed_milli[at(dimension)]; });
  }
  for (const Dimension dimension : capacity::kBothDimensions) {
    numbers.write(json, dimension == Dimension::Read ? "read_throttled" : "write_throttled", steps,
                  1, [&](const UseStep& step) { return sum(step.refused[at(dimension)]); });
  }
  json.end_object();
}

void write_reasons(JsonWriter& json, const Numbers& numbers, const std::vector<UseStep>& steps,
                   bool is_index) {
  json.key("reasons");
  json.begin_object();
  for (const Dimension dimension : capacity::kBothDimensions) {
    for (std::size_t limit = 0; limit < capacity::kLimits; ++limit) {
      const auto count = [&](const UseStep& step) {
        return static_cast<std::int64_t>(step.refused[at(dimension)][limit]);
      };
      if (std::none_of(steps.begin(), steps.end(), count)) continue;
      const capacity::ThrottlingReason reason{is_index, dimension,
                                              static_cast<capacity::Limit>(limit)};
      numbers.write(json, to_text(reason), steps, 1, count);
    }
  }
  json.end_object();
}

// The hashes from `first` up to, but not including, `end`.
struct Row {
  std::uint32_t first = 0;
  std::uint32_t end = capacity::kHashesEnd;
  std::size_t partitions = 0;

  bool has(std::uint32_t hash) const { return hash >= first && hash < end; }
};

// Partitions of one item collection are in one row, because they begin at one hash.
std::vector<Row> rows_of(const ThroughputReport& report) {
  const std::size_t of_each = (report.partitions.size() + kRowsMax - 1) / kRowsMax;
  std::vector<Row> rows;
  for (const ThroughputReport::Part& part : report.partitions) {
    const bool is_same =
        !rows.empty() && (rows.back().first == part.begin.hash || rows.back().partitions < of_each);
    if (!is_same) {
      if (!rows.empty()) rows.back().end = part.begin.hash;
      rows.push_back({.first = part.begin.hash});
    }
    ++rows.back().partitions;
  }
  return rows;
}

void write_keys(JsonWriter& json, const ThroughputStats& stats, const ThroughputReport& report,
                const Row& row) {
  std::size_t count = 0;
  json.key("keys");
  json.begin_array();
  for (const auto& entry : report.accessed_keys) {
    if (!row.has(entry.hash) || count == kKeysOfRowMax) continue;
    ++count;
    Arena arena;
    const ReportedKey key = reported_partition_key(stats.partition_key_types, entry.bytes, arena);
    json.begin_object();
    json.key("key");
    json.before_value();
    append_value_json(json.out(), key.value);
    if (key.is_cut) json.member("is_cut", true);
    json.key("units");
    json.decimal(static_cast<double>(entry.units_milli) / kMilliPerUnit);
    json.end_object();
  }
  json.end_array();
}

void write_row(JsonWriter& json, const Row& row, const Numbers& numbers,
               const std::vector<UseStep>& steps) {
  const auto sum_of = [&row](const UseStep& step, const auto& take) {
    std::int64_t sum = 0;
    for (const auto& part : step.partitions) {
      if (row.has(part.first_hash)) sum += take(part);
    }
    return sum;
  };
  using Part = capacity::ThroughputUse::Part;
  json.member("first_hash", static_cast<std::int64_t>(row.first));
  json.member("last_hash", static_cast<std::int64_t>(row.end - 1));
  json.member("count", static_cast<std::int64_t>(row.partitions));
  for (const Dimension dimension : capacity::kBothDimensions) {
    numbers.write(json, dimension == Dimension::Read ? "read" : "write", steps, kMilliPerUnit,
                  [&](const UseStep& step) {
                    return sum_of(
                        step, [&](const Part& part) { return part.consumed_milli[at(dimension)]; });
                  });
  }
  numbers.write(json, "refused", steps, 1, [&](const UseStep& step) {
    return sum_of(step, [](const Part& part) { return static_cast<std::int64_t>(part.refused); });
  });
}

AdminResponse series_of(AdminRequest& request, const ThroughputStats& stats,
                        const SeriesQuery& query) {
  const std::size_t length = query.length();
  const std::int64_t step_s = kUseStepSeconds[length];
  std::vector<UseStep> steps = request.parts.sampler->steps(stats.state, length);
  const Timestamp now = request.parts.engine.clock().now();
  const ThroughputReport report = stats.state->report(now);
  const std::int64_t count = (query.seconds + step_s - 1) / step_s;
  const std::int64_t last = now.unix_s() / step_s;
  const Numbers numbers{last - count + 1, static_cast<std::size_t>(count)};
  std::erase_if(steps, [&](const UseStep& step) { return step.number < numbers.first; });
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.member("region", stats.label.region);
  if (!stats.label.access_key.empty()) json.member("access_key", stats.label.access_key);
  if (!stats.index.empty()) json.member("index", stats.index);
  json.member("step", step_s);
  json.member("end", iso_extended({(last + 1) * step_s * 1'000'000}));
  write_table(json, numbers, steps);
  write_reasons(json, numbers, steps, !stats.index.empty());
  json.key("partitions");
  json.begin_array();
  for (const Row& row : rows_of(report)) {
    json.begin_object();
    write_row(json, row, numbers, steps);
    write_keys(json, stats, report, row);
    json.end_object();
  }
  json.end_array();
  json.key("partition_limits");
  json.begin_object();
  const auto& limits = stats.state->parameters().partition_limits;
  json.member("read", limits.read_units);
  json.member("write", limits.write_units);
  json.end_object();
  json.end_object();
  return answer;
}

}  // namespace

AdminResponse show_capacity_series(AdminRequest& request) {
  SeriesQuery query;
  if (const std::string why = read_series_query(request.query, query); !why.empty())
    return admin_error(400, why);
  const std::string table = percent_decoded(request.name);
  const Isolation isolation = request.parts.settings.isolation;
  std::vector<ThroughputStats> all;
  Engine::Reader reader(request.parts.engine);
  const auto looked =
      request.parts.engine.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
        STATOR_TRY(all, throughput_figures(snapshot, isolation));
        return {};
      });
  if (!looked) return admin_error(500, looked.error().message());
  const auto found = std::find_if(all.begin(), all.end(), [&](const ThroughputStats& one) {
    return one.label.table == table && one.index == query.index &&
           query.choice.means(one.label, isolation);
  });
  if (found == all.end()) return admin_error(404, kNoSuchTableText);
  return series_of(request, *found, query);
}

}  // namespace stator
