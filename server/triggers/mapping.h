// Mapping: an event source mapping of AWS Lambda, which binds a stream to a function. Plain values,
// as stored by MappingStore (mapping_store.h) and rendered by the Lambda API.
//
// Requests wish for settings; what is in effect at a time depends on the control-plane delay, so
// readers ask state() and effective() with the engine's time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/seams/clock.h"

namespace stator::triggers {

enum class StartingPosition : std::uint8_t { TrimHorizon, Latest };
std::string_view to_text(StartingPosition position);

enum class MappingState : std::uint8_t {
  Creating,
  Enabling,
  Enabled,
  Disabling,
  Disabled,
  Updating,
  Deleting
};
// As on the wire.
std::string_view to_text(MappingState state);

// The values of LastProcessingResult that the service is known to have.
inline constexpr std::string_view kNothingProcessed = "No records processed";
inline constexpr std::string_view kProcessedOk = "OK";
inline constexpr std::string_view kFunctionCallFailed = "PROBLEM: Function call failed";

// What UpdateEventSourceMapping can change. All values are in the service's ranges.
struct MappingSettings {
  std::string function_arn;  // full, with the qualifier if the request had one
  bool is_enabled = true;
  std::int32_t batch_size = 100;            // records, 1 to 10,000
  std::int32_t batching_window_s = 0;       // 0 to 300
  std::int32_t parallelization_factor = 1;  // lanes of a shard, 1 to 10
  std::int32_t retry_attempts_max = -1;     // after the first call; -1: no limit
  std::int32_t record_age_max_s = -1;       // -1: no limit, else 60 to 604,800
  std::int32_t tumbling_window_s = 0;       // 0: none, else up to 900
  bool bisects_on_error = false;
  bool reports_item_failures = false;  // FunctionResponseTypes has ReportBatchItemFailures
  std::vector<std::string> filters;    // patterns that compile_filter() accepts; any may match
  std::string on_failure;              // ARN or kafka://NAME of the destination; empty: none
  std::string kms_key_arn;             // stored and shown; empty: none
  std::optional<std::vector<std::string>> metrics;  // stored and shown; empty: not asked for

  bool operator==(const MappingSettings&) const = default;
};

struct Mapping {
  std::string uuid;
  std::string scope;  // of tables (engine/call/scope.h)
  std::string region;
  std::string account_id;
  std::string stream_arn;
  std::string table_name;  // of the stream, with the label its StreamName in `scope`
  std::string stream_label;
  StartingPosition starting_position = StartingPosition::TrimHorizon;
  // Records with a lower number of the journal are not the mapping's: with LATEST the next number
  // when the mapping was created, else 0. A shard without a position (MappingStore) begins here or
  // at its own first record, whichever is later.
  std::uint64_t first_number = 0;

  MappingSettings settings;                      // wished for, in effect from `changing_until` on
  std::optional<MappingSettings> before;         // in effect until then; empty in a new mapping
  MappingState change = MappingState::Creating;  // the state until then
  Timestamp changing_until = {};
  bool is_deleted = false;  // gone from `changing_until` on

  Timestamp created = {};
  Timestamp last_modified = {};
  std::map<std::string, std::string> tags;

  std::string arn() const;
  bool is_changing(Timestamp now) const { return now < changing_until; }
  bool is_gone(Timestamp now) const { return is_deleted && !is_changing(now); }
  MappingState state(Timestamp now) const;
  // The settings in effect.
  const MappingSettings& effective(Timestamp now) const {
    return before && is_changing(now) ? *before : settings;
  }
  // Whether records are to be delivered now: not while the mapping is created or deleted, nor while
  // it is disabled.
  bool delivers(Timestamp now) const;
};

// The parts of arn:aws:lambda:REGION:ACCOUNT:function:NAME[:QUALIFIER]. Views of the ARN.
std::string_view function_name_of(std::string_view function_arn);
std::string_view function_qualifier_of(std::string_view function_arn);  // empty if none

}  // namespace stator::triggers
