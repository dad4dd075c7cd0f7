// The tree of a PartiQL statement, exactly as written. Lowering (lowering.h) applies parameters and
// checks whether the service supports the statement.
//
// Nodes live in an arena, refer to it and to the statement's text, and are trivially destructible.
// A parsed tree never changes, so several requests may share one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stator::partiql {

// Maximum nesting of parentheses, brackets and functions.
inline constexpr std::size_t kNestingMax = 256;

// Position of a token: line and column from 1, in characters.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::uint32_t length = 0;
};
// The position as messages show it: "1:8:5".
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
  Position at = {};  // its first token's; an Operation's operator's
  // Number: its text without a sign; String: its value; Call: the function as written; Operation
  // Is: the type's name.
  std::string_view text = {};
  bool is_true = false;        // Boolean
  bool is_negative = false;    // Number
  Operator op = Operator::Or;  // Operation
  bool is_negated = false;     // Operation: NOT IN, NOT BETWEEN, NOT LIKE, IS NOT
  std::size_t place = 0;       // Parameter: index from 0
  // List, Bag: elements; Map: keys and values alternating; Call: arguments; Operation: operands. IN
  // has the tested operand and the collection to search, IS only the tested operand.
  std::span<const Node* const> children = {};
  std::span<const Step> steps = {};  // Path: a name, then any steps
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
  bool is_all = false;  // ALL; false: MODIFIED
  bool is_old = false;  // OLD; false: NEW
};

// A clause that parses but that the service does not support.
struct UnknownClause {
  std::string_view name;
  Position at;
  std::span<const Node* const> values;  // their parameters count too
};

struct Statement {
  enum class Kind : std::uint8_t { Select, Exists, Insert, Update, Delete };

  Kind kind = Kind::Select;
  std::span<const Node* const> projection = {};  // Select, Exists; empty means *
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
