// Settings: what the user chose for the whole process and the engine needs to know.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "engine/capacity/parameters.h"
#include "engine/schema/runtime.h"
#include "engine/schema/stream.h"
#include "engine/seams/movable_clock.h"
#include "engine/storage/environment.h"
#include "protocol/limits.h"
#include "protocol/wording.h"

namespace stator {

// Which requests share tables.
enum class Isolation : std::uint8_t {
  None,    // all requests (DynamoDB Local with -sharedDb)
  Region,  // those signed for one Region, as in the cloud
  Key,     // those of one access key and Region (DynamoDB Local without -sharedDb)
};

struct Settings {
  storage::EnvironmentOptions storage;
  // Of a clock that can be moved.
  ClockChoice clock;
  std::string account_id = "000000000000";
  Profile error_wording = Profile::Current;
  Isolation isolation = Isolation::Region;
  // How long tables and their parts stay in CREATING, UPDATING, DELETING. Zero: the next request
  // sees the final state.
  std::chrono::microseconds control_plane_delay{0};
  // The same for global indexes added to a table or removed from it; the longer of the two counts.
  std::chrono::microseconds index_delay{0};
  // How long changes of global indexes are held back. Zero: they are part of their item's commit.
  std::chrono::microseconds gsi_delay{0};
  // How old what eventually consistent reads see is, at least. Zero: they see the latest state.
  std::chrono::microseconds eventual_read_lag{0};
  // Time to live: how soon after a change of the setting another one is refused (zero: never), and
  // how long expired items are kept.
  std::chrono::microseconds ttl_cooldown{0};
  std::chrono::microseconds ttl_delay{0};
  // Expired items of a table are deleted at most that often. Zero: only when somebody asks for it.
  std::chrono::microseconds ttl_sweep_interval{std::chrono::seconds(1)};
  // How long transactions are in flight, between their decision and their commit. Zero: never.
  std::chrono::microseconds transaction_time{0};
  StreamLimits streams;
  // What becomes of requests beyond the throughput of tables, unless a table has a choice of its
  // own; and how throughput is granted. Not null.
  Throttling throttling = Throttling::Observe;
  std::shared_ptr<const capacity::CapacityParameters> capacity =
      std::make_shared<const capacity::CapacityParameters>();
  // Clients' tokens that are kept at most: 16 minutes of 1,000 transactions a second.
  std::uint64_t tokens_kept_max = 1'000'000;
  // What marks may remember, in pages of the store and in records; beyond it all of them are given
  // up. To go back takes a second for 800,000 records, and other writes wait meanwhile.
  std::uint64_t marks_bytes_max = std::uint64_t{256} << 20;
  std::uint64_t marks_records_max = 500'000;
  // Billed bytes an item collection of a table with local indexes may grow to.
  std::int64_t item_collection_bytes_max = limits::kItemCollectionBytesMax;
};

}  // namespace stator
