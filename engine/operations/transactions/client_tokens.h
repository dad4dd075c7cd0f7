// Client tokens: a request that is sent again with its token has no second effect.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/call/call.h"
#include "engine/items/item_decision.h"
#include "engine/operations/transactions/transaction_requests.h"
#include "engine/state/mutation.h"
#include "engine/state/snapshot.h"
#include "engine/storage/token_store.h"
#include "protocol/json_tree.h"
#include "protocol/result.h"

namespace stator {

// Both lie in the call's arena: a mutation that keeps them lives longer than its request's code.
struct ClientToken {
  std::string_view text;         // empty: the request has none
  std::string_view fingerprint;  // of what it asks for
};

// The member ClientRequestToken of a request whose effect `asked` describes.
ClientToken parse_client_token(const JsonNode& body, const JsonNode& asked, Call& call);

// What was kept of an earlier request with this token, of which this one is a repetition; empty:
// it is the first. Errors: the earlier one asked for something else, or is still in flight.
Result<std::optional<std::string_view>> find_earlier(const ClientToken& token,
                                                     storage::TokenKind kind,
                                                     const Snapshot& snapshot, Call& call);

// Keeps what answering once more needs: what reading each action's item costs. No-op without a
// token.
void keep_token(const ClientToken& token, storage::TokenKind kind,
                std::span<const Decision> decisions, Mutation& mutation, Call& call);
// What the repetition costs, and is charged: reads of the items as large as they were, by table.
// `kept` as found; `keys` are those of the actions.
TransactionCapacity capacity_of_repetition(std::string_view kept, std::span<const LocatedKey> keys,
                                           std::span<const WriteAction> actions, Timestamp now,
                                           Call& call);

}  // namespace stator
