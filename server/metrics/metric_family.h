// Metrics in the text format of Prometheus, written by prometheus-cpp.
//
// A family is a name with its values, told apart by labels. Names, kinds and units follow the
// conventions of Prometheus: counters end in _total, seconds and bytes are the units.
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
  // One without a value is left out. Values are UTF-8.
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

  // REQUIRES: no value of the family has the same labels.
  void add(double value, Labels labels = {});
  void add(std::uint64_t value, Labels labels = {}) { add(static_cast<double>(value), labels); }
  void add(std::chrono::microseconds value, Labels labels = {}) {
    add(std::chrono::duration<double>(value).count(), labels);
  }

  // How long things took, in buckets: how many are within `bounds[i]` and not within the one
  // before; one more bucket is for the rest. `sum`: of all. REQUIRES: of a histogram.
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

// Families as text, one after the other, so that only one of them is in memory at a time.
class MetricPage {
 public:
  static constexpr std::string_view kMediaType = "text/plain; version=0.0.4; charset=utf-8";

  // One without values is left out. REQUIRES: the page has none of its name.
  void add(MetricFamily family);
  // The same for a family of one value.
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
