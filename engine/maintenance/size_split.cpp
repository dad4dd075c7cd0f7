#include "engine/maintenance/size_split.h"

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/indexes/backfill.h"
#include "engine/indexes/index_key.h"
#include "engine/state/throughput.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/stores/item_store.h"
#include "protocol/memory/arena.h"

namespace stator {
namespace {

using capacity::Place;
using capacity::Position;
using capacity::ThroughputState;
using Range = capacity::TablePartitions::Range;

constexpr std::size_t kRecordsMax = 20'000;
// Splits of one write: each makes two partitions of one.
constexpr int kSplitsMax = 64;

struct Cut {
  Position at;
  std::int64_t low_bytes = 0;
};

Place place_at(const Position& position) { return {.hash = position.hash, .sort = position.sort}; }

class Splitter {
 public:
  Splitter(const SpaceThroughput& of, storage::SpaceId space,
           const storage::Transaction& transaction)
      : state_(*of.state), table_(*of.table), space_(space), transaction_(transaction) {}

  // Empty if it cannot be split.
  Result<std::optional<Cut>> find_cut(const Range& range) {
    std::size_t records = 0;
    std::int64_t total_bytes = 0;
    STATOR_CHECK(walk(range, [&](const Record& record) {
      total_bytes += record.size_bytes;
      return ++records < kRecordsMax;
    }));
    if (records >= kRecordsMax) return middle(range);
    std::optional<Cut> best;
    std::int64_t nearest = total_bytes + 1;
    std::int64_t before_bytes = 0;
    std::uint32_t last_hash = 0;
    STATOR_CHECK(walk(range, [&](const Record& record) {
      const bool is_boundary =
          before_bytes > 0 && (state_.divides_collections() || record.hash != last_hash);
      const std::int64_t distance = std::abs(2 * before_bytes - total_bytes);
      if (is_boundary && distance < nearest) {
        best = Cut{position(record, last_hash), before_bytes};
        nearest = distance;
      }
      before_bytes += record.size_bytes;
      last_hash = record.hash;
      return true;
    }));
    // Entries of local indexes are in the partitions of their items.
    if (best && total_bytes > 0) {
      best->low_bytes = static_cast<std::int64_t>(static_cast<double>(range.size_bytes) *
                                                  static_cast<double>(best->low_bytes) /
                                                  static_cast<double>(total_bytes));
    }
    return best;
  }

 private:
  struct Record {
    std::uint32_t hash = 0;
    std::int64_t size_bytes = 0;
    std::string_view bytes;
  };

  // Visits the partition's records in order while `visit` returns true.
  template <class Visit>
  Result<void> walk(const Range& range, const Visit& visit) {
    storage::RecordCursor cursor(transaction_, space_);
    STATOR_CHECK(cursor.seek_hash(range.begin.hash));
    while (const auto bytes = cursor.record()) {
      const Record record{cursor.hash(),
                          static_cast<std::int64_t>(storage::EncodedItem(*bytes).size_bytes()),
                          *bytes};
      if (record.hash >= range.hash_end) return {};
      if (is_inside(record, range) && !visit(record)) return {};
      STATOR_CHECK(cursor.next());
    }
    return {};
  }

  // If a boundary lies within a hash, records of the hash are on both sides.
  bool is_inside(const Record& record, const Range& range) {
    const bool may_be_before = record.hash == range.begin.hash && !range.begin.sort.empty();
    const bool may_be_behind = record.hash + 1 == range.hash_end;
    if (!may_be_before && !may_be_behind) return true;
    const std::string sort = sort_of(record);
    const Place place{.hash = record.hash, .sort = sort};
    return state_.partitions().range_of(place).begin == range.begin;
  }

  Position position(const Record& record, std::uint32_t last_hash) {
    if (record.hash != last_hash) return {record.hash, {}};
    return {record.hash, sort_of(record).substr(0, capacity::kPositionSortBytesMax)};
  }

  std::string sort_of(const Record& record) {
    arena_.reset();
    const Item item = storage::EncodedItem(record.bytes).decode(arena_);
    const GlobalIndex* index = table_.find_global_index(space_);
    if (index == nullptr) return std::string(key_of_stored(table_, item).sort);
    return std::string(index_key(table_, *index, item, arena_).sort);
  }

  static std::optional<Cut> middle(const Range& range) {
    const std::uint32_t hash = range.begin.hash + (range.hash_end - range.begin.hash) / 2;
    if (hash <= range.begin.hash) return std::nullopt;
    return Cut{{hash, {}}, range.size_bytes / 2};
  }

  const ThroughputState& state_;
  const Table& table_;
  const storage::SpaceId space_;
  const storage::Transaction& transaction_;
  Arena arena_;
};

}  // namespace

Result<void> split_for_size(const OversizedPartition& oversized, const Catalog& catalog,
                            const storage::Transaction& transaction, Timestamp now) {
  const SpaceThroughput found = find_throughput(catalog, oversized.space);
  if (found.state == nullptr) return {};
  Splitter splitter(found, oversized.space, transaction);
  std::vector<Position> left{found.state->partitions().range_of(place_at(oversized.place)).begin};
  for (int splits = 0; !left.empty() && splits < kSplitsMax; ++splits) {
    const Position begin = std::move(left.back());
    left.pop_back();
    const Place place = place_at(begin);
    const Range range = found.state->partitions().range_of(place);
    if (!range.is_too_large) continue;
    STATOR_TRY(const auto cut, splitter.find_cut(range));
    if (!cut || !found.state->split_for_size(cut->at, cut->low_bytes, now)) {
      found.state->mark_unsplittable(place);
      continue;
    }
    left.push_back(cut->at);
    left.push_back(begin);
  }
  return {};
}

}  // namespace stator
