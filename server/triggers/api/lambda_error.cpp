#include "server/triggers/api/lambda_error.h"

#include <algorithm>
#include <utility>

#include "protocol/json/json_writer.h"
#include "protocol/text/utf8.h"

namespace stator::triggers {
namespace {

constexpr std::size_t kShownValueBytesMax = 8192;

LambdaRefusal refusal_of(std::uint16_t status, std::string_view code, std::string message,
                         LambdaErrorForm form = LambdaErrorForm::Typed) {
  return LambdaRefusal(
      LambdaError{.status = status, .code = code, .message = std::move(message), .form = form});
}

// Parts of a path may be any bytes once they are decoded.
std::string printable(std::string text) {
  if (is_valid_utf8(text)) return text;
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return text;
}

}  // namespace

std::string LambdaError::render() const {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  if (form != LambdaErrorForm::Bare) json.member("Type", status >= 500 ? "Service" : "User");
  json.member(form == LambdaErrorForm::TypedUpper ? "Message" : "message", printable(message));
  json.end_object();
  return body;
}

LambdaRefusal invalid_value(std::string message) {
  return refusal_of(400, "InvalidParameterValueException", std::move(message));
}

LambdaRefusal source_not_found(std::string message) {
  return refusal_of(404, "ResourceNotFoundException", std::move(message),
                    LambdaErrorForm::TypedUpper);
}

LambdaRefusal mapping_conflict(std::string message) {
  return refusal_of(409, "ResourceConflictException", std::move(message));
}

LambdaRefusal mapping_in_use(std::string message) {
  return refusal_of(400, "ResourceInUseException", std::move(message), LambdaErrorForm::TypedUpper);
}

LambdaRefusal unreadable_body(std::string message) {
  return refusal_of(400, "InvalidRequestContentException", std::move(message));
}

LambdaRefusal too_large_payload(std::size_t bytes, std::string_view invocation_type,
                                std::size_t bytes_max) {
  std::string message = std::to_string(bytes);
  message.append(" byte payload is too large for the ")
      .append(invocation_type)
      .append(" invocation type (limit ")
      .append(std::to_string(bytes_max))
      .append(" bytes)");
  return refusal_of(413, "RequestEntityTooLargeException", std::move(message),
                    LambdaErrorForm::TypedUpper);
}

LambdaRefusal too_many_requests(std::string message) {
  return refusal_of(429, "TooManyRequestsException", std::move(message));
}

LambdaRefusal function_not_ready(std::string message) {
  return refusal_of(502, "ResourceNotReadyException", std::move(message));
}

LambdaRefusal wrong_member_type(std::string_view member, std::string_view wanted) {
  std::string message(member);
  message.append(" is to be ").append(wanted);
  return refusal_of(400, "SerializationException", std::move(message), LambdaErrorForm::Bare);
}

LambdaRefusal unknown_lambda_operation() {
  return refusal_of(404, "UnknownOperationException",
                    "This server has of Lambda the event source mappings, their tags, and reading "
                    "and calls of the functions that it was started with.",
                    LambdaErrorForm::Bare);
}

LambdaRefusal lambda_failure() {
  return refusal_of(500, "ServiceException",
                    "An error occurred and the request cannot be processed.",
                    LambdaErrorForm::TypedUpper);
}

void ConstraintList::add(std::string_view member, std::string_view value,
                         std::string_view constraint) {
  std::string text("Value '");
  text.append(utf8_prefix(value, kShownValueBytesMax)).append("' at '").append(member);
  violations_.push_back(text.append("' failed to satisfy constraint: ").append(constraint));
}

void ConstraintList::add_null(std::string_view member) {
  std::string text("Value null at '");
  text.append(member);
  violations_.push_back(text.append("' failed to satisfy constraint: Member must not be null"));
}

void ConstraintList::check_range(std::string_view member, std::int64_t value, std::int64_t least,
                                 std::int64_t most) {
  std::string constraint("Member must have value ");
  if (value < least) {
    constraint.append("greater than or equal to ").append(std::to_string(least));
  } else if (value > most) {
    constraint.append("less than or equal to ").append(std::to_string(most));
  } else {
    return;
  }
  add(member, std::to_string(value), constraint);
}

void ConstraintList::check_length(std::string_view member, std::string_view value,
                                  std::size_t chars_max) {
  if (value.empty()) {
    add(member, value, "Member must have length greater than or equal to 1");
  } else if (utf8_length(value) > chars_max) {
    std::string constraint("Member must have length less than or equal to ");
    add(member, value, constraint.append(std::to_string(chars_max)));
  }
}

LambdaRefusal ConstraintList::refusal() const {
  std::string message = std::to_string(violations_.size());
  message.append(violations_.size() == 1 ? " validation error" : " validation errors");
  message.append(" detected: ");
  for (std::size_t i = 0; i < violations_.size(); ++i)
    message.append(i == 0 ? "" : "; ").append(violations_[i]);
  return refusal_of(400, "ValidationException", std::move(message), LambdaErrorForm::Bare);
}

}  // namespace stator::triggers
