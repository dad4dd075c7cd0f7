#include "tests/model/data_plane/oracle/semantics.h"

#include <algorithm>
#include <map>

namespace stator::model {
namespace {

// UTF-16 code units of a string.
std::size_t utf16_units(const std::string& text) {
  std::size_t units = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    units += bytes == 4 ? 2 : 1;
    i += bytes;
  }
  return units;
}

std::optional<std::size_t> size_of(const Value& value) {
  switch (value.type) {
    case Type::S:
      return utf16_units(value.text);
    case Type::B:
      return value.text.size();
    case Type::SS:
    case Type::BS:
      return value.texts.size();
    case Type::NS:
      return value.numbers.size();
    case Type::L:
      return value.list.size();
    case Type::M:
      return value.map.size();
    case Type::N:
    case Type::Bool:
    case Type::Null:
      return std::nullopt;
  }
  return std::nullopt;
}

// An operand's value. The size of a number is missing, too.
using Outcome = std::optional<Value>;

Outcome evaluate(const Operand& operand, const Item& item) {
  const bool is_path =
      operand.kind == Operand::Kind::Attribute || operand.kind == Operand::Kind::SizeOfPath;
  const Value* value = is_path ? find(item, operand.path) : &operand.constant;
  if (value == nullptr) return std::nullopt;
  if (operand.kind == Operand::Kind::Attribute || operand.kind == Operand::Kind::Constant) {
    return *value;
  }
  const auto size = size_of(*value);
  if (!size) return std::nullopt;
  return Value::of_number(Decimal::of(*size));
}

// Ordering exists between strings, between numbers and between binaries only.
std::optional<std::strong_ordering> compare(const Value& a, const Value& b) {
  if (a.type != b.type || !is_scalar_key(a.type)) return std::nullopt;
  return order_of(a, b);
}

bool compares(Comparator comparator, const Outcome& left, const Outcome& right) {
  if (!left || !right) return comparator == Comparator::NotEqual;
  if (comparator == Comparator::Equal) return *left == *right;
  if (comparator == Comparator::NotEqual) return !(*left == *right);
  const auto order = compare(*left, *right);
  if (!order) return false;
  switch (comparator) {
    case Comparator::Less:
      return *order < 0;
    case Comparator::LessEqual:
      return *order <= 0;
    case Comparator::Greater:
      return *order > 0;
    default:
      return *order >= 0;
  }
}

bool begins_with(const Value& value, const Value& prefix) {
  return value.type == prefix.type && (value.type == Type::S || value.type == Type::B) &&
         value.text.compare(0, prefix.text.size(), prefix.text) == 0;
}

bool contains(const Value& value, const Value& wanted) {
  switch (value.type) {
    case Type::S:
    case Type::B:
      return wanted.type == value.type && value.text.find(wanted.text) != std::string::npos;
    case Type::SS:
      return wanted.type == Type::S && value.texts.contains(wanted.text);
    case Type::BS:
      return wanted.type == Type::B && value.texts.contains(wanted.text);
    case Type::NS:
      return wanted.type == Type::N && value.numbers.contains(wanted.number);
    case Type::L:
      return std::find(value.list.begin(), value.list.end(), wanted) != value.list.end();
    default:
      return false;
  }
}

Condition comparison(Comparator comparator, const std::string& attribute, const Value& argument) {
  Condition condition;
  condition.kind = Condition::Kind::Compare;
  condition.comparator = comparator;
  condition.operands = {{Operand::Kind::Attribute, {member_step(attribute)}, {}},
                        {Operand::Kind::Constant, {}, argument}};
  return condition;
}

// One entry of the older parameters as a condition.
bool matches_entry(const LegacyEntry& entry, const Item& item) {
  static const std::map<std::string, Comparator> kComparators{
      {"EQ", Comparator::Equal},   {"NE", Comparator::NotEqual},
      {"LT", Comparator::Less},    {"LE", Comparator::LessEqual},
      {"GT", Comparator::Greater}, {"GE", Comparator::GreaterEqual}};
  const auto stored = item.find(entry.attribute);
  const bool exists = stored != item.end();
  if (entry.comparison == "NULL") return !exists;
  if (entry.comparison == "NOT_NULL") return exists;
  if (const auto found = kComparators.find(entry.comparison); found != kComparators.end()) {
    return matches(comparison(found->second, entry.attribute, entry.arguments[0]), item);
  }
  if (!exists) return false;
  const Value& value = stored->second;
  if (entry.comparison == "CONTAINS") return contains(value, entry.arguments[0]);
  if (entry.comparison == "NOT_CONTAINS") return !contains(value, entry.arguments[0]);
  if (entry.comparison == "BEGINS_WITH") return begins_with(value, entry.arguments[0]);
  if (entry.comparison == "IN") {
    return std::find(entry.arguments.begin(), entry.arguments.end(), value) !=
           entry.arguments.end();
  }
  const auto lower = compare(value, entry.arguments[0]);
  const auto upper = compare(value, entry.arguments[1]);
  return lower && upper && *lower >= 0 && *upper <= 0;
}

// Paths as a tree, so that lists can be cut all at once.
struct Branch {
  bool is_leaf = false;
  std::map<Step, Branch> children;
};

std::optional<Value> project_value(const Value& value, const Branch& branch);

Item project_members(const Item& item, const Branch& branch) {
  Item result;
  for (const auto& [step, child] : branch.children) {
    const auto member = item.find(step.name);
    if (step.is_index || member == item.end()) continue;
    if (auto kept = project_value(member->second, child)) result.emplace(step.name, *kept);
  }
  return result;
}

std::optional<Value> project_value(const Value& value, const Branch& branch) {
  if (branch.is_leaf) return value;
  Value result;
  result.type = value.type;
  if (value.type == Type::M) {
    result.map = project_members(value.map, branch);
  } else if (value.type == Type::L) {
    for (const auto& [step, child] : branch.children) {
      if (!step.is_index || step.index >= value.list.size()) continue;
      if (auto kept = project_value(value.list[step.index], child)) result.list.push_back(*kept);
    }
  }
  if (result.map.empty() && result.list.empty()) return std::nullopt;
  return result;
}

}  // namespace

const Value* find(const Item& item, const Path& path) {
  const auto attribute = item.find(path[0].name);
  if (attribute == item.end()) return nullptr;
  const Value* value = &attribute->second;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const Step& step = path[i];
    if (step.is_index) {
      if (value->type != Type::L || step.index >= value->list.size()) return nullptr;
      value = &value->list[step.index];
    } else {
      const auto member = value->map.find(step.name);
      if (member == value->map.end()) return nullptr;
      value = &member->second;
    }
  }
  return value;
}

bool matches(const Condition& condition, const Item& item) {
  const auto is_met = [&](const Condition& child) { return matches(child, item); };
  const auto operand = [&](std::size_t i) { return evaluate(condition.operands[i], item); };
  const auto& children = condition.children;
  switch (condition.kind) {
    case Condition::Kind::And:
      return std::all_of(children.begin(), children.end(), is_met);
    case Condition::Kind::Or:
      return std::any_of(children.begin(), children.end(), is_met);
    case Condition::Kind::Not:
      return !is_met(children[0]);
    case Condition::Kind::Compare:
      return compares(condition.comparator, operand(0), operand(1));
    case Condition::Kind::Between:
      return compares(Comparator::GreaterEqual, operand(0), operand(1)) &&
             compares(Comparator::LessEqual, operand(0), operand(2));
    case Condition::Kind::In: {
      for (std::size_t i = 1; i < condition.operands.size(); ++i) {
        if (compares(Comparator::Equal, operand(0), operand(i))) return true;
      }
      return false;
    }
    case Condition::Kind::Exists:
      return operand(0).has_value();
    case Condition::Kind::NotExists:
      return !operand(0).has_value();
    case Condition::Kind::HasType: {
      const Outcome tested = operand(0);
      return tested && type_name(tested->type) == operand(1)->text;
    }
    case Condition::Kind::BeginsWith:
    case Condition::Kind::Contains: {
      const Outcome tested = operand(0);
      const Outcome wanted = operand(1);
      if (!tested || !wanted) return false;
      return condition.kind == Condition::Kind::Contains ? contains(*tested, *wanted)
                                                         : begins_with(*tested, *wanted);
    }
  }
  return false;
}

bool matches(const LegacyConditions& conditions, const Item& item) {
  const auto is_met = [&](const LegacyEntry& entry) { return matches_entry(entry, item); };
  const auto& entries = conditions.entries;
  return conditions.joins_by_or ? std::any_of(entries.begin(), entries.end(), is_met)
                                : std::all_of(entries.begin(), entries.end(), is_met);
}

bool matches(const KeyCondition& condition, const Item& item) {
  return std::all_of(condition.parts.begin(), condition.parts.end(), [&](const auto& part) {
    return matches_entry({part.attribute, part.comparison, part.arguments}, item);
  });
}

Item project(const Item& item, const std::vector<Path>& paths) {
  Branch root;
  for (const Path& path : paths) {
    Branch* branch = &root;
    for (const Step& step : path) branch = &branch->children[step];
    branch->is_leaf = true;
  }
  return project_members(item, root);
}

std::vector<std::string> attributes_of(const Condition& condition) {
  std::vector<std::string> names;
  for (const Condition& child : condition.children) {
    for (std::string& name : attributes_of(child)) names.push_back(std::move(name));
  }
  for (const Operand& operand : condition.operands) {
    if (!operand.path.empty()) names.push_back(operand.path[0].name);
  }
  return names;
}

}  // namespace stator::model
