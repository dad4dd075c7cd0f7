// Runs write transactions, for all operations with them.
#pragma once

#include <span>

#include "engine/call/call.h"
#include "engine/operations/request_members.h"
#include "engine/operations/transactions/client_tokens.h"
#include "engine/operations/transactions/transaction_requests.h"
#include "engine/state/mutation.h"
#include "engine/state/snapshot.h"
#include "engine/storage/stores/token_store.h"
#include "protocol/errors/result.h"

namespace stator {

struct WriteTransaction {
  std::span<const WriteAction> actions;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::None;
  bool wants_collection_metrics = false;
  ClientToken token = {};
  storage::TokenKind token_kind = storage::TokenKind::TransactWriteItems;
  bool has_responses = false;  // the response has an empty list of responses
};

// Stages all actions or none; none if the token shows a repetition. Renders the response.
Result<void> run_write_transaction(const WriteTransaction& request, LocatedActions located,
                                   const Snapshot& snapshot, Mutation& mutation, Call& call);

}  // namespace stator
