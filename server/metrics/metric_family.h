// Metrics in the text format of Prometheus, written by prometheus-cpp.
//
// A family is a name with values that differ by labels. Names, kinds and units follow the
// conventions of Prometheus: counters end in _total; units are seconds and bytes.
#pragma once

#include <prometheus/metric_family.h>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace stator {

class MetricFamily {
 public:
  // Labels without a value are omitted. Values are UTF-8.
  using Labels = std::initializer_list<std::pair<const char*, std::string_view>>;

  static MetricFamily counter(const char* name, const char* help) {
    return MetricFamily(name, help, prometheus::MetricType::Counter);
  }
  static MetricFamily gauge(const char* name, const char* help) {
    return MetricFamily(name, help, prometheus::MetricType::Gauge);
  }
  static MetricFamily histogram(const char* name, const char* help) {
    return MetricFamily(name, help, prometheus::MetricType::Histogram);
  }

  // REQUIRES: no other value of the family has the same labels.
  void add(double value, Labels labels = {});
  void add(std::uint64_t value, Labels labels = {}) { add(static_cast<double>(value), labels); }
  void add(std::chrono::microseconds value, Labels labels = {}) {
    add(std::chrono::duration<double>(value).count(), labels);
  }

  // Adds a histogram. `buckets[i]` counts values above `bounds[i - 1]` and up to `bounds[i]`; the
  // last one counts the rest. `sum` is that of all values. REQUIRES: the family is a histogram.
  void add_latencies(std::span<const std::chrono::nanoseconds> bounds,
                     std::span<const std::uint64_t> buckets, std::chrono::nanoseconds sum,
                     Labels labels);

 private:
  friend class MetricPage;
  MetricFamily(const char* name, const char* help, prometheus::MetricType type) {
    family_.name = name;
    family_.help = help;
    family_.type = type;
  }
  prometheus::ClientMetric& add_metric(Labels labels);

  prometheus::MetricFamily family_;
};

// Writes families as text one by one, so that only one is in memory at a time.
class MetricPage {
 public:
  static constexpr std::string_view kMediaType = "text/plain; version=0.0.4; charset=utf-8";

  // Omits a family without values. REQUIRES: the page has none of its name.
  void add(MetricFamily family);
  // Adds a family with one value.
  template <class Value>
  void add(MetricFamily family, Value value) {
    family.add(value);
    add(std::move(family));
  }

  std::string text() && { return std::move(out_).str(); }

 private:
  std::ostringstream out_;
};

}  // namespace stator
