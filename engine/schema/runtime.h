// Runtime: what changes beside a table or a global index while the process runs and is never
// stored. Tables are immutable; all versions of one share its Runtime, and so do those of an index.
// One made anew, even of the same name, gets another, and a restart makes all of them new.
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

// What becomes of requests beyond what a table's throughput grants.
enum class Throttling : std::uint8_t {
  Off,      // nobody counts
  Observe,  // they are served, and counted
  Enforce,  // they are refused
};

// Changes of throughput that are limited by time (engine/capacity/change_quotas.h).
enum class LimitedChange : std::uint8_t { Decrease, OnDemandSwitch };
inline constexpr std::size_t kLimitedChanges = 2;

// How many there were in this minute of the clock and in the one before. Threads that meet where a
// minute ends may lose one.
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
  // The minute in the upper half.
  std::atomic<std::uint64_t> current_{0};
  std::atomic<std::uint64_t> before_{0};
};

struct Runtime {
  static constexpr std::size_t kChoreKindsMax = 10;

  // What it can serve (engine/state/throughput.h). Set before the table or the index is in the
  // catalog, and never again; null: throttling is off for all.
  std::shared_ptr<capacity::ThroughputState> throughput;
  // A table's, which goes for its indexes, too. From any thread.
  std::atomic<Throttling> throttling{Throttling::Off};
  // Whether that was said for this table and not for all, so that it is kept with it.
  std::atomic<bool> is_throttling_set{false};
  // A table's: reads and writes that asked for throughput, to be told beside the refused ones.
  std::array<MinuteCount, 2> requests{};

  // Changes that came too soon, by LimitedChange: those that were refused or should have been.
  std::array<std::atomic<std::uint64_t>, kLimitedChanges> limited_changes{};

  // A table's: items that its time to live deleted.
  std::atomic<std::uint64_t> expired_items{0};

  // A table's: no sweep of its expired items before (engine/maintenance/expiry_sweep.cpp); the
  // leader's of the commit queue.
  Timestamp next_expiry_sweep;

  // By kind, when the chore bound to this is due, as the list of chores has it
  // (engine/maintenance/chore_list.h, whose lock guards it); empty: it is not entered.
  std::array<std::optional<Timestamp>, kChoreKindsMax> chores_due;
};

}  // namespace stator
