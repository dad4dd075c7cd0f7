// The secret that seals tokens which clients send back: iterators, NextTokens. Created with the
// first table, so that reads find it.
#pragma once

#include "engine/seams/random.h"
#include "engine/storage/environment/transaction.h"
#include "protocol/errors/result.h"

namespace stator {

// Creates the secret unless it exists.
Result<void> keep_client_secret(storage::WriteTransaction& transaction, Random& random);

}  // namespace stator
