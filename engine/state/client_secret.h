// The secret under which the server seals what clients bring back: iterators, NextTokens. It is
// made with the first table, so that reads find it.
#pragma once

#include "engine/seams/random.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator {

// Makes it unless there is one.
Result<void> keep_client_secret(storage::WriteTransaction& transaction, Random& random);

}  // namespace stator
