// NextTokens: where the next page of a SELECT begins. Sealed, so that a token survives a restart
// and cannot be forged.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/storage/bytes/digest.h"
#include "engine/storage/keys/keys.h"
#include "protocol/errors/result.h"
#include "protocol/memory/arena.h"
#include "protocol/values/value.h"

namespace stator {

// The request that a token belongs to.
struct TokenOwner {
  std::array<char, storage::kDigestBytes> fingerprint;  // of statement and parameters
  storage::SpaceId space;                               // of the target
};

struct ReadPosition {
  std::uint32_t read = 0;  // index among the statement's reads
  // The key after which the read continues; empty at its beginning.
  std::optional<Item> key = {};
};

std::string write_next_token(const TokenOwner& owner, const ReadPosition& position,
                             std::string_view secret);
// Errors: the token is not ours, or another request's. The key lives in the arena.
Result<ReadPosition> read_next_token(std::string_view text, const TokenOwner& owner,
                                     std::string_view secret, Arena& arena);

}  // namespace stator
