#include "protocol/expression/resolution/operand_checks.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "protocol/errors/rule.h"
#include "protocol/expression/resolution/paths.h"
#include "protocol/service/limits.h"

namespace stator::expr {

namespace {

// The type of an operand's value, if the expression alone determines it.
std::optional<Type> known_type(const Operand& operand) {
  if (operand.kind == Operand::Kind::Constant) return operand.value.type();
  if (operand.kind == Operand::Kind::Attribute) return std::nullopt;
  if (operand.call->function == Function::Size) return Type::N;
  if (operand.call->function == Function::ListAppend) return Type::L;
  return std::nullopt;
}

}  // namespace

std::string types_text(Types types) {
  std::vector<std::string_view> names;
  const auto add = [&](Types wanted, std::string_view name) {
    if ((types & wanted) == wanted) names.push_back(name);
  };
  add(only(Type::N), "N");
  add(only(Type::S), "S");
  add(only(Type::B), "B");
  add(kSets, "a set");
  add(only(Type::L), "L");
  add(only(Type::M), "M");
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text.append(i + 1 == names.size() ? " or " : ", ");
    text.append(names[i]);
  }
  return text;
}

Result<void> resolve_path(Path path, const Messages& messages, Placeholders& placeholders) {
  for (PathElement& element : path) {
    if (!element.text.starts_with('#')) continue;
    const std::string_view* const name = placeholders.find_name(element.text);
    if (name == nullptr) {
      return messages.error(
          std::string("An expression attribute name used in the document path is not defined; "
                      "attribute name: ")
              .append(element.text),
          Rule::NameDefined, {element.text});
    }
    element.name = *name;
  }
  if (path.size() > limits::kValueDepthMax) {
    return messages.error(
        std::string("The document path has too many nesting levels; nesting levels: ")
            .append(std::to_string(path.size())));
  }
  return {};
}

Result<void> OperandChecks::resolve(Path path) {
  if (placeholders_ == nullptr) return {};
  return resolve_path(path, messages_, *placeholders_);
}

Result<void> OperandChecks::resolve_name(Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::Attribute:
      return resolve(operand.path);
    case Operand::Kind::Constant:
      return {};
    case Operand::Kind::Computed:
      break;
  }
  for (Operand& argument : operand.call->operands) STATOR_CHECK(resolve_name(argument));
  return {};
}

Result<void> OperandChecks::resolve_value(Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::Attribute:
      return {};
    case Operand::Kind::Constant: {
      if (placeholders_ == nullptr) return {};
      const Value* const value = placeholders_->find_value(operand.placeholder);
      if (value == nullptr) {
        return messages_.error(
            std::string("An expression attribute value used in expression is not defined; "
                        "attribute value: ")
                .append(operand.placeholder),
            Rule::ValueDefined, {operand.placeholder});
      }
      operand.value = *value;
      return {};
    }
    case Operand::Kind::Computed:
      break;
  }
  for (Operand& argument : operand.call->operands) STATOR_CHECK(resolve_value(argument));
  return {};
}

Result<void> OperandChecks::resolve(Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::Attribute:
      return resolve(operand.path);
    case Operand::Kind::Constant:
      return resolve_value(operand);
    case Operand::Kind::Computed:
      break;
  }
  return resolve(operand.call->operands);
}

Result<void> OperandChecks::resolve(std::span<Operand> operands) {
  for (Operand& operand : operands) STATOR_CHECK(resolve(operand));
  return {};
}

Result<void> OperandChecks::check_operand_count(const Call& call, std::size_t expected) const {
  if (call.operands.size() == expected) return {};
  const std::string given = std::to_string(call.operands.size());
  return messages_.error(
      std::string("Incorrect number of operands for operator or function; operator or function: ")
          .append(call.name)
          .append(", number of operands: ")
          .append(given),
      Rule::OperandCount, {call.name, given, std::to_string(expected)});
}

Result<void> OperandChecks::check_is_path(const Call& call) const {
  if (call.operands[0].kind == Operand::Kind::Attribute) return {};
  return messages_.error(
      std::string("Operator or function requires a document path; operator or function: ")
          .append(call.name),
      Rule::OperandIsPath, {call.name});
}

Result<void> OperandChecks::check_distinct(std::string_view name,
                                           std::span<const Operand> operands) const {
  const Operand& first = operands.front();
  if (first.kind != Operand::Kind::Attribute) return {};
  const bool is_repeated =
      std::any_of(operands.begin() + 1, operands.end(), [&](const Operand& other) {
        return other.kind == Operand::Kind::Attribute && is_same_path(first.path, other.path);
      });
  if (!is_repeated) return {};
  const std::string path = path_text(first.path);
  return messages_.error(
      std::string("The first operand must be distinct from the remaining operands for this "
                  "operator or function; operator: ")
          .append(name)
          .append(", first operand: ")
          .append(path),
      Rule::DistinctOperands, {name, path});
}

Result<void> OperandChecks::check_types(std::string_view name, std::span<const Operand> operands,
                                        Types allowed) const {
  for (const Operand& operand : operands) {
    const auto type = known_type(operand);
    if (type && (allowed & only(*type)) == 0) {
      return wrong_type(name, type_name(*type), types_text(allowed));
    }
  }
  return {};
}

// The service stops counting at the first operator too many, and says that number.
Result<void> OperandChecks::check_operators(std::size_t count) const {
  if (count <= kOperatorsMax) return {};
  return messages_.error(std::string("The expression contains too many operators; operator count: ")
                             .append(std::to_string(kOperatorsMax + 1)),
                         Rule::OperatorCount, {std::to_string(count)});
}

Error OperandChecks::wrong_type(std::string_view name, std::string_view type,
                                std::string_view allowed) const {
  return messages_.error(
      std::string("Incorrect operand type for operator or function; operator or function: ")
          .append(name)
          .append(", operand type: ")
          .append(type),
      Rule::OperandType, {name, type, allowed});
}

}  // namespace stator::expr
