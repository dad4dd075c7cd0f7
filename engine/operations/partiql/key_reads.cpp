#include "engine/operations/partiql/key_reads.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/operations/partiql/filter_names.h"
#include "engine/operations/partiql/key_regions.h"
#include "engine/pages/key_range.h"

namespace stator {
namespace {

using expr::KeyCondition;
using Operator = KeyCondition::Operator;
using storage::Direction;

// A region with the one condition on the sort key that defines its range.
struct Read {
  std::span<const KeyCondition> conditions;
  KeyRange range;
  bool is_loose;
};

bool is_lower_bound(Operator op) { return op == Operator::Greater || op == Operator::GreaterEqual; }
bool is_upper_bound(Operator op) { return op == Operator::Less || op == Operator::LessEqual; }

// The narrowest single condition that covers the region; sets `needs_filter` if that is wider than
// all conditions together.
KeyCondition narrowest(const KeyRegion& region, bool& needs_filter) {
  const auto& all = region.sort;
  const auto find = [&](auto is_wanted) {
    return std::find_if(all.begin(), all.end(),
                        [&](const KeyCondition& each) { return is_wanted(each.op); });
  };
  if (all.size() > 1) needs_filter = true;
  const auto equal = find([](Operator op) { return op == Operator::Equal; });
  if (equal != all.end()) return *equal;
  const auto lower = find(is_lower_bound);
  const auto upper = find(is_upper_bound);
  if (lower == all.end() || upper == all.end()) return all.front();
  const bool is_range =
      lower->lower.type() == upper->lower.type() && lower->lower.bytes() <= upper->lower.bytes();
  if (!is_range) return *lower;
  return {lower->attribute, Operator::Between, lower->lower, upper->lower};
}

class ReadFinder {
 public:
  ReadFinder(const partiql::Lowered& statement, const ReadTarget& target, Wording wording,
             Arena& arena)
      : statement_(statement),
        target_(target),
        wording_(wording),
        arena_(arena),
        partition_(target.partition_keys().front()) {}

  Result<KeyReads> find() {
    KeyReads found;
    found.filter = statement_.where;
    const bool is_query =
        statement_.where != nullptr && binds_partition(*statement_.where, partition_);
    STATOR_CHECK(check_order(is_query));
    if (!is_query) {
      found.is_scan = true;
      return found;
    }
    const auto regions = find_regions(*statement_.where, target_, kKeyReadsMax, arena_);
    STATOR_CHECK(check_types(regions));
    STATOR_CHECK(add(regions));
    STATOR_CHECK(sort(found));
    const auto reads = arena_.allocate_array<std::span<const KeyCondition>>(reads_.size());
    std::transform(reads_.begin(), reads_.end(), reads.begin(),
                   [](const Read& read) { return read.conditions; });
    found.reads = reads;
    const bool needs_filter =
        std::any_of(regions.begin(), regions.end(),
                    [](const KeyRegion& region) { return region.needs_filter; });
    if (!needs_filter && !is_narrowed_) found.filter = nullptr;
    found.not_carried = paths_not_carried(regions, target_, arena_);
    return found;
  }

  Result<void> check() {
    if (statement_.where == nullptr || !binds_partition(*statement_.where, partition_)) return {};
    const auto regions = find_regions(*statement_.where, target_, kKeyReadsMax, arena_);
    if (!check_types(regions)) return {};
    return add(regions);
  }

 private:
  const KeyAttribute* sort_key() const {
    return target_.sort_keys().empty() ? nullptr : &target_.sort_keys().front();
  }

  static Error wrong_type(const KeyAttribute& key) {
    return Error::validation(
        "Key attribute's data type should match its data type in table's schema: Key " + key.name);
  }

  Result<void> check_types(std::span<const KeyRegion> regions) const {
    for (const KeyRegion& region : regions) {
      if (region.is_empty) continue;
      if (region.partition->type() != partition_.type) return wrong_type(partition_);
      for (const KeyCondition& each : region.sort) {
        if (each.lower.type() != sort_key()->type) return wrong_type(*sort_key());
      }
    }
    return {};
  }

  Result<void> add(std::span<const KeyRegion> regions) {
    for (const KeyRegion& region : regions) {
      if (!region.is_empty) STATOR_CHECK(add(region));
    }
    if (reads_.size() > kKeyReadsMax)
      return Error::validation("Too many decomposed read operations for a given query.");
    return check_overlaps();
  }

  Result<void> add(const KeyRegion& region) {
    std::vector<KeyCondition> conditions = {{partition_.name, Operator::Equal, *region.partition}};
    if (!region.sort.empty()) conditions.push_back(narrowest(region, is_narrowed_));
    const auto kept = arena_.copy(std::span<const KeyCondition>(conditions));
    STATOR_TRY(const KeyRange range, key_range(target_, kept, wording_, arena_));
    reads_.push_back({kept, range, region.is_loose});
    return {};
  }

  static bool overlap(const storage::SortRange& a, const storage::SortRange& b) {
    return (b.upper.empty() || a.lower < b.upper) && (a.upper.empty() || b.lower < a.upper);
  }

  // Overlapping reads are an error, unless one of them is loose: then both are merged.
  Result<void> check_overlaps() {
    for (std::size_t i = 0; i < reads_.size(); ++i) {
      for (std::size_t k = i + 1; k < reads_.size(); ++k) {
        const Read& other = reads_[k];
        if (reads_[i].range.partition != other.range.partition ||
            !overlap(reads_[i].range.sort, other.range.sort)) {
          continue;
        }
        if (!reads_[i].is_loose && !other.is_loose) {
          return Error::validation(
              "Overlapping conditions with range keys are not supported in where clause");
        }
        STATOR_CHECK(merge(i, k));
        k = i;  // the merged one may overlap others
      }
    }
    return {};
  }

  // Replaces both by one read of the whole partition.
  Result<void> merge(std::size_t i, std::size_t k) {
    reads_[i].conditions = reads_[i].conditions.first(1);
    STATOR_TRY(reads_[i].range, key_range(target_, reads_[i].conditions, wording_, arena_));
    reads_[i].is_loose = true;
    reads_.erase(reads_.begin() + static_cast<std::ptrdiff_t>(k));
    return {};
  }

  Result<void> check_order(bool is_query) const {
    for (const partiql::SortKey& key : statement_.order) {
      if (target_.is_key(key.name)) continue;
      return Error::validation(std::string("Attribute ")
                                   .append(key.name)
                                   .append(" in ORDER BY clause must be part of the primary key"));
    }
    if (statement_.order.empty() || is_query) return {};
    return Error::validation(
        "Must have at least one non-optional hash key condition in WHERE clause when using ORDER "
        "BY clause.");
  }

  // Sorts the reads as ORDER BY requires. A sort key that it does not name descends.
  Result<void> sort(KeyReads& found) {
    if (statement_.order.empty()) return {};
    const partiql::SortKey* by_partition = nullptr;
    const partiql::SortKey* by_sort = nullptr;
    for (const partiql::SortKey& key : statement_.order)
      (key.name == partition_.name ? by_partition : by_sort) = &key;
    const bool has_several = std::any_of(reads_.begin(), reads_.end(), [&](const Read& read) {
      return read.range.partition != reads_.front().range.partition;
    });
    if (has_several && by_partition == nullptr) {
      return Error::validation(
          "Must have hash key in ORDER BY clause when more than one hash key condition specified "
          "in WHERE clause.");
    }
    const bool is_down = by_partition != nullptr && by_partition->is_descending;
    const bool is_backward = by_sort == nullptr || by_sort->is_descending;
    found.direction = is_backward ? Direction::Backward : Direction::Forward;
    std::stable_sort(reads_.begin(), reads_.end(), [&](const Read& a, const Read& b) {
      if (a.range.partition != b.range.partition)
        return (a.range.partition < b.range.partition) != is_down;
      if (a.range.sort.lower == b.range.sort.lower) return false;
      return (a.range.sort.lower < b.range.sort.lower) != is_backward;
    });
    return {};
  }

  const partiql::Lowered& statement_;
  const ReadTarget& target_;
  const Wording wording_;
  Arena& arena_;
  const KeyAttribute& partition_;
  std::vector<Read> reads_;
  bool is_narrowed_ = false;  // whether a range is wider than its conditions
};

}  // namespace

Result<KeyReads> find_key_reads(const partiql::Lowered& statement, const ReadTarget& target,
                                Wording wording, Arena& arena) {
  return ReadFinder(statement, target, wording, arena).find();
}

Result<void> check_key_reads(const partiql::Lowered& statement, const Table& table, Wording wording,
                             Arena& arena) {
  const ReadTarget target{.table = &table};
  return ReadFinder(statement, target, wording, arena).check();
}

}  // namespace stator
