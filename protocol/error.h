// Every error the service can answer, and how it looks on the wire.
//
// `Error` is one pointer wide so that `Result<T>` stays small; the one constexpr table in error.cpp
// gives each code its wire type, `__type` prefix, HTTP status and the spelling of its message
// member (sources: API model and recorded answers). Factories are named after the service's
// exceptions; the text of a message lives next to the check that finds the error.
#pragma once

#include <cstddef>
#include <cstdint>
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
  InternalFailure,
  // com.amazonaws.dynamodb.v20120810#
  ConditionalCheckFailed,
  DuplicateItem,
  ExpiredIterator,
  IdempotentParameterMismatch,
  InternalServerError,
  ItemCollectionSizeLimitExceeded,
  LimitExceeded,
  ProvisionedThroughputExceeded,
  RequestLimitExceeded,
  ResourceInUse,
  ResourceNotFound,
  TransactionCanceled,
  TransactionConflict,
  TransactionInProgress,
  TrimmedDataAccess,
  // com.amazon.coral.availability#
  Throttling,
};
inline constexpr std::size_t kErrorCodes = static_cast<std::size_t>(ErrorCode::Throttling) + 1;

// How an ErrorCode is spelled on the wire.
struct ErrorInfo {
  enum class Member : std::uint8_t { None, Lower, Upper };  // no message, "message", "Message"

  ErrorCode code;
  std::string_view name;    // "ResourceNotFoundException"
  std::string_view prefix;  // "com.amazonaws.dynamodb.v20120810#"
  std::uint16_t http_status;
  Member message_member;
  // Whether further members stand before the message.
  bool message_is_last = false;
};

// The row of `code` in the one table.
const ErrorInfo& error_info(ErrorCode code);

// An error answer: code, message, and further reply members as rendered JSON. Move-only.
class [[nodiscard]] Error {
 public:
  explicit Error(ErrorCode code, std::string message = {});

  ErrorCode code() const { return detail_->code; }
  const std::string& message() const { return detail_->message; }

  // Adds reply members behind the message, for instance `"Item":{...}`; without braces or a leading
  // comma.
  Error&& with_members(std::string rendered_members) &&;
  const std::string& members() const { return detail_->members; }
  // The message's member is `Message`, whatever the code's is.
  Error&& with_upper_message() &&;

  // The JSON body of the answer: `__type` first, then the message and further members, in the
  // code's order.
  std::string render() const;

  static Error validation(std::string message);
  // `message` empty: unparsable JSON, which the service answers without a message member.
  static Error serialization(std::string message = {});
  static Error unknown_operation();
  static Error resource_not_found(std::string message);
  static Error resource_in_use(std::string message);
  static Error limit_exceeded(std::string message);
  // Storage failed: the write is not done. HTTP 500; SDKs retry it.
  static Error internal_server_error();
  // What the service itself answers to bodies its front end cannot unpack. HTTP 500, empty message.
  static Error internal_failure();

 private:
  struct Detail {
    ErrorCode code;
    std::string message;
    std::string members;
    bool has_upper_message = false;
  };
  std::unique_ptr<Detail> detail_;
};

}  // namespace stator
