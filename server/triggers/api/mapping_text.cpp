#include "server/triggers/api/mapping_text.h"

namespace stator::triggers {
namespace {

void write_filters(JsonWriter& json, const std::vector<std::string>& filters) {
  if (filters.empty()) return;
  json.key("FilterCriteria");
  json.begin_object();
  json.key("Filters");
  json.begin_array();
  for (const std::string& pattern : filters) {
    json.begin_object();
    json.member("Pattern", pattern);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_destination(JsonWriter& json, const std::string& destination) {
  json.key("DestinationConfig");
  json.begin_object();
  json.key("OnFailure");
  json.begin_object();
  if (!destination.empty()) json.member("Destination", destination);
  json.end_object();
  json.end_object();
}

void write_settings_text(JsonWriter& json, const MappingSettings& settings) {
  const auto integer = [&](std::string_view name, std::int32_t value) {
    json.member(name, std::int64_t{value});
  };
  integer("BatchSize", settings.batch_size);
  integer("MaximumBatchingWindowInSeconds", settings.batching_window_s);
  integer("ParallelizationFactor", settings.parallelization_factor);
  integer("MaximumRecordAgeInSeconds", settings.record_age_max_s);
  integer("MaximumRetryAttempts", settings.retry_attempts_max);
  json.member("BisectBatchOnFunctionError", settings.bisects_on_error);
  integer("TumblingWindowInSeconds", settings.tumbling_window_s);
  json.key("FunctionResponseTypes");
  json.begin_array();
  if (settings.reports_item_failures) json.string("ReportBatchItemFailures");
  json.end_array();
  write_destination(json, settings.on_failure);
  write_filters(json, settings.filters);
  if (!settings.kms_key_arn.empty()) json.member("KMSKeyArn", settings.kms_key_arn);
  if (!settings.metrics) return;
  json.key("MetricsConfig");
  json.begin_object();
  json.key("Metrics");
  json.begin_array();
  for (const std::string& metric : *settings.metrics) json.string(metric);
  json.end_array();
  json.end_object();
}

}  // namespace

void write_mapping(JsonWriter& json, const Mapping& mapping, const MappingMoment& moment) {
  json.begin_object();
  json.member("UUID", mapping.uuid);
  json.member("EventSourceMappingArn", mapping.arn());
  json.member("EventSourceArn", mapping.stream_arn);
  json.member("FunctionArn", moment.settings.function_arn);
  json.member("StartingPosition", to_text(mapping.starting_position));
  write_settings_text(json, moment.settings);
  json.key("LastModified");
  json.timestamp_ms(mapping.last_modified.unix_ms());
  json.member("LastProcessingResult", moment.result);
  json.member("State", to_text(moment.state));
  json.member("StateTransitionReason", "User action");
  json.end_object();
}

std::string mapping_text(const Mapping& mapping, const MappingMoment& moment) {
  std::string text;
  JsonWriter json(text);
  write_mapping(json, mapping, moment);
  return text;
}

}  // namespace stator::triggers
