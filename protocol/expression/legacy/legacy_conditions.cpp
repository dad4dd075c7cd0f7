// Converts Expected, QueryFilter, ScanFilter and KeyConditions to trees.
//
// The checks of one entry are in the service's order: members that exclude each other, a missing
// operator or argument, the values themselves, their number, whether they have one type, whether
// the operator supports it, the order of BETWEEN's bounds.
#include "protocol/expression/legacy/legacy_conditions.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "protocol/expression/legacy/legacy_entries.h"
#include "protocol/service/common_errors.h"
#include "protocol/shapes/attribute_value.h"
#include "protocol/shapes/shape.h"

namespace stator::expr {
namespace {

constexpr unsigned bit(Type type) { return 1u << static_cast<unsigned>(type); }

constexpr unsigned kAllTypes = (1u << 10) - 1;
constexpr unsigned kOrdered = bit(Type::S) | bit(Type::N) | bit(Type::B);
constexpr unsigned kPrefixes = bit(Type::S) | bit(Type::B);
constexpr unsigned kScalars = kOrdered | bit(Type::Bool) | bit(Type::Null);
constexpr std::size_t kMany = std::numeric_limits<std::size_t>::max();

enum class Legacy : std::uint8_t {
  Equal,
  NotEqual,
  LessEqual,
  Less,
  GreaterEqual,
  Greater,
  Between,
  In,
  BeginsWith,
  Contains,
  NotContains,
  Null,
  NotNull,
};

// An operator: its name, number of arguments and their types.
struct OperatorRow {
  Legacy op;
  std::string_view name;
  std::size_t arguments_min;
  std::size_t arguments_max;
  unsigned types;
};

constexpr std::array kOperators{
    OperatorRow{Legacy::Equal, "EQ", 1, 1, kAllTypes},
    OperatorRow{Legacy::NotEqual, "NE", 1, 1, kAllTypes},
    OperatorRow{Legacy::LessEqual, "LE", 1, 1, kOrdered},
    OperatorRow{Legacy::Less, "LT", 1, 1, kOrdered},
    OperatorRow{Legacy::GreaterEqual, "GE", 1, 1, kOrdered},
    OperatorRow{Legacy::Greater, "GT", 1, 1, kOrdered},
    OperatorRow{Legacy::Between, "BETWEEN", 2, 2, kOrdered},
    OperatorRow{Legacy::In, "IN", 1, kMany, kOrdered},
    OperatorRow{Legacy::BeginsWith, "BEGINS_WITH", 1, 1, kPrefixes},
    OperatorRow{Legacy::Contains, "CONTAINS", 1, 1, kScalars},
    OperatorRow{Legacy::NotContains, "NOT_CONTAINS", 1, 1, kScalars},
    OperatorRow{Legacy::Null, "NULL", 0, 0, kAllTypes},
    OperatorRow{Legacy::NotNull, "NOT_NULL", 0, 0, kAllTypes},
};

const OperatorRow& find_operator(std::string_view name) {
  const auto row = std::find_if(kOperators.begin(), kOperators.end(),
                                [&](const OperatorRow& each) { return each.name == name; });
  assert(row != kOperators.end());
  return *row;
}

struct Entry {
  std::string_view attribute;
  Legacy op;
  std::span<const Value> arguments;
};

class Reader {
 public:
  Reader(Wording wording, Arena& arena) : wording_(wording), arena_(arena) {}

  // Reads an entry of the parameter.
  Result<Entry> read(std::string_view parameter, const JsonMember& member) {
    STATOR_CHECK(check_attribute_name(member.name));
    return parameter == "Expected" ? read_expected(member) : read_condition(member);
  }

  Error invalid(std::string statement) const {
    return wording_.enveloped(invalid_parameter(std::move(statement)));
  }
  Error refused(std::string statement) const {
    return wording_.enveloped(Error::validation(std::move(statement)));
  }

 private:
  // Reads an entry of Expected.
  Result<Entry> read_expected(const JsonMember& member) {
    const JsonNode& node = member.value;
    const auto exists = boolean_member(node, "Exists");
    const auto op = string_member(node, "ComparisonOperator");
    const JsonNode* value = node.find("Value");
    const JsonNode* list = node.find("AttributeValueList");
    if (op && exists) return about(member, "Exists and ComparisonOperator cannot be used together");
    if (value != nullptr && list != nullptr) {
      return about(member, "Value and AttributeValueList cannot be used together");
    }
    if (op) {
      const OperatorRow& row = find_operator(*op);
      if (row.arguments_min > 0 && value == nullptr && list == nullptr) {
        return about(member, "Value or AttributeValueList must be used with ComparisonOperator: " +
                                 std::string(row.name));
      }
      return finish(member, row, value, list);
    }
    if (list != nullptr) {
      return about(member, "AttributeValueList can only be used with a ComparisonOperator");
    }
    const bool is_wanted = exists.value_or(true);
    if (is_wanted && value == nullptr) {
      return about(member, std::string("Value must be provided when Exists is ") +
                               (exists ? "true" : "null"));
    }
    if (!is_wanted && value != nullptr) {
      return about(member, "Value cannot be used when Exists is false");
    }
    return finish(member, find_operator(is_wanted ? "EQ" : "NULL"), value, nullptr);
  }

  // Reads an entry of the other parameters, which always has an operator.
  Result<Entry> read_condition(const JsonMember& member) {
    return finish(member, find_operator(*string_member(member.value, "ComparisonOperator")),
                  nullptr, member.value.find("AttributeValueList"));
  }

  Error about(const JsonMember& member, std::string_view text) const {
    return invalid(std::string(text).append(" for Attribute: ").append(member.name));
  }

  Result<Entry> finish(const JsonMember& member, const OperatorRow& row, const JsonNode* value,
                       const JsonNode* list) {
    STATOR_TRY(const auto arguments, read_arguments(value, list));
    STATOR_CHECK(check_arguments(row, arguments));
    return Entry{member.name, row.op, arguments};
  }

  Result<std::span<const Value>> read_arguments(const JsonNode* value, const JsonNode* list) {
    const auto sources = value != nullptr  ? std::span<const JsonNode>(value, 1)
                         : list != nullptr ? list->elements()
                                           : std::span<const JsonNode>();
    const auto arguments = arena_.allocate_array<Value>(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      STATOR_TRY(arguments[i], decode_value(sources[i], wording_, arena_));
    }
    return std::span<const Value>(arguments);
  }

  Result<void> check_arguments(const OperatorRow& row, std::span<const Value> arguments) const {
    if (arguments.size() < row.arguments_min || arguments.size() > row.arguments_max) {
      return invalid("Invalid number of argument(s) for the " + std::string(row.name) +
                     " ComparisonOperator");
    }
    if (arguments.empty()) return {};
    const Type type = arguments[0].type();
    if (std::any_of(arguments.begin(), arguments.end(),
                    [&](const Value& argument) { return argument.type() != type; })) {
      return invalid("AttributeValues inside AttributeValueList must be of same type");
    }
    if ((row.types & bit(type)) == 0) {
      return invalid("ComparisonOperator " + std::string(row.name) + " is not valid for " +
                     std::string(type_name(type)) + " AttributeValue type");
    }
    if (row.op == Legacy::Between && arguments[1].bytes() < arguments[0].bytes()) {
      return refused(
          "The BETWEEN condition was provided a range where the lower bound is greater than the "
          "upper bound");
    }
    return {};
  }

  const Wording wording_;
  Arena& arena_;
};

// Makes the trees of entries.
class Builder {
 public:
  explicit Builder(Arena& arena) : arena_(arena) {}

  Condition* build(const Entry& entry) {
    switch (entry.op) {
      case Legacy::Equal:
        return compare(entry, Comparator::Equal);
      case Legacy::NotEqual:
        return compare(entry, Comparator::NotEqual);
      case Legacy::LessEqual:
        return compare(entry, Comparator::LessEqual);
      case Legacy::Less:
        return compare(entry, Comparator::Less);
      case Legacy::GreaterEqual:
        return compare(entry, Comparator::GreaterEqual);
      case Legacy::Greater:
        return compare(entry, Comparator::Greater);
      case Legacy::Between:
        return with_operands(Condition::Kind::Between, entry);
      case Legacy::In:
        return with_operands(Condition::Kind::In, entry);
      case Legacy::BeginsWith:
        return test(entry, Function::BeginsWith, "begins_with");
      case Legacy::Contains:
        return test(entry, Function::Contains, "contains");
      case Legacy::NotContains: {
        // A missing attribute contains nothing, yet does not satisfy NOT_CONTAINS.
        return join(Condition::Kind::And,
                    list({exists(entry), negate(test(entry, Function::Contains, "contains"))}));
      }
      case Legacy::Null:
        return test(entry, Function::AttributeNotExists, "attribute_not_exists");
      case Legacy::NotNull:
        return exists(entry);
    }
    assert(false);
    return nullptr;
  }

  // REQUIRES: `children` are in the arena.
  Condition* join(Condition::Kind kind, std::span<Condition*> children) {
    auto* const condition = arena_.make<Condition>(kind);
    condition->children = children;
    return condition;
  }

 private:
  // The attribute, then the arguments.
  std::span<Operand> operands(std::string_view attribute, std::span<const Value> arguments) {
    const auto all = arena_.allocate_array<Operand>(1 + arguments.size());
    all[0] = {.kind = Operand::Kind::Attribute, .path = whole_attribute(attribute, arena_)};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      all[1 + i] = {.kind = Operand::Kind::Constant, .value = arguments[i]};
    }
    return all;
  }

  Condition* with_operands(Condition::Kind kind, const Entry& entry) {
    auto* const condition = arena_.make<Condition>(kind);
    condition->operands = operands(entry.attribute, entry.arguments);
    return condition;
  }

  Condition* compare(const Entry& entry, Comparator comparator) {
    Condition* const condition = with_operands(Condition::Kind::Compare, entry);
    condition->comparator = comparator;
    return condition;
  }

  Condition* call(Function function, std::string_view name, std::span<Operand> of) {
    auto* const condition = arena_.make<Condition>(Condition::Kind::Test);
    condition->call = arena_.make<Call>(function, name, of);
    return condition;
  }

  Condition* test(const Entry& entry, Function function, std::string_view name) {
    return call(function, name, operands(entry.attribute, entry.arguments));
  }

  Condition* exists(const Entry& entry) {
    return call(Function::AttributeExists, "attribute_exists", operands(entry.attribute, {}));
  }

  Condition* negate(Condition* condition) { return join(Condition::Kind::Not, list({condition})); }

  std::span<Condition*> list(std::initializer_list<Condition*> conditions) {
    const auto all = arena_.allocate_array<Condition*>(conditions.size());
    std::ranges::copy(conditions, all.begin());
    return all;
  }

  Arena& arena_;
};

std::vector<const JsonMember*> entries_of(const JsonNode& body, std::string_view member) {
  const JsonNode* const map = body.find(member);
  return map != nullptr ? effective_members(*map) : std::vector<const JsonMember*>();
}

KeyCondition::Operator key_operator(Legacy op) {
  switch (op) {
    case Legacy::Equal:
      return KeyCondition::Operator::Equal;
    case Legacy::LessEqual:
      return KeyCondition::Operator::LessEqual;
    case Legacy::Less:
      return KeyCondition::Operator::Less;
    case Legacy::GreaterEqual:
      return KeyCondition::Operator::GreaterEqual;
    case Legacy::Greater:
      return KeyCondition::Operator::Greater;
    case Legacy::Between:
      return KeyCondition::Operator::Between;
    case Legacy::BeginsWith:
      return KeyCondition::Operator::BeginsWith;
    case Legacy::NotEqual:
    case Legacy::In:
    case Legacy::Contains:
    case Legacy::NotContains:
    case Legacy::Null:
    case Legacy::NotNull:
      break;
  }
  return KeyCondition::Operator::Other;
}

}  // namespace

Result<const Condition*> read_expected(const JsonNode& body, Wording wording, Arena& arena) {
  return read_filter(body, "Expected", wording, arena);
}

Result<const Condition*> read_filter(const JsonNode& body, std::string_view member, Wording wording,
                                     Arena& arena) {
  Reader reader(wording, arena);
  Builder builder(arena);
  const auto entries = entries_of(body, member);
  const auto conditions = arena.allocate_array<Condition*>(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    STATOR_TRY(const Entry entry, reader.read(member, *entries[i]));
    conditions[i] = builder.build(entry);
  }
  // ConditionalOperator needs at least two entries.
  const auto joint = string_member(body, "ConditionalOperator");
  if (joint && entries.empty()) {
    return reader.refused("ConditionalOperator cannot be used without Filter or Expected");
  }
  if (joint && entries.size() == 1) {
    return reader.refused(
        "ConditionalOperator can only be used when Filter or Expected has two or more elements");
  }
  if (conditions.empty()) return nullptr;
  if (conditions.size() == 1) return conditions[0];
  return builder.join(joint == "OR" ? Condition::Kind::Or : Condition::Kind::And, conditions);
}

Result<std::span<const KeyCondition>> read_key_conditions(const JsonNode& body, Wording wording,
                                                          Arena& arena) {
  Reader reader(wording, arena);
  const auto entries = entries_of(body, "KeyConditions");
  const bool is_present = body.find("KeyConditions") != nullptr;
  if (!wording.is_new() && is_present && entries.empty()) {
    return reader.refused("Conditions can be of length 1 or 2 only");
  }
  const auto conditions = arena.allocate_array<KeyCondition>(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    STATOR_TRY(const Entry entry, reader.read("KeyConditions", *entries[i]));
    conditions[i] = {.attribute = entry.attribute, .op = key_operator(entry.op)};
    if (!entry.arguments.empty()) conditions[i].lower = entry.arguments[0];
    if (entry.op == Legacy::Between) conditions[i].upper = entry.arguments[1];
  }
  return std::span<const KeyCondition>(conditions);
}

}  // namespace stator::expr
