// Due events: what happens at a known time without a request. A move of the clock to a later time
// does all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/call/settings.h"
#include "engine/call/work.h"
#include "engine/reports/figures.h"
#include "engine/seams/clock.h"
#include "protocol/errors/result.h"

namespace stator {

class Snapshot;

enum class DueKind : std::uint8_t {
  Table,        // a state or a setting of a table is reached
  Index,        // the same for an index, or changes reach a late index
  Removal,      // a table, an index or a stream is removed
  Stream,       // shards are replaced, records removed, a state is reached
  Ttl,          // expired items are deleted
  Split,        // a partition is split
  Growth,       // throughput grows
  Transaction,  // a transaction in flight is committed
};
std::string_view to_text(DueKind kind);

struct DueEvent {
  Timestamp time;
  DueKind kind{};
  TableLabel label;
  std::string index;                     // empty: of the table itself
  std::string what;                      // for people, without a subject: "12,400 items expire"
  std::optional<std::uint64_t> count{};  // of the items, changes, shards or partitions
};

struct DueEvents {
  std::vector<DueEvent> events;  // by time
  bool has_more = false;         // later ones were left out, or not all of something was counted
  bool is_stopped = false;       // the stop condition left; the rest is missing
};

// Entries of all tables that are counted at most: items that expire and changes of late indexes.
// The count of an event that reaches it is too small.
inline constexpr std::size_t kDueEntriesMax = 20'000;
// Events of one table's expiring items. The last of them has all later ones.
inline constexpr std::size_t kExpiryEventsMax = 10;

// The first `count_max` events up to `until`. Of what repeats, such as the replacement of shards,
// only the next one.
Result<DueEvents> due_events(const Snapshot& snapshot, const Settings& settings, Timestamp until,
                             std::size_t count_max, StopCondition& stop_condition);

}  // namespace stator
