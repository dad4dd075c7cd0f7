// The actions of a TransactWriteItems request.
#pragma once

#include <cstddef>

#include "engine/call/call.h"
#include "engine/operations/transactions/transaction_requests.h"
#include "protocol/json_tree.h"
#include "protocol/result.h"

namespace stator {

// One element of TransactItems, whose JSON types and constraints are right. Every error that needs
// no stored data. Adds to `payload_bytes` what the action counts of the request's 4 MB: billed
// bytes of its item or key and of the values of its expressions.
Result<WriteAction> parse_write_action(const JsonNode& node, Call& call,
                                       std::size_t& payload_bytes);

}  // namespace stator
