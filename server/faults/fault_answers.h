// The errors that faults answer, with the service's texts and members.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/errors/error.h"
#include "server/faults/fault_rule.h"
#include "server/faults/matching.h"

namespace stator::faults {

// The error of this name: "ThrottlingException".
std::optional<ErrorCode> find_error(std::string_view name);
std::vector<std::string> error_names();
// The reason of this name: "TableReadKeyRangeThroughputExceeded".
std::optional<capacity::ThrottlingReason> find_reason(std::string_view name);
// The error whose code in the list of reasons of a cancellation is this: "TransactionConflict".
std::optional<ErrorCode> find_cancellation(std::string_view name);
// The error whose code in a BatchExecuteStatement's responses is this.
std::optional<ErrorCode> find_member_error(std::string_view name);

// Whether the error lists reasons of throttling.
bool has_reasons(ErrorCode code);
// The error that the service answers for the reasons. REQUIRES: has_reasons(error.code), and there
// are reasons.
ErrorCode code_of_reasons(const FaultError& error);
// Whether the service's message is known, so that a rule need not give one.
bool has_known_message(ErrorCode code);

// The error for a request. Names the request's first table, or its index, where reasons name none.
Error error_of(const FaultError& fault, const RequestFacts& facts, std::string_view account_id);
// The error of each statement that fails.
Error error_of(const FaultUnprocessed& fault, const RequestFacts& facts,
               std::string_view account_id);
// TransactionCanceledException for a transaction of as many actions as it has resources.
Error error_of(const FaultCancel& fault, const RequestFacts& facts);

}  // namespace stator::faults
