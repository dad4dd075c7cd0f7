#include "server/metrics/metric_family.h"

#include <prometheus/text_serializer.h>

#include <vector>

namespace stator {

prometheus::ClientMetric& MetricFamily::add_metric(Labels labels) {
  prometheus::ClientMetric& metric = family_.metric.emplace_back();
  metric.label.reserve(labels.size());
  for (const auto& [name, value] : labels) {
    if (!value.empty()) metric.label.push_back({name, std::string(value)});
  }
  return metric;
}

void MetricFamily::add(double value, Labels labels) {
  prometheus::ClientMetric& metric = add_metric(labels);
  if (family_.type == prometheus::MetricType::Counter) {
    metric.counter.value = value;
  } else {
    metric.gauge.value = value;
  }
}

void MetricFamily::add_latencies(std::span<const std::chrono::nanoseconds> bounds,
                                 std::span<const std::uint64_t> buckets,
                                 std::chrono::nanoseconds sum, Labels labels) {
  using Seconds = std::chrono::duration<double>;
  prometheus::ClientMetric::Histogram& histogram = add_metric(labels).histogram;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    histogram.sample_count += buckets[i];
    histogram.bucket.push_back({histogram.sample_count, Seconds(bounds[i]).count()});
  }
  histogram.sample_count += buckets.back();
  histogram.sample_sum = Seconds(sum).count();
}

void MetricPage::add(MetricFamily family) {
  if (family.family_.metric.empty()) return;
  std::vector<prometheus::MetricFamily> families;
  families.push_back(std::move(family.family_));
  prometheus::TextSerializer().Serialize(out_, families);
}

}  // namespace stator
