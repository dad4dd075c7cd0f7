// Settings: the user's choices for the whole process that the engine needs.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "engine/schema/runtime.h"
#include "engine/schema/stream_limits.h"
#include "engine/seams/movable_clock.h"
#include "engine/storage/durability/store_options.h"
#include "protocol/service/limits.h"
#include "protocol/service/wording.h"

namespace stator {

namespace capacity {
struct CapacityParameters;
}
// The parameters' defaults (engine/capacity/parameters.h).
std::shared_ptr<const capacity::CapacityParameters> standard_capacity();

// Which requests share tables.
enum class Isolation : std::uint8_t {
  None,    // all requests (DynamoDB Local with -sharedDb)
  Region,  // requests signed for one Region, as in the cloud
  Key,     // requests of one access key and Region (DynamoDB Local without -sharedDb)
};

struct Settings {
  storage::EnvironmentOptions storage;
  // For a clock that can be moved.
  ClockChoice clock;
  std::string account_id = "000000000000";
  Profile error_wording = Profile::Current;
  // Whether errors have DynamoDB Local's texts where public set-up scripts match those.
  bool has_local_texts = false;
  Isolation isolation = Isolation::Region;
  // What the scopes of another account than the server's own begin with; ends with a slash.
  std::string scope_prefix;
  // How long tables and their parts stay in CREATING, UPDATING, DELETING. Zero: the next request
  // finds the final state.
  std::chrono::microseconds control_plane_delay{0};
  // How long global indexes stay so when added to a table or removed from it; the longer delay
  // counts.
  std::chrono::microseconds index_delay{0};
  // Delay of changes of global indexes. Zero: they are part of their item's commit.
  std::chrono::microseconds gsi_delay{0};
  // Minimum age of the state that eventually consistent reads use. Zero: they use the latest state.
  std::chrono::microseconds eventual_read_lag{0};
  // How late requests see changes of resource policies. Above zero, further changes must wait, too
  // (engine/operations/policies/policy_target.h).
  std::chrono::microseconds policy_lag{0};
  // Time to live: how soon after a change of the setting another one is rejected (zero: never), and
  // how long expired items are retained.
  std::chrono::microseconds ttl_cooldown{0};
  std::chrono::microseconds ttl_delay{0};
  // Minimum interval between deletions of a table's expired items. Zero: only on request.
  std::chrono::microseconds ttl_sweep_interval{std::chrono::seconds(1)};
  // How long transactions are in flight between decision and commit. Zero: not at all.
  std::chrono::microseconds transaction_time{0};
  StreamLimits streams;
  // Whether streams of Kinesis are those of another server, which then decides about destinations
  // and gets their records; otherwise they are hosted here.
  bool has_kinesis_server = false;
  // Limit of the journal entries that point-in-time recovery retains, in bytes of the store.
  std::uint64_t history_bytes_max = std::uint64_t{1} << 30;
  // How far the latest restorable time lags behind the present.
  std::chrono::microseconds history_lag{0};
  // Default throttling mode, which a table may override; and the throughput model. Not null.
  Throttling throttling = Throttling::Observe;
  std::shared_ptr<const capacity::CapacityParameters> capacity = standard_capacity();
  // Maximum number of stored client tokens: 16 minutes of 1,000 transactions a second.
  std::uint64_t tokens_kept_max = 1'000'000;
  // Limits of the undo log, in pages of the store and in records; above either, all marks are
  // dropped. Rolling back takes a second for 800,000 records, while other writes wait.
  std::uint64_t marks_bytes_max = std::uint64_t{256} << 20;
  std::uint64_t marks_records_max = 500'000;
  // Maximum billed bytes of an item collection in a table with local indexes.
  std::int64_t item_collection_bytes_max = limits::kItemCollectionBytesMax;
};

}  // namespace stator
