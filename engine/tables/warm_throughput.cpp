#include "engine/tables/warm_throughput.h"

#include <optional>
#include <string>

#include "engine/tables/table_definition.h"
#include "engine/throughput/throughput_state.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

// The throughput that the settings of the table or its index, as shown, imply.
Throughput implied(const Table& table, const GlobalIndex* index, Timestamp now, bool is_answered) {
  const ThroughputSettings& settings =
      is_answered && table.settings_before ? *table.settings_before : table.shown_settings(now);
  if (index == nullptr) return warm_at_least(settings.billing_mode, settings.throughput);
  const bool is_before = index->throughput_before && (is_answered || now < index->updating_until);
  return warm_at_least(settings.billing_mode,
                       is_before ? *index->throughput_before : index->throughput);
}

}  // namespace

WarmThroughput warm_throughput(const Table& table, const GlobalIndex* index, Timestamp now,
                               bool is_answered) {
  const auto& to = index != nullptr ? index->warm_to : table.warm_to;
  const auto& runtime = index != nullptr ? index->runtime : table.runtime;
  const Timestamp until = index != nullptr ? index->warm_updating_until : table.warm_updating_until;
  WarmThroughput told;
  told.units =
      highest(index != nullptr ? index->warm : table.warm, implied(table, index, now, is_answered));
  std::optional<capacity::CurrentThroughput> served;
  if (runtime != nullptr && runtime->throughput != nullptr)
    served = runtime->throughput->served_at_once(now);
  const bool is_enforced = served && table.runtime->throttling.load() == Throttling::Enforce;
  told.is_updating = now < until || (to && is_answered) || (is_enforced && served->is_warming);
  if (told.is_updating) return told;
  if (to) told.units = highest(told.units, *to);
  if (served) told.units = highest(told.units, served->units);
  return told;
}

Result<void> check_warm_raise(const JsonNode* warm, const Table& table, const GlobalIndex* index,
                              Timestamp now) {
  if (warm == nullptr) return {};
  const auto read = integer_member(*warm, "ReadUnitsPerSecond");
  const auto write = integer_member(*warm, "WriteUnitsPerSecond");
  if (!read && !write) return Error::internal_failure();  // as for a new table
  const Throughput there = warm_throughput(table, index, now).units;
  const bool read_is_low = read && *read < there.read_units;
  if (!read_is_low && !(write && *write < there.write_units)) return {};
  return invalid_parameter(
      std::string("Requested ") + (read_is_low ? "ReadUnitsPerSecond" : "WriteUnitsPerSecond") +
      " for WarmThroughput for " + (index != nullptr ? "index " + index->name : "table") +
      " is lower than current WarmThroughput, decreasing WarmThroughput is not supported");
}

}  // namespace stator
