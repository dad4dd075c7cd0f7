// Copies parsed trees, so that one parse serves many requests: each resolves its placeholders in
// its own copy.
#pragma once

#include <span>
#include <string_view>

#include "protocol/expression/syntax/ast.h"
#include "protocol/expression/syntax/parser.h"
#include "protocol/memory/arena.h"

namespace stator::expr {

// Copies a tree parsed from the text `from` and not resolved yet. The copies refer to `to`, which
// has the same bytes, and live in `arena`.
class TreeCopier {
 public:
  TreeCopier(std::string_view from, std::string_view to, Arena& arena)
      : from_(from.data()), to_(to.data()), arena_(arena) {}

  ParsedCondition copy(const ParsedCondition& parsed);
  Update* copy(Update* const& update);
  std::span<Path> copy(const std::span<Path>& paths);

 private:
  std::string_view moved(std::string_view part) const;
  Path copy_path(Path path);
  Operand copy_operand(const Operand& operand);
  std::span<Operand> copy_operands(std::span<const Operand> operands);
  Call* copy_call(const Call& call);
  Condition* copy_condition(const Condition& node);
  std::span<ValueAction> copy_actions(std::span<const ValueAction> actions, const Path* targets);

  const char* const from_;
  const char* const to_;
  Arena& arena_;
};

}  // namespace stator::expr
