// The tree of a parsed expression: conditions (ConditionExpression, FilterExpression,
// KeyConditionExpression), updates, and the paths of a ProjectionExpression.
//
// Nodes live in the request's arena, refer to the expression's text and to the request's
// placeholders, and are trivially destructible. The parser (parser.h) builds the tree from the text
// alone; the checks (condition.h, update.h, projection.h) then resolve the placeholders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "protocol/values/value.h"

namespace stator::expr {

inline constexpr std::size_t kExpressionBytesMax = 4096;
inline constexpr std::size_t kOperatorsMax = 300;
inline constexpr std::size_t kInOperandsMax = 100;
inline constexpr std::uint64_t kListIndexMax = 4'294'967'294;

// One step of a document path: an attribute's name or the index of a list element.
struct PathElement {
  std::string_view text = {};  // as written: `a` or `#a`; empty for an index
  std::string_view name = {};  // the resolved name; the text itself until then
  std::uint64_t index = 0;
  bool is_index = false;
};

// The first element is always a name. Elements may change until the placeholders are resolved.
using Path = std::span<PathElement>;

enum class Function : std::uint8_t {
  AttributeExists,
  AttributeNotExists,
  AttributeType,
  BeginsWith,
  Contains,
  Size,
  IfNotExists,  // this and the next only in updates, all others only elsewhere
  ListAppend,
  Unknown,  // only before the checks
};

struct Call;

// A path, a constant or the result of a function.
struct Operand {
  enum class Kind : std::uint8_t { Attribute, Constant, Computed };

  Kind kind = Kind::Attribute;
  Path path = {};                     // Attribute
  std::string_view placeholder = {};  // Constant: `:v`
  Value value = {};                   // Constant: the placeholder's value, once resolved
  Call* call = nullptr;               // Computed
};

struct Call {
  Function function;
  std::string_view name;
  std::span<Operand> operands = {};
};

enum class Comparator : std::uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };

struct Condition {
  // Truth occurs only in statements.
  enum class Kind : std::uint8_t { And, Or, Not, Compare, Between, In, Test, Truth };

  Kind kind;
  Comparator comparator = Comparator::Equal;  // Compare
  // And, Or: two or more; Not: one; Truth: the tested condition, then candidates.
  std::span<Condition*> children = {};
  // Compare: left, right; Between: tested, lower, upper; In: tested, then the candidates; Truth:
  // more candidates, of which only a boolean can match.
  std::span<Operand> operands = {};
  Call* call = nullptr;  // Test: a function as a condition
};

// target = left, target = left + right or target = left - right.
struct SetAction {
  enum class Arithmetic : std::uint8_t { None, Plus, Minus };

  Path target = {};
  Operand left = {};
  Arithmetic arithmetic = Arithmetic::None;
  Operand right = {};  // with arithmetic only
};

// ADD target operand, DELETE target operand. The operand is a constant.
struct ValueAction {
  Path target = {};
  Operand operand = {};
};

// No two targets overlap or conflict.
struct Update {
  std::span<SetAction> sets = {};
  std::span<Path> removes = {};
  std::span<ValueAction> adds = {};
  std::span<ValueAction> deletes = {};
  // The targets of all actions, in the order of the text.
  std::span<const Path> targets = {};
  // Made from AttributeUpdates: ADD appends to lists, and a type mismatch with the stored value has
  // its own error text.
  bool is_legacy = false;
};

}  // namespace stator::expr
