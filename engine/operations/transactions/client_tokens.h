// Client tokens: a request sent again with its token has no second effect.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/call/call.h"
#include "engine/items/item_decision.h"
#include "engine/operations/transactions/transaction_requests.h"
#include "engine/state/mutation.h"
#include "engine/state/snapshot.h"
#include "engine/storage/stores/token_store.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"

namespace stator {

// Both live in the call's arena: a mutation that stores them outlives the operation's code.
struct ClientToken {
  std::string_view text;         // empty if the request has none
  std::string_view fingerprint;  // of the request's actions
};

// Reads the member ClientRequestToken. `asked` is the part of the request that describes its
// effect.
ClientToken parse_client_token(const JsonNode& body, const JsonNode& asked, Call& call);

// IdempotentParameterMismatchException: the first request with the token was another one.
Error token_mismatch();

// The stored payload of an earlier request with this token, which this one repeats; empty if this
// is the first. Errors: the earlier request differed, or is still in flight.
Result<std::optional<std::string_view>> find_earlier(const ClientToken& token,
                                                     storage::TokenKind kind,
                                                     const Snapshot& snapshot, Call& call);

// Stages the token with the data for a repeated response: the cost of reading each action's item.
// No-op without a token.
void store_token(const ClientToken& token, storage::TokenKind kind,
                 std::span<const Decision> decisions, Mutation& mutation, Call& call);
// The cost of the repetition, which is charged: reads of the items at their earlier size, by table.
// `kept` is the result of find_earlier(); `keys` are those of the actions.
TransactionCapacity capacity_of_repetition(std::string_view kept, std::span<const LocatedKey> keys,
                                           std::span<const WriteAction> actions, Timestamp now,
                                           Call& call);

}  // namespace stator
