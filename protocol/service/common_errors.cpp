#include "protocol/service/common_errors.h"

#include <utility>

#include "protocol/errors/rule.h"
#include "protocol/service/wording.h"

namespace stator {

Error invalid_parameter(std::string statement) {
  return Error::validation(std::move(statement)).within(kInvalidParameter);
}

Error number_error(NumberError error, std::optional<std::string_view> text) {
  switch (error) {
    case NumberError::NotANumber: {
      std::string message = "The parameter cannot be converted to a numeric value";
      if (!text) return Error::validation(std::move(message)).with_rule(Rule::NumberNotEmpty);
      message.append(": ").append(*text);
      return Error::validation(std::move(message)).with_rule(Rule::NumberText, {*text});
    }
    case NumberError::Overflow:
      return Error::validation(
                 "Number overflow. Attempting to store a number with magnitude larger than "
                 "supported range")
          .with_rule(Rule::NumberMaximum);
    case NumberError::Underflow:
      return Error::validation(
                 "Number underflow. Attempting to store a number with magnitude smaller than "
                 "supported range")
          .with_rule(Rule::NumberMinimum);
    case NumberError::TooManyDigits:
    case NumberError::None:
      break;
  }
  return Error::validation("Attempting to store more than 38 significant digits in a Number")
      .with_rule(Rule::NumberDigits);
}

Error unconvertible_error(std::string_view token, std::string_view java_class) {
  return Error::serialization(
             std::string(token).append(" cannot be converted to ").append(java_class))
      .with_rule(Rule::JsonType, {token, java_class});
}

Error nesting_error(std::string_view details) {
  return Error::validation(
             std::string("Nesting Levels have exceeded supported limits").append(details))
      .with_rule(Rule::Nesting);
}

Error constraint_error(std::string_view member, std::string_view constraint,
                       std::optional<std::string_view> value) {
  std::string message = "Value ";
  if (value) message.append("'").append(*value).append("' ");
  message.append("at '").append(member).append("' failed to satisfy constraint: ");
  return Error::validation(message.append(constraint))
      .within(kOneValidationError)
      .with_rule(Rule::Constraint, {member, constraint, value.value_or("")});
}

Error resource_not_found(std::string_view what) {
  std::string message = "Requested resource not found";
  if (!what.empty()) message.append(": ").append(what);
  return Error::resource_not_found(std::move(message)).with_rule(Rule::ResourceExists, {what});
}

}  // namespace stator
