// The actions of a TransactWriteItems request.
#pragma once

#include <cstddef>

#include "engine/call/call.h"
#include "engine/operations/transactions/transaction_requests.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"

namespace stator {

// Parses one element of TransactItems. Reports every error that needs no stored data. Adds to
// `payload_bytes` the action's part of the request's 4 MB: billed bytes of its item or key and of
// its expressions' values. REQUIRES: its JSON types and constraints were checked.
Result<WriteAction> parse_write_action(const JsonNode& node, Call& call,
                                       std::size_t& payload_bytes);

}  // namespace stator
