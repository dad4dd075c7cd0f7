// The tree of a parsed expression: what ConditionExpression, FilterExpression and the paths of a
// ProjectionExpression mean.
//
// Nodes live in the request's arena and refer to the expression's text and to the placeholders of
// the request; they are trivially destructible. A tree is made in two steps: the parser (parser.h)
// builds it from the text alone, then the checks (condition.h, projection.h) put in what the
// placeholders stand for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "protocol/value.h"

namespace stator::expr {

inline constexpr std::size_t kExpressionBytesMax = 4096;
inline constexpr std::size_t kOperatorsMax = 300;
inline constexpr std::size_t kInOperandsMax = 100;

// One step of a document path: an attribute's name or the index of a list element.
struct PathElement {
  std::string_view text = {};  // as written: `a` or `#a`; empty for an index
  std::string_view name = {};  // what it stands for; the text itself until resolved
  std::uint64_t index = 0;     // saturates
  bool is_index = false;
};

// The first element is always a name. Elements are mutable until the placeholders are resolved.
using Path = std::span<PathElement>;

enum class Function : std::uint8_t {
  AttributeExists,
  AttributeNotExists,
  AttributeType,
  BeginsWith,
  Contains,
  Size,
  Unknown,  // only before the checks
};

struct Call;

// A path, a constant or the result of a function.
struct Operand {
  enum class Kind : std::uint8_t { Attribute, Constant, Computed };

  Kind kind = Kind::Attribute;
  Path path = {};                     // Attribute
  std::string_view placeholder = {};  // Constant: `:v`
  Value value = {};                   // Constant: what the placeholder stands for, once resolved
  Call* call = nullptr;               // Computed
};

struct Call {
  Function function;
  std::string_view name;
  std::span<Operand> operands = {};
};

enum class Comparator : std::uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };

struct Condition {
  enum class Kind : std::uint8_t { And, Or, Not, Compare, Between, In, Test };

  Kind kind;
  Comparator comparator = Comparator::Equal;  // Compare
  std::span<Condition*> children = {};        // And, Or: two or more; Not: one
  // Compare: left, right; Between: tested, lower, upper; In: tested, then the candidates.
  std::span<Operand> operands = {};
  Call* call = nullptr;  // Test: a function as a condition
};

}  // namespace stator::expr
