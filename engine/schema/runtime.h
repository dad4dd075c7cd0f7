// TableRuntime: the state of a table or a global index that changes while the process runs and is
// never stored. Tables are immutable; all versions of a table share its TableRuntime, and all
// versions of an index share the index's. A table or index created again, even under the same name,
// gets a new one, and a restart makes all of them new.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "engine/seams/clock.h"

namespace stator {

namespace capacity {
class ThroughputState;
}

// How to handle requests over a table's throughput.
enum class Throttling : std::uint8_t {
  Off,      // nothing is counted
  Observe,  // served, and counted
  Enforce,  // throttled
};

// Changes of throughput that are limited in time (engine/throughput/change_quotas.h).
enum class LimitedChange : std::uint8_t { Decrease, OnDemandSwitch };
inline constexpr std::size_t kLimitedChanges = 2;

// Counts in the current minute of the clock and in the one before. One count may be lost if threads
// meet at the end of a minute.
class MinuteCount {
 public:
  static std::uint64_t minute_of(Timestamp at) {
    return static_cast<std::uint64_t>(at.unix_us / 60'000'000) & UINT32_MAX;
  }
  void add(Timestamp now) {
    const std::uint64_t begun = minute_of(now) << 32;
    std::uint64_t known = current_.load(std::memory_order_relaxed);
    if (known - begun <= UINT32_MAX) {
      current_.fetch_add(1, std::memory_order_relaxed);
    } else if (current_.compare_exchange_strong(known, begun + 1, std::memory_order_relaxed)) {
      before_.store(known, std::memory_order_relaxed);
    }
  }
  std::uint64_t in(std::uint64_t minute) const {
    for (const auto* one : {&current_, &before_}) {
      const std::uint64_t known = one->load(std::memory_order_relaxed);
      if (known >> 32 == minute) return known & UINT32_MAX;
    }
    return 0;
  }

 private:
  // The minute is in the upper half, the count in the lower.
  std::atomic<std::uint64_t> current_{0};
  std::atomic<std::uint64_t> before_{0};
};

struct TableRuntime {
  static constexpr std::size_t kChoreKindsMax = 20;

  // The throughput state (engine/throughput/throughput_state.h). Set before the table or the index
  // is in the catalog and never changed; null if throttling is off for all.
  std::shared_ptr<capacity::ThroughputState> throughput;
  // The table's mode, which also applies to its indexes. Any thread.
  std::atomic<Throttling> throttling{Throttling::Off};
  // Whether the mode was set for this table alone; it is then persisted with the table.
  std::atomic<bool> is_throttling_set{false};
  // For tables: read and write requests that needed throughput, reported beside the throttled ones.
  std::array<MinuteCount, 2> requests{};

  // Changes before their quota allowed them, by LimitedChange; counted whether rejected or
  // observed.
  std::array<std::atomic<std::uint64_t>, kLimitedChanges> limited_changes{};

  // For tables: items deleted by time to live.
  std::atomic<std::uint64_t> expired_items{0};

  // For tables: no sweep of expired items before this time
  // (engine/maintenance/chores/expiry_sweep.cpp). Only the leader of the commit queue may use it.
  Timestamp next_expiry_sweep;

  // For each kind, when the chore of this table or index is due, as in the chore list
  // (engine/maintenance/chores/chore_list.h, whose lock guards this); empty if not scheduled.
  std::array<std::optional<Timestamp>, kChoreKindsMax> chores_due;
};

}  // namespace stator
