// Token store: the tokens with which clients mark requests to be executed only once, in the
// databases Tokens and TokenTimes. engine/storage/FORMAT.md draws it.
//
// The commit of its request stores a token. It is valid for kTokenLife and erased some time later
// (engine/maintenance/chores/token_sweep.cpp). Returned views are valid like the transaction's
// other views.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/seams/clock.h"
#include "engine/storage/environment/transaction.h"
#include "protocol/errors/result.h"

namespace stator::storage {

inline constexpr std::chrono::microseconds kTokenLife = std::chrono::minutes(10);
inline constexpr std::size_t kFingerprintBytes = 32;

// Tokens of different kinds are independent. Persisted: never change, only append.
enum class TokenKind : std::uint8_t { TransactWriteItems = 1, ExecuteTransaction = 2 };

struct TokenName {
  std::string_view scope;  // as a table's (engine/state/snapshot.h)
  TokenKind kind{};
  std::string_view text;  // REQUIRES: at most 36 characters
};

struct StoredToken {
  TokenName name;
  Timestamp finished;            // when its request took effect
  std::string_view fingerprint;  // kFingerprintBytes; equal for equal requests
  std::string_view payload;      // what the operation needs to respond again

  bool counts(Timestamp now) const { return now < finished.plus(kTokenLife); }
};

// The token if it is valid at `now`.
Result<std::optional<StoredToken>> find_token(const Transaction& transaction, const TokenName& name,
                                              Timestamp now);

// Replaces a token of the same name. REQUIRES: no view points into the transaction's pages.
Result<void> put_token(WriteTransaction& transaction, const StoredToken& token);

// Number of stored tokens, expired ones included.
std::uint64_t count_tokens(const Transaction& transaction);
// When the oldest stored token's request finished; empty if there are no tokens.
Result<std::optional<Timestamp>> first_token_finished(const Transaction& transaction);

// Erases tokens that finished at `until` or before, oldest first, at most `count_max`. Returns when
// the oldest remaining one finished; empty if none.
Result<std::optional<Timestamp>> erase_oldest_tokens(WriteTransaction& transaction, Timestamp until,
                                                     std::size_t count_max);

// Erases the tokens of scopes for which `is_meant` returns true, starting at the position `from`
// (empty: the beginning). Handles at most `count_max` and returns the position to continue at;
// empty when done.
Result<std::string> erase_tokens(WriteTransaction& transaction,
                                 const std::function<bool(std::string_view scope)>& is_meant,
                                 std::string_view from, std::size_t count_max);

// Visits all tokens, for checks of the data. `is_timed`: whether TokenTimes has the token too. An
// error means that a token cannot be read.
using VisitToken = std::function<void(const StoredToken& token, bool is_timed)>;
Result<void> for_each_token(const Transaction& transaction, const VisitToken& visit);

}  // namespace stator::storage
