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

// The constants that the attribute must equal one of; empty: the condition is something else.
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
  using Operator = KeyCondition::Operator;
  switch (comparator) {
    case Comparator::Less:
      return is_flipped ? Operator::Greater : Operator::Less;
    case Comparator::LessEqual:
      return is_flipped ? Operator::GreaterEqual : Operator::LessEqual;
    case Comparator::Greater:
      return is_flipped ? Operator::Less : Operator::Greater;
    case Comparator::GreaterEqual:
      return is_flipped ? Operator::LessEqual : Operator::GreaterEqual;
    case Comparator::Equal:
    case Comparator::NotEqual:
      break;
  }
  return std::nullopt;
}

// The range of the attribute that the condition is, if it is one.
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

// Neither key is held to anything.
bool is_open(const KeyRegion& region) { return region.partition == nullptr && region.sort.empty(); }

class RegionFinder {
 public:
  RegionFinder(const ReadTarget& target, std::size_t count_max)
      : partition_(target.partition_keys().front().name),
        sort_(target.sort_keys().empty() ? std::string_view()
                                         : std::string_view(target.sort_keys().front().name)),
        count_max_(count_max) {}

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
    region.needs_filter = true;
    region.is_loose = !sort_.empty() && mentions(condition, sort_);
    return region;
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
    // attribute_exists(sk), which every record meets, is there beside sk <> value.
    return {rest(condition)};
  }

  // Branches of which one leaves both keys open are a filter together.
  Regions find_any(const Condition& condition) const {
    Regions all;
    for (const Condition* child : condition.children) {
      Regions regions = find(*child);
      if (std::any_of(regions.begin(), regions.end(), is_open)) return {rest(condition)};
      std::move(regions.begin(), regions.end(), std::back_inserter(all));
      if (all.size() > count_max_) break;
    }
    return all;
  }

  Regions find_all(const Condition& condition) const {
    Regions all(1);
    for (const Condition* child : condition.children) {
      const Regions regions = find(*child);
      Regions product;
      for (const KeyRegion& left : all) {
        for (const KeyRegion& right : regions) {
          if (auto both = intersection(left, right)) product.push_back(std::move(*both));
        }
        if (product.size() > count_max_) break;
      }
      // Nothing is in all of them: one of them, filtered, is as good as none.
      if (product.empty()) {
        all.resize(1);
        all.front().needs_filter = true;
        continue;
      }
      all = std::move(product);
    }
    return all;
  }

  static std::optional<KeyRegion> intersection(const KeyRegion& a, const KeyRegion& b) {
    KeyRegion region = a;
    region.needs_filter = a.needs_filter || b.needs_filter;
    region.is_loose = a.is_loose || b.is_loose;
    if (region.partition == nullptr) region.partition = b.partition;
    if (a.partition != nullptr && b.partition != nullptr && !(*a.partition == *b.partition))
      return std::nullopt;
    for (const KeyCondition& each : b.sort) {
      // The rest is filtered: thousands of conditions must cost each region little.
      if (region.sort.size() == kSortConditionsMax) {
        region.needs_filter = true;
        break;
      }
      region.sort.push_back(each);
    }
    return region;
  }

  std::string_view partition_;
  std::string_view sort_;  // empty: there is none
  std::size_t count_max_;
};

// The greatest value that the key may equal; nullptr: none of its type.
const Value* greatest_value(const Condition& condition, const KeyAttribute& key) {
  std::vector<const Value*> values = equal_values(condition, key.name);
  std::erase_if(values, [&](const Value* value) { return value->type() != key.type; });
  if (condition.kind == Condition::Kind::And || condition.kind == Condition::Kind::Or) {
    for (const Condition* child : condition.children) {
      if (const Value* const value = greatest_value(*child, key)) values.push_back(value);
    }
  }
  if (values.empty()) return nullptr;
  return *std::max_element(values.begin(), values.end(),
                           [](const Value* a, const Value* b) { return a->bytes() < b->bytes(); });
}

void collect_branches(const Condition& condition, std::vector<const Condition*>& branches) {
  if (condition.kind != Condition::Kind::Or) return branches.push_back(&condition);
  for (const Condition* child : condition.children) collect_branches(*child, branches);
}

}  // namespace

const Condition* telling_branch(const Condition& condition, const ReadTarget& target,
                                Arena& arena) {
  if (target.carries_all()) return nullptr;
  std::vector<const Condition*> branches;
  collect_branches(condition, branches);
  const KeyAttribute& key = target.partition_keys().front();
  const Condition* telling = nullptr;
  const Value* greatest = nullptr;
  for (const Condition* branch : branches) {
    const auto paths = paths_of(branch, arena);
    const bool lacks = std::any_of(paths.begin(), paths.end(), [&](const expr::Path& path) {
      return !target.carries(path.front().name);
    });
    if (!lacks) return nullptr;
    const Value* const value = greatest_value(*branch, key);
    const bool is_greater =
        value != nullptr && (greatest == nullptr || greatest->bytes() < value->bytes());
    if (telling != nullptr && !is_greater) continue;
    telling = branch;
    greatest = value;
  }
  return telling;
}

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

std::vector<KeyRegion> find_regions(const Condition& condition, const ReadTarget& target,
                                    std::size_t count_max) {
  return RegionFinder(target, count_max).find(condition);
}

}  // namespace stator
