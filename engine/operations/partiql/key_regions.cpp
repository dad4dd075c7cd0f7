#include "engine/operations/partiql/key_regions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/pages/read_plan.h"

namespace stator {
namespace {

using expr::Comparator;
using expr::Condition;
using expr::KeyCondition;
using expr::Operand;
using Regions = std::vector<KeyRegion>;

constexpr std::size_t kSortConditionsMax = 8;

bool is_attribute(const Operand& operand, std::string_view name) {
  return operand.kind == Operand::Kind::Attribute && operand.path.size() == 1 &&
         operand.path[0].name == name;
}

bool is_constant(const Operand& operand) { return operand.kind == Operand::Kind::Constant; }

// The constants of which the attribute must equal one; empty if the condition is another kind.
std::vector<const Value*> equal_values(const Condition& condition, std::string_view name) {
  const auto operands = condition.operands;
  std::vector<const Value*> values;
  if (condition.kind == Condition::Kind::Compare && condition.comparator == Comparator::Equal) {
    if (is_attribute(operands[0], name) && is_constant(operands[1]))
      values.push_back(&operands[1].value);
    else if (is_attribute(operands[1], name) && is_constant(operands[0]))
      values.push_back(&operands[0].value);
  } else if (condition.kind == Condition::Kind::In && is_attribute(operands[0], name)) {
    for (const Operand& candidate : operands.subspan(1)) {
      if (!is_constant(candidate)) return {};
      values.push_back(&candidate.value);
    }
  }
  return values;
}

std::optional<KeyCondition::Operator> range_operator(Comparator comparator, bool is_flipped) {
  using Op = KeyCondition::Operator;
  switch (comparator) {
    case Comparator::Less:
      return is_flipped ? Op::Greater : Op::Less;
    case Comparator::LessEqual:
      return is_flipped ? Op::GreaterEqual : Op::LessEqual;
    case Comparator::Greater:
      return is_flipped ? Op::Less : Op::Greater;
    case Comparator::GreaterEqual:
      return is_flipped ? Op::LessEqual : Op::GreaterEqual;
    case Comparator::Equal:
    case Comparator::NotEqual:
      break;
  }
  return std::nullopt;
}

// The range of the attribute that the condition describes, if any.
std::optional<KeyCondition> range_of(const Condition& condition, std::string_view name) {
  const auto operands = condition.operands;
  if (condition.kind == Condition::Kind::Compare) {
    const bool is_flipped = is_attribute(operands[1], name);
    const Operand& path = operands[is_flipped ? 1 : 0];
    const Operand& bound = operands[is_flipped ? 0 : 1];
    const auto op = range_operator(condition.comparator, is_flipped);
    if (!op || !is_attribute(path, name) || !is_constant(bound)) return std::nullopt;
    return KeyCondition{name, *op, bound.value};
  }
  if (condition.kind == Condition::Kind::Between) {
    if (!is_attribute(operands[0], name) || !is_constant(operands[1]) || !is_constant(operands[2]))
      return std::nullopt;
    return KeyCondition{name, KeyCondition::Operator::Between, operands[1].value,
                        operands[2].value};
  }
  if (condition.call == nullptr || condition.call->function != expr::Function::BeginsWith)
    return std::nullopt;
  const auto arguments = condition.call->operands;
  if (!is_attribute(arguments[0], name) || !is_constant(arguments[1])) return std::nullopt;
  return KeyCondition{name, KeyCondition::Operator::BeginsWith, arguments[1].value};
}

bool mentions(std::span<const Operand> operands, std::string_view name) {
  return std::any_of(operands.begin(), operands.end(), [&](const Operand& operand) {
    if (operand.kind == Operand::Kind::Computed) return mentions(operand.call->operands, name);
    return operand.kind == Operand::Kind::Attribute && operand.path[0].name == name;
  });
}

bool mentions(const Condition& condition, std::string_view name) {
  return mentions(condition.operands, name) ||
         (condition.call != nullptr && mentions(condition.call->operands, name)) ||
         std::any_of(condition.children.begin(), condition.children.end(),
                     [&](const Condition* child) { return mentions(*child, name); });
}

// Whether no key has a condition.
bool is_open(const KeyRegion& region) { return region.partition == nullptr && region.sort.empty(); }

// Regions up to a limit; empty ones are counted separately.
class RegionList {
 public:
  explicit RegionList(std::size_t count_max) : count_max_(count_max) {}

  bool is_full() const { return count_ > count_max_; }
  bool has_room(bool is_empty) const { return is_empty ? empty_ < count_max_ : !is_full(); }

  void add(KeyRegion region) {
    if (!has_room(region.is_empty)) return;
    ++(region.is_empty ? empty_ : count_);
    regions_.push_back(std::move(region));
  }

  Regions take() { return std::move(regions_); }

 private:
  const std::size_t count_max_;
  std::size_t count_ = 0;
  std::size_t empty_ = 0;
  Regions regions_;
};

// Distributes AND over OR if a branch of the OR restricts a key: such branches are reads of their
// own. The branches of other ORs together become a filter.
class RegionFinder {
 public:
  RegionFinder(const ReadTarget& target, std::size_t count_max, Arena& arena)
      : target_(target),
        partition_(target.partition_keys().front().name),
        sort_(target.sort_keys().empty() ? std::string_view()
                                         : std::string_view(target.sort_keys().front().name)),
        count_max_(count_max),
        arena_(arena) {}

  Regions find(const Condition& condition) const {
    switch (condition.kind) {
      case Condition::Kind::And:
        return find_all(condition);
      case Condition::Kind::Or:
        return find_any(condition);
      case Condition::Kind::Not:
        return {rest(condition)};
      default:
        return find_leaf(condition);
    }
  }

 private:
  KeyRegion rest(const Condition& condition) const {
    KeyRegion region;
    region.filter = arena_.make<FilterTerm>(&condition, nullptr, nullptr, lacks(condition));
    region.needs_filter = true;
    region.is_loose = !sort_.empty() && mentions(condition, sort_);
    return region;
  }

  bool lacks(const Condition& condition) const {
    if (target_.carries_all()) return false;
    const auto paths = paths_of(&condition, arena_);
    return std::any_of(paths.begin(), paths.end(),
                       [&](const expr::Path& path) { return !target_.carries(path.front().name); });
  }

  Regions find_leaf(const Condition& condition) const {
    Regions regions;
    for (const Value* value : equal_values(condition, partition_)) {
      regions.emplace_back();
      regions.back().partition = value;
    }
    if (!regions.empty() || sort_.empty())
      return regions.empty() ? Regions{rest(condition)} : regions;
    for (const Value* value : equal_values(condition, sort_)) {
      regions.emplace_back();
      regions.back().sort.push_back({sort_, KeyCondition::Operator::Equal, *value});
    }
    if (!regions.empty()) return regions;
    if (const auto range = range_of(condition, sort_)) {
      regions.emplace_back();
      regions.back().sort.push_back(*range);
      return regions;
    }
    // attribute_exists(sk), which every record meets, accompanies sk <> value.
    return {rest(condition)};
  }

  Regions find_any(const Condition& condition) const {
    RegionList all(count_max_);
    bool holds_key = false;
    for (const Condition* child : condition.children) {
      for (KeyRegion& region : find(*child)) {
        holds_key = holds_key || !is_open(region);
        all.add(std::move(region));
      }
      if (holds_key && all.is_full()) break;
    }
    return holds_key ? all.take() : Regions{rest(condition)};
  }

  Regions find_all(const Condition& condition) const {
    Regions all(1);
    for (const Condition* child : condition.children) {
      const Regions regions = find(*child);
      RegionList product(count_max_);
      for (const KeyRegion& left : all) {
        for (const KeyRegion& right : regions) {
          const bool is_empty = are_apart(left, right);
          if (product.has_room(is_empty)) product.add(intersection(left, right, is_empty));
        }
        if (product.is_full()) break;
      }
      all = product.take();
    }
    return all;
  }

  static bool are_apart(const KeyRegion& a, const KeyRegion& b) {
    if (a.is_empty || b.is_empty) return true;
    return a.partition != nullptr && b.partition != nullptr && !(*a.partition == *b.partition);
  }

  KeyRegion intersection(const KeyRegion& a, const KeyRegion& b, bool is_empty) const {
    KeyRegion region = a;
    region.filter = both(a.filter, b.filter);
    region.needs_filter = a.needs_filter || b.needs_filter;
    region.is_loose = a.is_loose || b.is_loose;
    region.is_empty = is_empty;
    if (region.partition == nullptr) region.partition = b.partition;
    for (const KeyCondition& each : b.sort) {
      // Filters the rest: thousands of conditions must cost each region little.
      if (region.sort.size() == kSortConditionsMax) {
        region.needs_filter = true;
        break;
      }
      region.sort.push_back(each);
    }
    return region;
  }

  const FilterTerm* both(const FilterTerm* left, const FilterTerm* right) const {
    if (left == nullptr) return right;
    if (right == nullptr) return left;
    return arena_.make<FilterTerm>(nullptr, left, right, left->is_lacking || right->is_lacking);
  }

  const ReadTarget& target_;
  std::string_view partition_;
  std::string_view sort_;  // empty if none
  std::size_t count_max_;
  Arena& arena_;
};

}  // namespace

bool binds_partition(const Condition& condition, const KeyAttribute& key) {
  const auto binds = [&](const Condition* child) { return binds_partition(*child, key); };
  const auto children = condition.children;
  switch (condition.kind) {
    case Condition::Kind::And:
      return std::any_of(children.begin(), children.end(), binds);
    case Condition::Kind::Or:
      return std::all_of(children.begin(), children.end(), binds);
    case Condition::Kind::Not:
      return false;
    default:
      return !equal_values(condition, key.name).empty();
  }
}

std::vector<const Value*> compared_values(const Condition& condition, std::string_view name) {
  if (condition.kind == Condition::Kind::Not) return {};
  if (condition.children.empty()) return equal_values(condition, name);
  std::vector<const Value*> values;
  for (const Condition* child : condition.children) {
    const auto of_child = compared_values(*child, name);
    values.insert(values.end(), of_child.begin(), of_child.end());
  }
  return values;
}

std::vector<KeyRegion> find_regions(const Condition& condition, const ReadTarget& target,
                                    std::size_t count_max, Arena& arena) {
  Regions regions = RegionFinder(target, count_max, arena).find(condition);
  const bool is_nothing = std::all_of(regions.begin(), regions.end(),
                                      [](const KeyRegion& region) { return region.is_empty; });
  // Empty regions are dropped. If all are empty, one of them remains, with a filter that nothing
  // passes.
  if (is_nothing) {
    regions.front().is_empty = false;
    regions.front().needs_filter = true;
  }
  return regions;
}

}  // namespace stator
