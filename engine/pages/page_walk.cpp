#include "engine/pages/page_walk.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "engine/storage/damage.h"
#include "engine/storage/encoded_source.h"
#include "engine/storage/item_codec.h"
#include "engine/storage/packed_size.h"
#include "protocol/expression/condition.h"
#include "protocol/limits.h"

namespace stator {
namespace {

std::size_t whole_blocks_bytes(std::size_t size_bytes) {
  return (size_bytes + limits::kReadUnitBytes - 1) / limits::kReadUnitBytes *
         limits::kReadUnitBytes;
}

// Where a filter's operands are not limited, a page ends behind so many steps, however little it
// has then. About 50 ms; an operand takes some steps whatever it looks at.
constexpr std::size_t kUnlimitedStepsMax = 50'000'000;
constexpr std::size_t kStepsOfOperand = 24;

bool is_before(const capacity::Place& left, const capacity::Place& right) {
  return left.hash != right.hash ? left.hash < right.hash
                                 : capacity::position_sort(left) < capacity::position_sort(right);
}

// Units of the records read: bytes are summed up and rounded partition by
// partition, and every partition on the way costs at least one unit.
class Meter {
 public:
  struct Part {
    capacity::Place place;  // in the partition
    std::int64_t units_milli;
  };

  Meter(const PlaceWalk& walk, bool is_consistent)
      : walk_(walk), is_consistent_(is_consistent), place_(walk.begin) {}

  bool needs_hash() const { return walk_.partition_begins.size() > 1; }
  // A walk backwards is in one hash from the beginning.
  void go_to_hash(std::uint32_t hash) {
    if (!is_backward()) go_to({.hash = hash});
  }
  // Whether sort keys tell which partition has a record of that hash, which was
  // gone to.
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

  // By partition, in the order of the walk, which is over.
  const std::vector<Part>& end() {
    leave();
    return parts_;
  }

 private:
  bool is_backward() const { return walk_.direction == storage::Direction::Backward; }
  // Between the partition where the walk is and the next one. Backwards, that
  // is where the former begins.
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

  const PlaceWalk& walk_;
  const bool is_consistent_;
  capacity::Place place_;  // in the partition where the walk is
  std::size_t next_ = 1;   // partition
  std::size_t size_bytes_ = 0;
  std::vector<Part> parts_;  // that were left
};

class Walk {
 public:
  Walk(const ReadTarget& target, const ReadPlan& plan, const PlaceWalk& walk,
       const Snapshot& snapshot, Work& work, RecordSink& sink)
      : target_(target),
        plan_(plan),
        walk_(walk),
        snapshot_(snapshot),
        work_(work),
        sink_(sink),
        meter_(walk, plan.is_consistent),
        steps_per_byte_(1 + plan.filter_paths.size()),
        unlimited_operands_(unlimited_operands(plan.filter)),
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
      if (const Walked::End end = reached_end(); end != Walked::End::All) {
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

  // What ends the page behind the record; All: nothing does.
  Walked::End reached_end() const {
    if (static_cast<std::size_t>(page_.scanned_count) >= plan_.limit) return Walked::End::Limit;
    if (page_bytes() >= limits::kPageBytesMax) return Walked::End::Bytes;
    if (unlimited_steps_ >= kUnlimitedStepsMax) return Walked::End::FilterSteps;
    return Walked::End::All;
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
    // Whoever renders all of a record walks it anyway.
    if (!is_fetching_)
      packed_bytes_ += packed_bytes ? *packed_bytes : storage::packed_size_bytes(record, sort_key_);
    return {};
  }

  bool matches(std::string_view item) {
    if (plan_.filter == nullptr) return true;
    scratch_.reset();
    return expr::matches(*plan_.filter, storage::EncodedSource(item, scratch_));
  }

  // The table's item of a local index's entry. Both are written together;
  // without an item (a damaged file) the entry has to do.
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
  const PlaceWalk& walk_;
  const Snapshot& snapshot_;
  Work& work_;
  RecordSink& sink_;
  Arena scratch_;  // for one record at a time
  Arena places_;   // likewise
  Meter meter_;
  const std::size_t steps_per_byte_;  // each operand of the filter may look at all of a record
  const std::size_t unlimited_operands_;
  const bool is_fetching_;
  const std::string_view sort_key_;

  Page page_;
  std::size_t unlimited_steps_ = 0;
  std::size_t packed_bytes_ = 0;
  std::size_t entries_bytes_ = 0;  // with table items fetched
  std::size_t fetched_bytes_ = 0;
  std::int64_t fetched_units_milli_ = 0;
};

}  // namespace

Charge charge_of_page(const ReadTarget& target, const PlaceWalk& walk, std::int64_t units_milli) {
  Charge charge{.partition = walk.partition, .units_milli = units_milli, .sort = walk.begin.sort};
  if (target.local != nullptr) charge.of = Charge::Of::LocalIndex;
  if (target.global != nullptr) charge.of = Charge::Of::GlobalIndex;
  if (target.is_index()) charge.index_name = target.name();
  if (walk.partition.empty()) charge.hash = walk.begin.hash;
  return charge;
}

Result<Page> walk_page(const ReadTarget& target, const ReadPlan& plan, const PlaceWalk& walk,
                       storage::RecordCursor& cursor, const Snapshot& snapshot, Work& work,
                       RecordSink& sink) {
  return Walk(target, plan, walk, snapshot, work, sink).run(cursor);
}

}  // namespace stator
