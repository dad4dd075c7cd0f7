// The static checks of operands and functions that conditions and updates share: placeholders,
// number of arguments, types of constants.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "protocol/errors/result.h"
#include "protocol/expression/resolution/placeholders.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/expression/syntax/messages.h"
#include "protocol/values/value.h"

namespace stator::expr {

// A set of types, one bit each.
using Types = unsigned;
constexpr Types only(Type type) { return 1u << static_cast<unsigned>(type); }
inline constexpr Types kSets = only(Type::SS) | only(Type::NS) | only(Type::BS);
// "N, S or B", of types that operators take.
std::string types_text(Types types);

class OperandChecks {
 public:
  // `placeholders` is nullptr if all are resolved already.
  OperandChecks(const Messages& messages, Placeholders* placeholders)
      : messages_(messages), placeholders_(placeholders) {}

  // Resolve the placeholders, in arguments too. Do nothing without placeholders.
  Result<void> resolve(Path path);
  Result<void> resolve_name(Operand& operand);   // `#name` only
  Result<void> resolve_value(Operand& operand);  // `:value` only
  Result<void> resolve(Operand& operand);        // both, in the order of the text
  Result<void> resolve(std::span<Operand> operands);

  Result<void> check_operand_count(const Call& call, std::size_t expected) const;
  // Checks that the first argument is a document path.
  Result<void> check_is_path(const Call& call) const;
  // Checks that the first operand is no path that another operand repeats.
  Result<void> check_distinct(std::string_view name, std::span<const Operand> operands) const;
  // Checks that constants and results of functions are of the types `allowed`. The type at a path
  // or of if_not_exists() is known only at evaluation.
  Result<void> check_types(std::string_view name, std::span<const Operand> operands,
                           Types allowed) const;
  // Checks the number of operators of an expression.
  Result<void> check_operators(std::size_t count) const;
  // `allowed` are the types that the operator or function takes, in words.
  Error wrong_type(std::string_view name, std::string_view type, std::string_view allowed) const;

 private:
  const Messages& messages_;
  Placeholders* placeholders_;
};

// Resolves the `#name` placeholders of a path.
Result<void> resolve_path(Path path, const Messages& messages, Placeholders& placeholders);

}  // namespace stator::expr
