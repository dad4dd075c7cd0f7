#include "server/metrics/metric_family.h"

#include <array>

#include <catch2/catch.hpp>

namespace stator {
namespace {

using namespace std::chrono_literals;

TEST_CASE("metric families: text as Prometheus reads it", "[server]") {
  auto counter = MetricFamily::counter("things_total", "Things.");
  counter.add(std::uint64_t{1} << 53, {{"kind", "a"}, {"none", ""}});
  counter.add(0.25, {{"kind", "quoted \" \\ and\na line"}});
  auto gauge = MetricFamily::gauge("age_seconds", "Age.");
  gauge.add(std::chrono::microseconds(-1500ms));
  MetricPage page;
  page.add(std::move(counter));
  page.add(std::move(gauge));
  page.add(MetricFamily::gauge("left_out", "Without a value."));
  page.add(MetricFamily::gauge("one", "With one."), std::uint64_t{1});
  CHECK(std::move(page).text() ==
        "# HELP things_total Things.\n# TYPE things_total counter\n"
        "things_total{kind=\"a\"} 9007199254740992\n"
        "things_total{kind=\"quoted \\\" \\\\ and\\na line\"} 0.25\n"
        "# HELP age_seconds Age.\n# TYPE age_seconds gauge\nage_seconds -1.5\n"
        "# HELP one With one.\n# TYPE one gauge\none 1\n");
}

TEST_CASE("metric families: buckets count what those before them do", "[server]") {
  constexpr std::array<std::chrono::nanoseconds, 2> kBounds = {1ms, 2500ms};
  constexpr std::array<std::uint64_t, 3> kCounts = {1, 2, 4};
  auto latencies = MetricFamily::histogram("took_seconds", "Time.");
  latencies.add_latencies(kBounds, kCounts, 12500ms, {{"of", "x"}});
  MetricPage page;
  page.add(std::move(latencies));
  CHECK(std::move(page).text() ==
        "# HELP took_seconds Time.\n# TYPE took_seconds histogram\n"
        "took_seconds_count{of=\"x\"} 7\ntook_seconds_sum{of=\"x\"} 12.5\n"
        "took_seconds_bucket{of=\"x\",le=\"0.001\"} 1\n"
        "took_seconds_bucket{of=\"x\",le=\"2.5\"} 3\n"
        "took_seconds_bucket{of=\"x\",le=\"+Inf\"} 7\n");
}

}  // namespace
}  // namespace stator
