// The static checks of operands and functions that conditions and updates share: placeholders,
// numbers of arguments, types of constants.
#pragma once

#include <span>
#include <string_view>

#include "protocol/expression/ast.h"
#include "protocol/expression/messages.h"
#include "protocol/expression/placeholders.h"
#include "protocol/result.h"
#include "protocol/value.h"

namespace stator::expr {

// Types as a set of bits.
using Types = unsigned;
constexpr Types only(Type type) { return 1u << static_cast<unsigned>(type); }

class OperandChecks {
 public:
  // `placeholders` is nullptr where there are none, because all is in place already.
  OperandChecks(const Messages& messages, Placeholders* placeholders)
      : messages_(messages), placeholders_(placeholders) {}

  // No-ops without placeholders. Put in what the placeholders stand for, those of arguments
  // included.
  Result<void> resolve(Path path);
  Result<void> resolve_name(Operand& operand);   // no `:value`
  Result<void> resolve_value(Operand& operand);  // no `#name`
  Result<void> resolve(Operand& operand);        // whichever comes first
  Result<void> resolve(std::span<Operand> operands);

  Result<void> check_operand_count(const Call& call, std::size_t expected) const;
  // The first argument is a document path.
  Result<void> check_is_path(const Call& call) const;
  // The first operand is a path that none of the others is.
  Result<void> check_distinct(std::string_view name, std::span<const Operand> operands) const;
  // Constants and the results of functions are of the types `allowed`. What a path or
  // if_not_exists() leads to is known when it is evaluated.
  Result<void> check_types(std::string_view name, std::span<const Operand> operands,
                           Types allowed) const;
  Error wrong_type(std::string_view name, std::string_view type) const;

 private:
  const Messages& messages_;
  Placeholders* placeholders_;
};

// Puts in what the `#name` of a path stand for.
Result<void> resolve_path(Path path, const Messages& messages, Placeholders& placeholders);

}  // namespace stator::expr
