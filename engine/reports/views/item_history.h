// The changes of one item that its table's journal still has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/call/work.h"
#include "engine/schema/table.h"
#include "engine/seams/clock.h"
#include "protocol/errors/result.h"
#include "protocol/values/value.h"

namespace stator {

class Snapshot;

struct ItemHistory {
  struct Entry {
    std::uint64_t number = 0;  // in the journal
    Timestamp time;
    std::string_view by;                  // "client", "ttl" or "replica"
    std::optional<std::string> old_json;  // as on the wire; empty: there was no item
    std::optional<std::string> new_json;
  };

  std::vector<Entry> entries;         // oldest first
  std::optional<std::uint64_t> next;  // where the search goes on; empty: at its end
  // Since when the journal has the table's changes; empty: it has none as yet.
  std::optional<Timestamp> from;
  // What the journal is retained for: "stream", "recovery", "index", "kinesis", "copy",
  // "console", each once. If it is empty, no change is stored.
  std::vector<std::string_view> kept_by;
  bool is_stopped = false;  // the stop condition left; the rest is missing
};

// Entries of the journal that one answer reads, and bytes of images that it contains.
inline constexpr std::size_t kHistoryEntriesMax = 20'000;
inline constexpr std::size_t kHistoryBytesMax = 1'000'000;

// `key_attributes` has no others; another one is an error of validation. Lists changes whose
// number is `from_number` or greater, up to `entries_max`.
Result<ItemHistory> item_history(const Snapshot& snapshot, const Table& table, Item key_attributes,
                                 std::uint64_t from_number, std::size_t entries_max,
                                 StopCondition& stop_condition);

}  // namespace stator
