#include "engine/pages/key_range.h"

#include <algorithm>
#include <string>

#include "engine/indexes/index_key.h"
#include "engine/items/item_keys.h"
#include "protocol/errors/rule.h"
#include "protocol/service/common_errors.h"
#include "protocol/service/limits.h"

namespace stator {
namespace {

using expr::KeyCondition;
using Operator = KeyCondition::Operator;
using Conditions = std::span<const KeyCondition>;

const KeyCondition* find_condition(Conditions conditions, std::string_view attribute) {
  const auto found =
      std::find_if(conditions.begin(), conditions.end(),
                   [&](const KeyCondition& condition) { return condition.attribute == attribute; });
  return found == conditions.end() ? nullptr : &*found;
}

Error not_supported() {
  return Error::validation("Query key condition not supported").with_rule(Rule::KeyComparison);
}

Result<void> check_count(const ReadTarget& target, Conditions conditions, Wording wording) {
  const std::size_t keys = target.partition_keys().size() + target.sort_keys().size();
  if (conditions.size() <= keys) return {};
  // The old wording accepts two conditions in general, but not for a hash-only table.
  if (!wording.is_new()) return not_supported();
  const std::string given = std::to_string(conditions.size());
  const std::string count_max = std::to_string(keys);
  return Error::validation("The number of query conditions (" + given +
                           ") exceeds the number of key attributes defined in the schema (" +
                           count_max + ")")
      .with_rule(Rule::KeyConditionCount, {given, count_max});
}

// The condition on a key attribute. Checks that it exists, that an index can serve it, and that its
// values have the attribute's type.
Result<const KeyCondition*> required_condition(Conditions conditions, const KeyAttribute& key) {
  const KeyCondition* condition = find_condition(conditions, key.name);
  if (condition == nullptr) {
    return Error::validation("Query condition missed key schema element: " + key.name)
        .with_rule(Rule::KeyElementMissing, {key.name});
  }
  if (condition->op == Operator::Other) {
    return Error::validation("Attempted conditional constraint is not an indexable operation");
  }
  // Both bounds of BETWEEN have the same type.
  if (condition->lower.type() != key.type) {
    return invalid_parameter("Condition parameter type does not match schema type")
        .with_rule(Rule::KeyConditionType);
  }
  STATOR_CHECK(check_key_not_empty(key, condition->lower));
  if (condition->op == Operator::Between) STATOR_CHECK(check_key_not_empty(key, condition->upper));
  return condition;
}

// The first ordered bytes after all that begin with `prefix`; empty if none.
std::string_view successor(std::string_view prefix, Arena& arena) {
  const std::size_t last = prefix.find_last_not_of('\xFF');
  if (last == std::string_view::npos) return {};
  std::string bytes(prefix.substr(0, last + 1));
  bytes.back() = static_cast<char>(static_cast<unsigned char>(bytes.back()) + 1);
  return arena.copy(std::string_view(bytes));
}

// The bytes of a sort attribute in a record's key, after `prefix`: raw in tables, where they are
// the whole; an element of a tuple in indexes.
class SortBytes {
 public:
  SortBytes(bool is_tuple, std::string_view prefix, Arena& arena)
      : is_tuple_(is_tuple), prefix_(prefix), arena_(arena) {}

  // The position where records with this value begin, and the first position after them.
  std::string_view from(std::string_view value) const {
    if (!is_tuple_) return value;
    std::string bytes(prefix_);
    append_tuple_element(bytes, value);
    return arena_.copy(std::string_view(bytes));
  }
  std::string_view behind(std::string_view value) const {
    if (is_tuple_) return successor(from(value), arena_);
    std::string bytes(value);
    bytes.push_back('\0');
    return arena_.copy(std::string_view(bytes));
  }
  // The position where values with this prefix begin.
  std::string_view from_prefix(std::string_view value) const {
    if (!is_tuple_) return value;
    std::string bytes(prefix_);
    append_tuple_prefix(bytes, value);
    return arena_.copy(std::string_view(bytes));
  }
  // All records with the prefix.
  storage::SortRange whole() const { return {prefix_, successor(prefix_, arena_)}; }

  storage::SortRange range(const KeyCondition& condition) const {
    const std::string_view value = condition.lower.bytes();
    switch (condition.op) {
      case Operator::Equal:
        return {from(value), behind(value)};
      case Operator::Less:
        return {prefix_, from(value)};
      case Operator::LessEqual:
        return {prefix_, behind(value)};
      case Operator::Greater:
        return {behind(value), whole().upper};
      case Operator::GreaterEqual:
        return {from(value), whole().upper};
      case Operator::Between:
        return {from(value), behind(condition.upper.bytes())};
      case Operator::BeginsWith: {
        const std::string_view lower = from_prefix(value);
        return {lower, successor(lower, arena_)};
      }
      case Operator::Other:
        break;
    }
    __builtin_unreachable();
  }

 private:
  bool is_tuple_;
  std::string_view prefix_;
  Arena& arena_;
};

bool is_equal(const KeyCondition* condition) {
  return condition != nullptr && condition->op == Operator::Equal;
}

// Checks the conditions for an index of many keys: every partition key has `=`, and so has every
// sort key before the last one with a condition.
Result<void> check_many_keys(const ReadTarget& target, Conditions conditions) {
  std::string names;
  const auto add = [&](const KeyAttribute& key) {
    names.append(names.empty() ? "" : ", ").append(key.name);
  };
  for (const KeyAttribute& key : target.partition_keys()) {
    if (!is_equal(find_condition(conditions, key.name))) add(key);
  }
  if (!names.empty()) {
    return Error::validation("HASH key attributes " + names +
                             " must have equality conditions specified in the query")
        .with_rule(Rule::EqualityOnIndexKeys, {"HASH", names});
  }
  bool is_behind_range = false;
  for (const KeyAttribute& key : target.sort_keys()) {
    const KeyCondition* const condition = find_condition(conditions, key.name);
    if (condition != nullptr && !names.empty()) {
      return Error::validation("RANGE key attributes " + names +
                               " must have equality conditions specified in the query because a "
                               "condition is present on key attribute " +
                               key.name)
          .with_rule(Rule::EqualityOnIndexKeys, {"RANGE", names});
    }
    if (is_equal(condition)) continue;
    // After a range, reports only the last attribute without `=`.
    if (is_behind_range) names.clear();
    add(key);
    is_behind_range = is_behind_range || condition != nullptr;
  }
  return {};
}

Result<std::string_view> read_partition(const ReadTarget& target, Conditions conditions,
                                        Arena& arena) {
  const auto keys = target.partition_keys();
  const auto values = arena.allocate_array<std::string_view>(keys.size());
  std::size_t size_bytes = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    STATOR_TRY(const KeyCondition* condition, required_condition(conditions, keys[i]));
    if (condition->op != Operator::Equal) return not_supported();
    values[i] = condition->lower.bytes();
    size_bytes += values[i].size();
  }
  if (size_bytes > limits::kPartitionKeyBytesMax) return partition_key_too_long();
  return keys.size() == 1 ? values.front() : index_partition(values, arena);
}

// The range of the sort keys that have conditions, from the first on.
Result<storage::SortRange> read_sort(const ReadTarget& target, Conditions conditions,
                                     std::size_t count, Arena& arena) {
  std::string prefix;
  std::size_t size_bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const KeyAttribute& key = target.sort_keys()[i];
    STATOR_TRY(const KeyCondition* condition, required_condition(conditions, key));
    size_bytes +=
        std::max(condition->lower.bytes().size(),
                 condition->op == Operator::Between ? condition->upper.bytes().size() : 0);
    if (size_bytes > limits::kSortKeyBytesMax) return sort_key_too_long();
    if (i + 1 == count) {
      return SortBytes(target.is_index(), arena.copy(std::string_view(prefix)), arena)
          .range(*condition);
    }
    append_tuple_element(prefix, condition->lower.bytes());
  }
  return storage::SortRange{};
}

}  // namespace

Result<void> check_old_count(Conditions conditions, bool has_many_keys, Wording wording) {
  if (wording.is_new() || conditions.size() <= 2 || has_many_keys) return {};
  return Error::validation("Conditions can be of length 1 or 2 only");
}

Result<KeyRange> key_range(const ReadTarget& target, Conditions conditions, Wording wording,
                           Arena& arena) {
  STATOR_CHECK(check_count(target, conditions, wording));
  if (target.has_many_keys()) STATOR_CHECK(check_many_keys(target, conditions));
  KeyRange range{};
  STATOR_TRY(range.partition, read_partition(target, conditions, arena));
  const std::size_t sort_conditions = conditions.size() - target.partition_keys().size();
  STATOR_TRY(range.sort, read_sort(target, conditions, sort_conditions, arena));
  range.has_sort_condition = sort_conditions > 0;
  const bool has_whole_key = sort_conditions == target.sort_keys().size();
  range.is_one_item =
      !target.is_index() && has_whole_key &&
      std::all_of(conditions.begin(), conditions.end(),
                  [](const KeyCondition& condition) { return condition.op == Operator::Equal; });
  return range;
}

}  // namespace stator
