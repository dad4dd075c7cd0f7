// Token store: the tokens with which clients mark requests that must have their effect once, in the
// databases Tokens and TokenTimes. Drawn in FORMAT.md.
//
// A token is kept in the commit of its request, counts for kTokenLife after that, and is swept some
// time later (engine/maintenance/token_sweep.cpp). Views found are valid as the transaction's other
// views.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/seams/clock.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator::storage {

inline constexpr std::chrono::microseconds kTokenLife = std::chrono::minutes(10);
inline constexpr std::size_t kFingerprintBytes = 32;

// Tokens of different kinds of requests have nothing to do with each other. Persisted: never
// change, only append.
enum class TokenKind : std::uint8_t { TransactWriteItems = 1, ExecuteTransaction = 2 };

struct TokenName {
  std::string_view scope;  // as a table's (engine/state/snapshot.h)
  TokenKind kind{};
  std::string_view text;  // REQUIRES: at most 36 characters
};

struct KeptToken {
  TokenName name;
  Timestamp finished;  // when its request had its effect
  std::string_view
      fingerprint;           // of the request, kFingerprintBytes; equal requests have equal ones
  std::string_view payload;  // what is needed to answer the request once more: its operation's

  bool counts(Timestamp now) const { return now < finished.plus(kTokenLife); }
};

// The token if it counts at `now`.
Result<std::optional<KeptToken>> find_token(const Transaction& transaction, const TokenName& name,
                                            Timestamp now);

// Takes the place of one of the same name. No view may point into the transaction's pages.
Result<void> put_token(WriteTransaction& transaction, const KeptToken& token);

// How many there are, those included that do not count any more.
std::uint64_t count_tokens(const Transaction& transaction);
// When the first of them finished; empty: there is none.
Result<std::optional<Timestamp>> first_token_finished(const Transaction& transaction);

// Erases those that finished at `until` or before, the oldest first, at most `count_max` of them.
// Returns when the first one that is left finished; empty: none is.
Result<std::optional<Timestamp>> erase_oldest_tokens(WriteTransaction& transaction, Timestamp until,
                                                     std::size_t count_max);

// Erases the tokens of the scopes that `is_meant`, from a place among all on, the beginning when
// that is empty. Erases or passes at most `count_max`, and returns the place to go on from; empty:
// it is done.
Result<std::string> erase_tokens(WriteTransaction& transaction,
                                 const std::function<bool(std::string_view scope)>& is_meant,
                                 std::string_view from, std::size_t count_max);

// Visits all, for whoever checks the data: `is_timed` tells whether TokenTimes has the token too.
// The error says that one cannot be read.
using VisitToken = std::function<void(const KeptToken& token, bool is_timed)>;
Result<void> for_each_token(const Transaction& transaction, const VisitToken& visit);

}  // namespace stator::storage
