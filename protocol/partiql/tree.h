// The tree of a PartiQL statement, as the text says it: what parameters stand for, and whether the
// service can do what is asked for, is told when it is lowered (lowering.h).
//
// Nodes live in an arena, refer to it and to the statement's text, and are trivially destructible.
// Nothing changes a tree once it is parsed, so that several requests may share one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stator::partiql {

// Parentheses, brackets and functions inside each other.
inline constexpr std::size_t kNestingMax = 256;

// Of a token: line and column from 1, in characters.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::uint32_t length = 0;
};
// As messages show it: "1:8:5".
std::string position_text(Position position);

enum class Operator : std::uint8_t {
  Or,
  And,
  Not,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Between,
  In,
  Like,
  Is,
  Plus,
  Minus,
  Times,
  Divide,
  Modulo,
  Concatenate,
};

struct Node;

// One step of a path.
struct Step {
  enum class Kind : std::uint8_t { Name, Index, Star };

  Kind kind = Kind::Name;
  std::string_view name = {};   // Name
  const Node* index = nullptr;  // Index: any expression
  Position at = {};
};

struct Node {
  enum class Kind : std::uint8_t {
    Null,
    Missing,
    Boolean,
    Number,
    String,
    Parameter,
    Path,
    List,
    Bag,
    Map,
    Call,
    Operation,
  };

  Kind kind;
  Position at = {};  // of its first token; of the operator
  // Number: its text without a sign; String: what it says; Call: the function as written; Operation
  // Is: the type's name.
  std::string_view text = {};
  bool is_true = false;        // Boolean
  bool is_negative = false;    // Number
  Operator op = Operator::Or;  // Operation
  bool is_negated = false;     // Operation: NOT IN, NOT BETWEEN, NOT LIKE, IS NOT
  std::size_t place = 0;       // Parameter: from 0
  // List, Bag: elements; Map: keys and values in turn; Call: arguments; Operation: operands, of IN
  // and IS just the tested one and, of IN, what it is looked for in.
  std::span<const Node* const> children = {};
  std::span<const Step> steps = {};  // Path: a name, then any
};

struct OrderKey {
  const Node* key = nullptr;
  bool is_descending = false;
};

// SET target = value, or REMOVE target.
struct Change {
  const Node* target = nullptr;
  const Node* value = nullptr;  // nullptr: REMOVE
};

struct Returning {
  bool is_all = false;  // MODIFIED otherwise
  bool is_old = false;  // NEW otherwise
};

// A clause that parses and that the service does not have.
struct UnknownClause {
  std::string_view name;
  Position at;
  std::span<const Node* const> values;  // their parameters count
};

struct Statement {
  enum class Kind : std::uint8_t { Select, Exists, Insert, Update, Delete };

  Kind kind = Kind::Select;
  std::span<const Node* const> projection = {};  // Select, Exists; empty: *
  const Node* from = nullptr;                    // Path
  bool has_alias = false;
  const Node* where = nullptr;
  std::span<const OrderKey> order = {};
  std::span<const UnknownClause> unknown = {};
  const Node* value = nullptr;           // Insert
  std::span<const Change> changes = {};  // Update, in the order of the text
  std::optional<Returning> returning = {};
  std::size_t parameters = 0;
};

}  // namespace stator::partiql
