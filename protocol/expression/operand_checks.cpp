#include "protocol/expression/operand_checks.h"

#include <algorithm>
#include <optional>
#include <string>

#include "protocol/expression/paths.h"
#include "protocol/limits.h"

namespace stator::expr {

namespace {

// The type of an operand's value, where the expression tells it.
std::optional<Type> known_type(const Operand& operand) {
  if (operand.kind == Operand::Kind::Constant) return operand.value.type();
  if (operand.kind == Operand::Kind::Attribute) return std::nullopt;
  if (operand.call->function == Function::Size) return Type::N;
  if (operand.call->function == Function::ListAppend) return Type::L;
  return std::nullopt;
}

}  // namespace

Result<void> resolve_path(Path path, const Messages& messages, Placeholders& placeholders) {
  for (PathElement& element : path) {
    if (!element.text.starts_with('#')) continue;
    const std::string_view* const name = placeholders.find_name(element.text);
    if (name == nullptr) {
      return messages.error(
          std::string("An expression attribute name used in the document path is not defined; "
                      "attribute name: ")
              .append(element.text));
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
                .append(operand.placeholder));
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
  return messages_.error(
      std::string("Incorrect number of operands for operator or function; operator or function: ")
          .append(call.name)
          .append(", number of operands: ")
          .append(std::to_string(call.operands.size())));
}

Result<void> OperandChecks::check_is_path(const Call& call) const {
  if (call.operands[0].kind == Operand::Kind::Attribute) return {};
  return messages_.error(
      std::string("Operator or function requires a document path; operator or function: ")
          .append(call.name));
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
  return messages_.error(
      std::string("The first operand must be distinct from the remaining operands for this "
                  "operator or function; operator: ")
          .append(name)
          .append(", first operand: ")
          .append(path_text(first.path)));
}

Result<void> OperandChecks::check_types(std::string_view name, std::span<const Operand> operands,
                                        Types allowed) const {
  for (const Operand& operand : operands) {
    const auto type = known_type(operand);
    if (type && (allowed & only(*type)) == 0) return wrong_type(name, type_name(*type));
  }
  return {};
}

Error OperandChecks::wrong_type(std::string_view name, std::string_view type) const {
  return messages_.error(
      std::string("Incorrect operand type for operator or function; operator or function: ")
          .append(name)
          .append(", operand type: ")
          .append(type));
}

}  // namespace stator::expr
