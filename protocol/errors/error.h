// Every error that the service can return, and its form on the wire.
//
// `Error` is one pointer wide so that `Result<T>` stays small. The constexpr table in error.cpp
// gives each code its wire type, `__type` prefix, HTTP status and the spelling of its message
// member (sources: API model and recorded responses). Factories are named after the service's
// exceptions; the text of a message lives next to the check that finds the error, and so does the
// rule that the request breaks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace stator {

enum class ErrorCode : std::uint8_t {
  // com.amazon.coral.validate#
  Validation,
  // com.amazon.coral.service#
  Serialization,
  UnknownOperation,
  MissingAuthenticationToken,
  IncompleteSignature,
  InvalidSignature,
  UnrecognizedClient,
  AccessDenied,
  ExpiredToken,
  InternalFailure,
  // com.amazonaws.dynamodb.v20120810#
  BackupInUse,
  BackupNotFound,
  ConditionalCheckFailed,
  ContinuousBackupsUnavailable,
  DuplicateItem,
  ExpiredIterator,
  ExportConflict,
  ExportNotFound,
  IdempotentParameterMismatch,
  ImportConflict,
  ImportNotFound,
  InternalServerError,
  InvalidExportTime,
  InvalidRestoreTime,
  ItemCollectionSizeLimitExceeded,
  LimitExceeded,
  PointInTimeRecoveryUnavailable,
  PolicyNotFound,
  ProvisionedThroughputExceeded,
  ReplicatedWriteConflict,
  RequestLimitExceeded,
  ResourceInUse,
  ResourceNotFound,
  TableAlreadyExists,
  TableInUse,
  TableNotFound,
  TransactionCanceled,
  TransactionConflict,
  TransactionInProgress,
  TrimmedDataAccess,
  // com.amazon.coral.availability#
  Throttling,
  // of Kinesis
  InvalidArgument,
};
inline constexpr std::size_t kErrorCodes = static_cast<std::size_t>(ErrorCode::InvalidArgument) + 1;

// How an ErrorCode is spelled on the wire.
struct ErrorInfo {
  enum class Member : std::uint8_t { None, Lower, Upper };  // no message, "message", "Message"

  ErrorCode code;
  std::string_view name;    // "ResourceNotFoundException"
  std::string_view prefix;  // "com.amazonaws.dynamodb.v20120810#"
  std::uint16_t http_status;
  Member message_member;
  // Whether further members come before the message.
  bool message_is_last = false;
};

// The row of `code` in the table.
const ErrorInfo& error_info(ErrorCode code);

enum class Rule : std::uint8_t;  // protocol/errors/rule.h

inline constexpr std::size_t kRuleValuesMax = 4;
inline constexpr std::size_t kRuleValueBytesMax = 256;  // more is cut

// A rule that a request breaks, and what of the request breaks it.
struct BrokenRule {
  Rule rule{};        // Rule::None: the message is all there is to say
  std::string place;  // the member of the request or the placeholder; empty: not known
  std::array<std::string, kRuleValuesMax> values;  // which ones a rule has: protocol/errors/rule.h
};

// An error response: code, message, and further members as rendered JSON. Move-only.
class [[nodiscard]] Error {
 public:
  explicit Error(ErrorCode code, std::string message = {});

  ErrorCode code() const { return detail_->code; }
  const std::string& message() const { return detail_->message; }

  // Adds members after the message, for example `"Item":{...}`; without braces or a leading comma.
  Error&& with_members(std::string rendered_members) &&;
  const std::string& members() const { return detail_->members; }
  // Names the message's member `Message`, whatever the code's table row says.
  Error&& with_upper_message() &&;

  // Names the rule that the request breaks. REQUIRES: at most kRuleValuesMax values.
  Error&& with_rule(Rule rule, std::initializer_list<std::string_view> values = {}) &&;
  // Says where in the request it is broken, unless an inner check has said so.
  Error&& with_place(std::string_view place) &&;
  const BrokenRule& broken_rule() const { return detail_->broken_rule; }
  // Puts text around the message. The rule, its values and the statement stay.
  Error&& within(std::string_view before, std::string_view after = {}) &&;
  // The message without the text around it.
  std::string_view statement() const;

  Error copy() const;

  // The JSON body of the response: `__type` first, then the message and further members, in the
  // code's order.
  std::string render() const;
  // The body as Kinesis spells it: the type without a prefix, the message in lower case.
  std::string render_plain() const;

  static Error validation(std::string message);
  // An empty `message` means unparsable JSON, for which the service sends no message member.
  static Error serialization(std::string message = {});
  static Error unknown_operation();
  static Error resource_not_found(std::string message);
  static Error resource_in_use(std::string message);
  static Error limit_exceeded(std::string message);
  // For operations on backups and exports; the others say resource_not_found().
  static Error table_not_found(std::string_view name_or_arn);
  // Storage failed and nothing was written. HTTP 500; SDKs retry it.
  static Error internal_server_error();
  // The service's own error for bodies that its front end cannot unpack. HTTP 500, empty message.
  static Error internal_failure();

 private:
  struct Detail {
    ErrorCode code;
    std::string message;
    std::string members;
    bool has_upper_message = false;
    std::size_t before_bytes = 0;  // of the message, around the statement
    std::size_t after_bytes = 0;
    BrokenRule broken_rule;
  };
  std::unique_ptr<Detail> detail_;
};

}  // namespace stator
