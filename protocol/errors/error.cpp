// The table of errors and the body of an error response.
//
// Sources of the rows: the API model (names, statuses) and recorded responses (prefixes, spelling
// of the message member). The service spells `Message` with a capital letter when its front end
// responds, not the database.
#include "protocol/errors/error.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "protocol/errors/rule.h"
#include "protocol/json/json_writer.h"

namespace stator {
namespace {

constexpr std::string_view kValidate = "com.amazon.coral.validate#";
constexpr std::string_view kService = "com.amazon.coral.service#";
constexpr std::string_view kDatabase = "com.amazonaws.dynamodb.v20120810#";
constexpr std::string_view kAvailability = "com.amazon.coral.availability#";

constexpr std::array kErrors = {
    ErrorInfo{ErrorCode::Validation, "ValidationException", kValidate, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::Serialization, "SerializationException", kService, 400,
              ErrorInfo::Member::Upper},
    ErrorInfo{ErrorCode::UnknownOperation, "UnknownOperationException", kService, 400,
              ErrorInfo::Member::None},
    ErrorInfo{ErrorCode::MissingAuthenticationToken, "MissingAuthenticationTokenException",
              kService, 400, ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::IncompleteSignature, "IncompleteSignatureException", kService, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::InvalidSignature, "InvalidSignatureException", kService, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::UnrecognizedClient, "UnrecognizedClientException", kService, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::AccessDenied, "AccessDeniedException", kService, 400,
              ErrorInfo::Member::Upper},
    ErrorInfo{ErrorCode::ExpiredToken, "ExpiredTokenException", kService, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::InternalFailure, "InternalFailure", kService, 500,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::BackupInUse, "BackupInUseException", kDatabase, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::BackupNotFound, "BackupNotFoundException", kDatabase, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::ConditionalCheckFailed, "ConditionalCheckFailedException", kDatabase, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::ContinuousBackupsUnavailable, "ContinuousBackupsUnavailableException",
              kDatabase, 400, ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::DuplicateItem, "DuplicateItemException", kDatabase, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::ExpiredIterator, "ExpiredIteratorException", kDatabase, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::ExportConflict, "ExportConflictException", kDatabase, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::ExportNotFound, "ExportNotFoundException", kDatabase, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::IdempotentParameterMismatch, "IdempotentParameterMismatchException",
              kDatabase, 400, ErrorInfo::Member::Upper},
    ErrorInfo{ErrorCode::ImportConflict, "ImportConflictException", kDatabase, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::ImportNotFound, "ImportNotFoundException", kDatabase, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::InternalServerError, "InternalServerError", kDatabase, 500,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::InvalidExportTime, "InvalidExportTimeException", kDatabase, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::InvalidRestoreTime, "InvalidRestoreTimeException", kDatabase, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::ItemCollectionSizeLimitExceeded,
              "ItemCollectionSizeLimitExceededException", kDatabase, 400, ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::LimitExceeded, "LimitExceededException", kDatabase, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::PointInTimeRecoveryUnavailable, "PointInTimeRecoveryUnavailableException",
              kDatabase, 400, ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::PolicyNotFound, "PolicyNotFoundException", kDatabase, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::ProvisionedThroughputExceeded, "ProvisionedThroughputExceededException",
              kDatabase, 400, ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::ReplicatedWriteConflict, "ReplicatedWriteConflictException", kDatabase,
              409, ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::RequestLimitExceeded, "RequestLimitExceeded", kDatabase, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::ResourceInUse, "ResourceInUseException", kDatabase, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::ResourceNotFound, "ResourceNotFoundException", kDatabase, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::TableAlreadyExists, "TableAlreadyExistsException", kDatabase, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::TableInUse, "TableInUseException", kDatabase, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::TableNotFound, "TableNotFoundException", kDatabase, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::TransactionCanceled, "TransactionCanceledException", kDatabase, 400,
              ErrorInfo::Member::Upper, /*message_is_last=*/true},
    ErrorInfo{ErrorCode::TransactionConflict, "TransactionConflictException", kDatabase, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::TransactionInProgress, "TransactionInProgressException", kDatabase, 400,
              ErrorInfo::Member::Upper},
    ErrorInfo{ErrorCode::TrimmedDataAccess, "TrimmedDataAccessException", kDatabase, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::Throttling, "ThrottlingException", kAvailability, 400,
              ErrorInfo::Member::Lower},
    ErrorInfo{ErrorCode::InvalidArgument, "InvalidArgumentException", "", 400,
              ErrorInfo::Member::Lower},
};

constexpr bool in_order_of_codes() {
  for (std::size_t i = 0; i < kErrors.size(); ++i) {
    if (static_cast<std::size_t>(kErrors[i].code) != i) return false;
  }
  return true;
}
static_assert(in_order_of_codes());
static_assert(kErrors.size() == kErrorCodes);

// As much of a value as is worth its place, and no half of a character.
std::string_view beginning(std::string_view value) {
  if (value.size() <= kRuleValueBytesMax) return value;
  std::size_t end = kRuleValueBytesMax;
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0u) == 0x80u) --end;
  return value.substr(0, end);
}

}  // namespace

const ErrorInfo& error_info(ErrorCode code) {
  const auto index = static_cast<std::size_t>(code);
  assert(index < kErrors.size());
  return kErrors[index];
}

Error::Error(ErrorCode code, std::string message) : detail_(std::make_unique<Detail>()) {
  detail_->code = code;
  detail_->message = std::move(message);
}

Error&& Error::with_members(std::string rendered_members) && {
  detail_->members = std::move(rendered_members);
  return std::move(*this);
}

Error&& Error::with_upper_message() && {
  detail_->has_upper_message = true;
  return std::move(*this);
}

Error&& Error::with_rule(Rule rule, std::initializer_list<std::string_view> values) && {
  assert(values.size() <= kRuleValuesMax);
  BrokenRule& broken = detail_->broken_rule;
  broken.rule = rule;
  std::transform(values.begin(), values.end(), broken.values.begin(),
                 [](std::string_view value) { return std::string(beginning(value)); });
  return std::move(*this);
}

Error&& Error::with_place(std::string_view place) && {
  std::string& named = detail_->broken_rule.place;
  if (named.empty()) named = beginning(place);
  return std::move(*this);
}

Error&& Error::within(std::string_view before, std::string_view after) && {
  detail_->message.insert(0, before).append(after);
  detail_->before_bytes += before.size();
  detail_->after_bytes += after.size();
  return std::move(*this);
}

std::string_view Error::statement() const {
  std::string_view statement = detail_->message;
  statement.remove_prefix(detail_->before_bytes);
  statement.remove_suffix(detail_->after_bytes);
  return statement;
}

Error Error::copy() const {
  Error copy(detail_->code);
  *copy.detail_ = *detail_;
  return copy;
}

std::string Error::render() const {
  const ErrorInfo& info = error_info(detail_->code);
  std::string body;
  body.reserve(64 + info.prefix.size() + info.name.size() + detail_->message.size() +
               detail_->members.size());
  body.append(R"({"__type":")").append(info.prefix).append(info.name).push_back('"');
  // Unparsable JSON is the only SerializationException without a text; it has no message member.
  const bool has_message = info.message_member != ErrorInfo::Member::None &&
                           !(detail_->code == ErrorCode::Serialization && detail_->message.empty());
  const auto append_members = [&] {
    if (!detail_->members.empty()) body.append(",").append(detail_->members);
  };
  if (info.message_is_last) append_members();
  if (has_message) {
    const bool is_upper =
        detail_->has_upper_message || info.message_member == ErrorInfo::Member::Upper;
    body.append(is_upper ? R"(,"Message":)" : R"(,"message":)");
    append_json_string(body, detail_->message);
  }
  if (!info.message_is_last) append_members();
  body.push_back('}');
  return body;
}

std::string Error::render_plain() const {
  std::string body = R"({"__type":")";
  body.append(error_info(detail_->code).name).push_back('"');
  if (!detail_->message.empty()) {
    body.append(R"(,"message":)");
    append_json_string(body, detail_->message);
  }
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
Error Error::table_not_found(std::string_view name_or_arn) {
  return Error(ErrorCode::TableNotFound, "Table not found: " + std::string(name_or_arn));
}
Error Error::limit_exceeded(std::string message) {
  return Error(ErrorCode::LimitExceeded, std::move(message));
}
Error Error::internal_server_error() {
  return Error(ErrorCode::InternalServerError, "Internal server error");
}
Error Error::internal_failure() { return Error(ErrorCode::InternalFailure); }

}  // namespace stator
