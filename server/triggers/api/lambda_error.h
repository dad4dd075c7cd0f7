// Errors of the Lambda API, and their form on the wire. The texts and the name of their member are
// the service's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace stator::triggers {

// `Type` is the member beside the text.
enum class LambdaErrorForm : std::uint8_t {
  Typed,       // Type and message
  TypedUpper,  // Type and Message
  Bare,        // message
};

struct LambdaError {
  std::uint16_t status = 400;
  std::string_view code;  // the header x-amzn-ErrorType
  std::string message;
  LambdaErrorForm form = LambdaErrorForm::Typed;

  std::string render() const;
};

template <class Value>
using LambdaResult = tl::expected<Value, LambdaError>;
using LambdaRefusal = tl::unexpected<LambdaError>;

LambdaRefusal invalid_value(std::string message);
LambdaRefusal source_not_found(std::string message);  // ResourceNotFoundException
LambdaRefusal mapping_conflict(std::string message);
LambdaRefusal mapping_in_use(std::string message);
LambdaRefusal unreadable_body(std::string message);
LambdaRefusal too_large_payload(std::size_t bytes, std::string_view invocation_type,
                                std::size_t bytes_max);
LambdaRefusal too_many_requests(std::string message);
// The function cannot be reached.
LambdaRefusal function_not_ready(std::string message);
// A member of the wrong JSON type.
LambdaRefusal wrong_member_type(std::string_view member, std::string_view wanted);
LambdaRefusal unknown_lambda_operation();
// The store failed; what happened was logged.
LambdaRefusal lambda_failure();

// Violations of the model's constraints, which the service reports together.
class ConstraintList {
 public:
  // `member` is the path in lower camel case. Without a value it is said to be null.
  void add(std::string_view member, std::string_view value, std::string_view constraint);
  void add_null(std::string_view member);
  // Unless the value is from `least` to `most`.
  void check_range(std::string_view member, std::int64_t value, std::int64_t least,
                   std::int64_t most);
  // Unless the text has from one to `chars_max` characters.
  void check_length(std::string_view member, std::string_view value, std::size_t chars_max);

  bool empty() const { return violations_.empty(); }
  // REQUIRES: not empty.
  LambdaRefusal refusal() const;

 private:
  std::vector<std::string> violations_;
};

}  // namespace stator::triggers
