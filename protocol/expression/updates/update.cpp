// The static checks of updates. Unlike for conditions, the service makes each check over the whole
// expression before the next: names, values, targets, operand types of ADD and DELETE, functions
// and arithmetic.
#include "protocol/expression/updates/update.h"

#include <array>
#include <span>
#include <string>

#include "protocol/errors/rule.h"
#include "protocol/expression/evaluation/projection.h"
#include "protocol/expression/resolution/operand_checks.h"
#include "protocol/expression/resolution/paths.h"
#include "protocol/expression/syntax/cache.h"
#include "protocol/expression/syntax/messages.h"
#include "protocol/expression/syntax/parser.h"
#include "protocol/expression/updates/resolved_update.h"

namespace stator::expr {
namespace {

constexpr std::size_t kArgumentCount = 2;  // both functions take two

// Only messages about operand types of ADD and DELETE use these names.
std::string_view long_type_name(Type type, Wording wording) {
  if (type == Type::Bool && wording.is_new()) return type_name(type);
  constexpr std::array<std::string_view, 10> kNames = {
      "STRING",     "NUMBER",     "BINARY",     "BOOLEAN", "NULL",
      "STRING_SET", "NUMBER_SET", "BINARY_SET", "LIST",    "MAP"};
  return kNames.at(static_cast<std::size_t>(type));
}

bool has_right(const SetAction& action) { return action.arithmetic != SetAction::Arithmetic::None; }

void add_paths(const Operand& operand, std::vector<Path>& paths) {
  if (operand.kind == Operand::Kind::Attribute) paths.push_back(operand.path);
  if (operand.kind != Operand::Kind::Computed) return;
  for (const Operand& argument : operand.call->operands) add_paths(argument, paths);
}

// Functions are operators, too.
std::size_t operator_count(const Operand& operand) {
  if (operand.kind != Operand::Kind::Computed) return 0;
  std::size_t count = 1;
  for (const Operand& argument : operand.call->operands) count += operator_count(argument);
  return count;
}

std::size_t operator_count(const Update& update) {
  std::size_t count = 0;
  for (const SetAction& action : update.sets) {
    count += operator_count(action.left);
    if (has_right(action)) count += 1 + operator_count(action.right);
  }
  return count;
}

class Checker {
 public:
  Checker(const Messages& messages, Placeholders* placeholders)
      : messages_(messages), operands_(messages, placeholders) {}

  Result<void> check(Update& update, Arena& arena) {
    STATOR_CHECK(resolve(update));
    const std::span<const Path> sorted = sort_paths(update.targets, arena);
    STATOR_CHECK(check_paths_apart(update.targets, sorted, messages_));
    STATOR_CHECK(check_constants("ADD", update.adds, kSets | only(Type::N)));
    STATOR_CHECK(check_constants("DELETE", update.deletes, kSets));
    for (const SetAction& action : update.sets) STATOR_CHECK(check_set(action));
    return operands_.check_operators(operator_count(update));
  }

 private:
  // Actions share their targets' paths, so resolving each once is enough.
  Result<void> resolve(Update& update) {
    for (const Path target : update.targets) STATOR_CHECK(operands_.resolve(target));
    for (SetAction& action : update.sets) {
      STATOR_CHECK(operands_.resolve_name(action.left));
      if (has_right(action)) STATOR_CHECK(operands_.resolve_name(action.right));
    }
    for (SetAction& action : update.sets) {
      STATOR_CHECK(operands_.resolve_value(action.left));
      if (has_right(action)) STATOR_CHECK(operands_.resolve_value(action.right));
    }
    for (ValueAction& action : update.adds) STATOR_CHECK(operands_.resolve_value(action.operand));
    for (ValueAction& action : update.deletes) {
      STATOR_CHECK(operands_.resolve_value(action.operand));
    }
    return {};
  }

  Result<void> check_constants(std::string_view section, std::span<const ValueAction> actions,
                               Types allowed) const {
    for (const ValueAction& action : actions) {
      const Type type = action.operand.value.type();
      if ((allowed & only(type)) != 0) continue;
      const std::string_view type_text = long_type_name(type, messages_.wording);
      return messages_.error(
          std::string("Incorrect operand type for operator or function; operator: ")
              .append(section)
              .append(", operand type: ")
              .append(type_text)
              .append(", typeSet: ALLOWED_FOR_")
              .append(messages_.wording.is_new() ? "ADD" : section)
              .append("_OPERAND"),
          Rule::UpdateOperandType, {section, type_text, types_text(allowed)});
    }
    return {};
  }

  Result<void> check_set(const SetAction& action) {
    STATOR_CHECK(check_call(action.left));
    if (!has_right(action)) return {};
    STATOR_CHECK(check_call(action.right));
    const std::array<Operand, 2> operands = {action.left, action.right};
    const bool is_sum = action.arithmetic == SetAction::Arithmetic::Plus;
    return operands_.check_types(is_sum ? "+" : "-", operands, only(Type::N));
  }

  Result<void> check_call(const Operand& operand) {
    if (operand.kind != Operand::Kind::Computed) return {};
    const Call& call = *operand.call;
    for (const Operand& argument : call.operands) STATOR_CHECK(check_call(argument));
    STATOR_CHECK(operands_.check_operand_count(call, kArgumentCount));
    if (call.function == Function::IfNotExists) {
      STATOR_CHECK(operands_.check_is_path(call));
      return operands_.check_distinct(call.name, call.operands);
    }
    return operands_.check_types(call.name, call.operands, only(Type::L));
  }

  const Messages& messages_;
  OperandChecks operands_;
};

}  // namespace

Result<const Update*> parse_update(std::string_view text, Placeholders& placeholders,
                                   Wording wording, Arena& arena) {
  const Messages messages{"UpdateExpression", wording};
  STATOR_TRY(Update* const update,
             parse_cached<Update*>(text, messages, placeholders.cache(), arena, parse_update_text));
  STATOR_CHECK(Checker(messages, &placeholders).check(*update, arena));
  return update;
}

Result<void> check_resolved_update(Update& update, Arena& arena) {
  return Checker(Messages{{}, Wording{}}, nullptr).check(update, arena);
}

std::vector<Path> all_paths(const Update& update) {
  std::vector<Path> paths(update.targets.begin(), update.targets.end());
  for (const SetAction& action : update.sets) {
    add_paths(action.left, paths);
    if (has_right(action)) add_paths(action.right, paths);
  }
  return paths;
}

Item targeted_part(const Update& update, Item item, Arena& arena) {
  return project(Projection{update.targets, sort_paths(update.targets, arena)}, item, arena);
}

}  // namespace stator::expr
