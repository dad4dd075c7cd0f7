#include "engine/pages/page_walk.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "engine/storage/bytes/damage.h"
#include "engine/storage/records/encoded_source.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/records/packed_size.h"
#include "protocol/expression/evaluation/condition.h"
#include "protocol/service/limits.h"

namespace stator {
namespace {

std::size_t whole_blocks_bytes(std::size_t size_bytes) {
  return (size_bytes + limits::kReadUnitBytes - 1) / limits::kReadUnitBytes *
         limits::kReadUnitBytes;
}

// If a filter's operands are not limited, a page ends after this many steps, however little it has
// read. About 50 ms; each operand takes some steps whatever it reads.
constexpr std::size_t kUnlimitedStepsMax = 50'000'000;
constexpr std::size_t kStepsOfOperand = 24;

bool is_before(const capacity::Place& left, const capacity::Place& right) {
  return left.hash != right.hash ? left.hash < right.hash
                                 : capacity::position_sort(left) < capacity::position_sort(right);
}

// Units of the records read: bytes are summed and rounded per partition, and every partition on the
// way costs at least one unit.
class Meter {
 public:
  struct Part {
    capacity::Place place;  // in the partition
    std::int64_t units_milli;
  };

  Meter(const ScanRange& walk, bool is_consistent)
      : walk_(walk), is_consistent_(is_consistent), place_(walk.begin) {}

  bool needs_hash() const { return walk_.partition_begins.size() > 1; }
  // Starts reading records of this hash. A backward walk stays in one hash.
  void go_to_hash(std::uint32_t hash) {
    if (!is_backward()) go_to({.hash = hash});
  }
  // Whether sort keys decide which partition has a record of the current hash.
  bool needs_sort(std::uint32_t hash) const {
    const capacity::Place* boundary = next_boundary();
    return boundary != nullptr && boundary->hash == hash && !boundary->sort.empty();
  }
  void go_to(const capacity::Place& place) {
    while (const capacity::Place* boundary = next_boundary()) {
      if (is_backward() ? !is_before(place, *boundary) : is_before(place, *boundary)) return;
      enter_next();
    }
  }
  void count(std::size_t size_bytes) { size_bytes_ += size_bytes; }
  void reach_end() {
    while (const capacity::Place* boundary = next_boundary()) {
      if (is_backward() ? !is_before(walk_.end, *boundary) : !is_before(*boundary, walk_.end))
        return;
      enter_next();
    }
  }

  // Ends the walk. Returns the units by partition, in the order of the walk.
  const std::vector<Part>& end() {
    leave();
    return parts_;
  }

 private:
  bool is_backward() const { return walk_.direction == storage::Direction::Backward; }
  // The boundary between the current partition and the next one. Backwards, it is where the current
  // one begins.
  const capacity::Place* next_boundary() const {
    if (next_ >= walk_.partition_begins.size()) return nullptr;
    return &walk_.partition_begins[is_backward() ? next_ - 1 : next_];
  }
  void enter_next() {
    leave();
    place_ = walk_.partition_begins[next_++];
  }
  void leave() {
    parts_.push_back({place_, read_units_milli(size_bytes_, is_consistent_)});
    size_bytes_ = 0;
  }

  const ScanRange& walk_;
  const bool is_consistent_;
  capacity::Place place_;  // in the current partition
  std::size_t next_ = 1;   // index of the next partition
  std::size_t size_bytes_ = 0;
  std::vector<Part> parts_;  // partitions already left
};

class Walk {
 public:
  Walk(const ReadTarget& target, const ReadPlan& plan, const ScanRange& walk,
       const Snapshot& snapshot, Call& call, RecordSink& sink)
      : target_(target),
        plan_(plan),
        walk_(walk),
        snapshot_(snapshot),
        work_(call.work),
        sink_(sink),
        meter_(walk, plan.is_consistent),
        steps_per_byte_(1 + plan.filter_paths.size()),
        unlimited_operands_(unlimited_operands(plan.filter)),
        items_max_(items_left(call)),
        is_fetching_(needs_table_items(target, plan)),
        sort_key_(target.table->sort_key ? std::string_view(target.table->sort_key->name)
                                         : std::string_view()) {
    page_.target = target;
  }

  Result<Page> run(storage::RecordCursor& cursor) {
    STATOR_CHECK(go(cursor));
    charge();
    page_.size_bytes = page_bytes();
    return std::move(page_);
  }

 private:
  Result<void> go(storage::RecordCursor& cursor) {
    const bool is_scan = walk_.partition.empty();
    const bool needs_hash =
        meter_.needs_hash() || (is_scan && walk_.end.hash != capacity::kHashesEnd);
    while (const auto record = cursor.record()) {
      if (needs_hash) {
        const std::uint32_t hash = cursor.hash();
        if (is_scan && hash >= walk_.end.hash) break;
        meter_.go_to_hash(hash);
        if (meter_.needs_sort(hash)) meter_.go_to({.hash = hash, .sort = sort_of(*record)});
      }
      ++page_.scanned_count;
      STATOR_CHECK(work_.go_on(record->size() * steps_per_byte_));
      STATOR_CHECK(evaluate(*record));
      unlimited_steps_ += unlimited_operands_ * (kStepsOfOperand + record->size());
      if (const ReadStats::End end = reached_end(); end != ReadStats::End::All) {
        if (walk_.is_one_item) return {};
        page_.last = *record;
        page_.end = end;
        return {};
      }
      STATOR_CHECK(cursor.next());
    }
    meter_.reach_end();
    return {};
  }

  // The reason why the page ends after this record; All if none.
  ReadStats::End reached_end() const {
    if (static_cast<std::size_t>(page_.scanned_count) >= plan_.limit) return ReadStats::End::Limit;
    if (page_bytes() >= limits::kPageBytesMax) return ReadStats::End::Bytes;
    if (static_cast<std::size_t>(page_.count) >= items_max_) return ReadStats::End::Fault;
    if (unlimited_steps_ >= kUnlimitedStepsMax) return ReadStats::End::FilterSteps;
    return ReadStats::End::All;
  }

  // Valid until the next record.
  std::string_view sort_of(std::string_view record) {
    places_.reset();
    return store_key(target_, storage::EncodedItem(record).decode(places_), places_).sort;
  }

  Result<void> evaluate(std::string_view record) {
    std::string_view item = record;
    const std::size_t size_bytes = storage::EncodedItem(record).size_bytes();
    meter_.count(size_bytes);
    if (is_fetching_) {
      entries_bytes_ += size_bytes;
      STATOR_TRY(item, fetch(record));
    }
    std::optional<std::size_t> packed_bytes;
    if (matches(item)) {
      ++page_.count;
      if (plan_.select != Select::Count) {
        scratch_.reset();
        packed_bytes = sink_.take(item, sort_key_, scratch_);
      }
    }
    // A sink that renders the whole record computes the size anyway.
    if (!is_fetching_)
      packed_bytes_ += packed_bytes ? *packed_bytes : storage::packed_size_bytes(record, sort_key_);
    return {};
  }

  bool matches(std::string_view item) {
    if (plan_.filter == nullptr) return true;
    scratch_.reset();
    return expr::matches(*plan_.filter, storage::EncodedSource(item, scratch_));
  }

  // The table's item of a local index entry. Both are written together; if the item is missing (a
  // damaged file), returns the entry.
  Result<std::string_view> fetch(std::string_view entry) {
    const Table& table = *target_.table;
    scratch_.reset();
    const storage::EncodedItem encoded(entry);
    const auto bytes = [&](const KeyAttribute& key) {
      const auto value = encoded.find(key.name, scratch_);
      if (!value || value->type() != key.type) throw storage::DamagedData("an entry has no key");
      return value->bytes();
    };
    const storage::StoreKey key{table.space, bytes(table.partition_key),
                                table.sort_key ? bytes(*table.sort_key) : std::string_view()};
    STATOR_TRY(const auto item, storage::find_record(snapshot_.transaction(), key));
    const std::size_t size_bytes = item ? storage::EncodedItem(*item).size_bytes() : 0;
    fetched_units_milli_ += read_units_milli(size_bytes, plan_.is_consistent);
    fetched_bytes_ += whole_blocks_bytes(size_bytes);
    return item.value_or(entry);
  }

  std::size_t page_bytes() const {
    return is_fetching_ ? whole_blocks_bytes(entries_bytes_) + fetched_bytes_ : packed_bytes_;
  }

  void charge() {
    if (target_.local != nullptr)
      page_.charges.push_back(charge_of_page(target_without_index(), walk_, fetched_units_milli_));
    for (const Meter::Part& part : meter_.end()) {
      Charge charge = charge_of_page(target_, walk_, part.units_milli);
      if (charge.hash) charge.hash = part.place.hash;
      charge.sort = part.place.sort;
      page_.charges.push_back(charge);
    }
  }

  ReadTarget target_without_index() const { return {.table = target_.table}; }

  const ReadTarget& target_;
  const ReadPlan& plan_;
  const ScanRange& walk_;
  const Snapshot& snapshot_;
  Work& work_;
  RecordSink& sink_;
  Arena scratch_;  // for one record at a time
  Arena places_;   // for one record at a time
  Meter meter_;
  const std::size_t steps_per_byte_;  // each operand of the filter may read the whole record
  const std::size_t unlimited_operands_;
  const std::size_t items_max_;
  const bool is_fetching_;
  const std::string_view sort_key_;

  Page page_;
  std::size_t unlimited_steps_ = 0;
  std::size_t packed_bytes_ = 0;
  std::size_t entries_bytes_ = 0;  // when table items are fetched
  std::size_t fetched_bytes_ = 0;
  std::int64_t fetched_units_milli_ = 0;
};

}  // namespace

std::size_t items_left(const Call& call) {
  const auto matched = static_cast<std::size_t>(call.walked.items_matched);
  return call.page_items_max - std::min(call.page_items_max, matched);
}

Charge charge_of_page(const ReadTarget& target, const ScanRange& walk, std::int64_t units_milli) {
  Charge charge{.partition = walk.partition, .units_milli = units_milli, .sort = walk.begin.sort};
  if (target.local != nullptr) charge.of = Charge::Of::LocalIndex;
  if (target.global != nullptr) charge.of = Charge::Of::GlobalIndex;
  if (target.is_index()) charge.index_name = target.name();
  if (walk.partition.empty()) charge.hash = walk.begin.hash;
  return charge;
}

Result<Page> walk_page(const ReadTarget& target, const ReadPlan& plan, const ScanRange& walk,
                       storage::RecordCursor& cursor, const Snapshot& snapshot, Call& call,
                       RecordSink& sink) {
  return Walk(target, plan, walk, snapshot, call, sink).run(cursor);
}

}  // namespace stator
