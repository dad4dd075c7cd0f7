// The table of errors and the body of an error answer.
//
// Sources of the rows: the API model (names, statuses) and recorded answers (prefixes, spelling of
// the message member). The service spells `Message` with a capital letter where the front end
// answers, not the database.
#include "protocol/error.h"

#include <array>
#include <cassert>
#include <utility>

#include "protocol/json_writer.h"

namespace stator {
namespace {

using Member = ErrorInfo::Member;

constexpr std::string_view kValidate = "com.amazon.coral.validate#";
constexpr std::string_view kService = "com.amazon.coral.service#";
constexpr std::string_view kDatabase = "com.amazonaws.dynamodb.v20120810#";
constexpr std::string_view kAvailability = "com.amazon.coral.availability#";

constexpr std::array kErrors = {
    ErrorInfo{ErrorCode::Validation, "ValidationException", kValidate, 400, Member::Lower},
    ErrorInfo{ErrorCode::Serialization, "SerializationException", kService, 400, Member::Upper},
    ErrorInfo{ErrorCode::UnknownOperation, "UnknownOperationException", kService, 400,
              Member::None},
    ErrorInfo{ErrorCode::MissingAuthenticationToken, "MissingAuthenticationTokenException",
              kService, 400, Member::Lower},
    ErrorInfo{ErrorCode::IncompleteSignature, "IncompleteSignatureException", kService, 400,
              Member::Lower},
    ErrorInfo{ErrorCode::InvalidSignature, "InvalidSignatureException", kService, 400,
              Member::Lower},
    ErrorInfo{ErrorCode::UnrecognizedClient, "UnrecognizedClientException", kService, 400,
              Member::Lower},
    ErrorInfo{ErrorCode::AccessDenied, "AccessDeniedException", kService, 400, Member::Upper},
    ErrorInfo{ErrorCode::InternalFailure, "InternalFailure", kService, 500, Member::Lower},
    ErrorInfo{ErrorCode::ConditionalCheckFailed, "ConditionalCheckFailedException", kDatabase, 400,
              Member::Lower},
    ErrorInfo{ErrorCode::DuplicateItem, "DuplicateItemException", kDatabase, 400, Member::Lower},
    ErrorInfo{ErrorCode::ExpiredIterator, "ExpiredIteratorException", kDatabase, 400,
              Member::Lower},
    ErrorInfo{ErrorCode::IdempotentParameterMismatch, "IdempotentParameterMismatchException",
              kDatabase, 400, Member::Upper},
    ErrorInfo{ErrorCode::InternalServerError, "InternalServerError", kDatabase, 500, Member::Lower},
    ErrorInfo{ErrorCode::ItemCollectionSizeLimitExceeded,
              "ItemCollectionSizeLimitExceededException", kDatabase, 400, Member::Lower},
    ErrorInfo{ErrorCode::LimitExceeded, "LimitExceededException", kDatabase, 400, Member::Lower},
    ErrorInfo{ErrorCode::ProvisionedThroughputExceeded, "ProvisionedThroughputExceededException",
              kDatabase, 400, Member::Lower},
    ErrorInfo{ErrorCode::RequestLimitExceeded, "RequestLimitExceeded", kDatabase, 400,
              Member::Lower},
    ErrorInfo{ErrorCode::ResourceInUse, "ResourceInUseException", kDatabase, 400, Member::Lower},
    ErrorInfo{ErrorCode::ResourceNotFound, "ResourceNotFoundException", kDatabase, 400,
              Member::Lower},
    ErrorInfo{ErrorCode::TransactionCanceled, "TransactionCanceledException", kDatabase, 400,
              Member::Upper, /*message_is_last=*/true},
    ErrorInfo{ErrorCode::TransactionConflict, "TransactionConflictException", kDatabase, 400,
              Member::Lower},
    ErrorInfo{ErrorCode::TransactionInProgress, "TransactionInProgressException", kDatabase, 400,
              Member::Upper},
    ErrorInfo{ErrorCode::TrimmedDataAccess, "TrimmedDataAccessException", kDatabase, 400,
              Member::Lower},
    ErrorInfo{ErrorCode::Throttling, "ThrottlingException", kAvailability, 400, Member::Lower},
};

constexpr bool in_order_of_codes() {
  for (std::size_t i = 0; i < kErrors.size(); ++i) {
    if (static_cast<std::size_t>(kErrors[i].code) != i) return false;
  }
  return true;
}
static_assert(in_order_of_codes());
static_assert(kErrors.size() == kErrorCodes);

}  // namespace

const ErrorInfo& error_info(ErrorCode code) {
  const auto index = static_cast<std::size_t>(code);
  assert(index < kErrors.size());
  return kErrors[index];
}

Error::Error(ErrorCode code, std::string message)
    : detail_(std::make_unique<Detail>(Detail{code, std::move(message), {}, false})) {}

Error&& Error::with_members(std::string rendered_members) && {
  detail_->members = std::move(rendered_members);
  return std::move(*this);
}

Error&& Error::with_upper_message() && {
  detail_->has_upper_message = true;
  return std::move(*this);
}

std::string Error::render() const {
  const ErrorInfo& info = error_info(detail_->code);
  std::string body;
  body.reserve(64 + info.prefix.size() + info.name.size() + detail_->message.size() +
               detail_->members.size());
  body.append(R"({"__type":")").append(info.prefix).append(info.name).push_back('"');
  // Unparsable JSON is the one SerializationException without a text, and then without the member.
  const bool has_message = info.message_member != Member::None &&
                           !(detail_->code == ErrorCode::Serialization && detail_->message.empty());
  const auto append_members = [&] {
    if (!detail_->members.empty()) body.append(",").append(detail_->members);
  };
  if (info.message_is_last) append_members();
  if (has_message) {
    const bool is_upper = detail_->has_upper_message || info.message_member == Member::Upper;
    body.append(is_upper ? R"(,"Message":)" : R"(,"message":)");
    append_json_string(body, detail_->message);
  }
  if (!info.message_is_last) append_members();
  body.push_back('}');
  return body;
}

Error Error::validation(std::string message) {
  return Error(ErrorCode::Validation, std::move(message));
}
Error Error::serialization(std::string message) {
  return Error(ErrorCode::Serialization, std::move(message));
}
Error Error::unknown_operation() { return Error(ErrorCode::UnknownOperation); }
Error Error::resource_not_found(std::string message) {
  return Error(ErrorCode::ResourceNotFound, std::move(message));
}
Error Error::resource_in_use(std::string message) {
  return Error(ErrorCode::ResourceInUse, std::move(message));
}
Error Error::limit_exceeded(std::string message) {
  return Error(ErrorCode::LimitExceeded, std::move(message));
}
Error Error::internal_server_error() {
  return Error(ErrorCode::InternalServerError, "Internal server error");
}
Error Error::internal_failure() { return Error(ErrorCode::InternalFailure); }

}  // namespace stator
