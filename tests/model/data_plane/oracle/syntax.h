// The model's own syntax trees of conditions, updates and projections. printing.h makes request
// text of them, semantics.h says what they mean.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tests/model/data_plane/oracle/model_value.h"

namespace stator::model {

struct Step {
  bool is_index = false;
  std::size_t index = 0;
  std::string name;
  auto operator<=>(const Step&) const = default;
};

// The first step is the attribute's name.
using Path = std::vector<Step>;

inline Step member_step(std::string name) { return {false, 0, std::move(name)}; }
inline Step index_step(std::size_t index) { return {true, index, {}}; }

// Whether both may be targets of one update, or stand in one projection: neither leads through the
// other, and they agree on what is a list and what a map.
bool are_compatible(const Path& a, const Path& b);

struct Operand {
  enum class Kind { Attribute, Constant, SizeOfPath, SizeOfConstant };
  Kind kind = Kind::Attribute;
  Path path;
  Value constant;
  bool operator==(const Operand&) const = default;
};

enum class Comparator { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };

struct Condition {
  enum class Kind {
    Compare,
    Between,
    In,
    Exists,
    NotExists,
    HasType,
    BeginsWith,
    Contains,
    And,
    Or,
    Not
  };
  Kind kind = Kind::And;
  Comparator comparator = Comparator::Equal;
  std::vector<Operand> operands;
  std::vector<Condition> children;
};

// What Expected, QueryFilter, ScanFilter and KeyConditions can say of one attribute. The names of
// the operators are the parameters' own.
struct LegacyEntry {
  std::string attribute;
  std::string comparison;  // "EQ", "NOT_NULL", …
  std::vector<Value> arguments;
};
struct LegacyConditions {
  std::vector<LegacyEntry> entries;
  bool joins_by_or = false;
};

// The right side of a SET action.
struct Expression {
  enum class Kind { Attribute, Constant, IfNotExists, ListAppend, Plus, Minus };
  Kind kind = Kind::Constant;
  Path path;                      // Attribute, IfNotExists
  Value constant;                 // Constant
  std::vector<Expression> parts;  // IfNotExists: one, the others: two
};

struct Action {
  enum class Section { Set, Remove, Add, Delete };
  Section section = Section::Set;
  Path target;
  Expression value;  // Set
  Value operand;     // Add, Delete
};

struct Update {
  std::vector<Action> actions;
  // Printed as AttributeUpdates: targets are whole attributes, every value is a constant.
  bool is_legacy = false;
};

// A condition on the keys of a table or an index: every partition attribute, and the first sort
// attributes: equal to values but for the last one.
struct KeyCondition {
  struct Part {
    std::string attribute;
    std::string comparison;  // EQ, LT, LE, GT, GE, BETWEEN, BEGINS_WITH
    std::vector<Value> arguments;
  };
  std::vector<Part> parts;
};

}  // namespace stator::model
