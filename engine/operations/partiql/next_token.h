// NextTokens: where the next page of a SELECT begins, sealed, so that it survives a restart and
// cannot be made up.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/storage/digest.h"
#include "engine/storage/keys.h"
#include "protocol/arena.h"
#include "protocol/result.h"
#include "protocol/value.h"

namespace stator {

// Which request a token is for.
struct TokenOwner {
  std::array<char, storage::kDigestBytes> fingerprint;  // of statement and parameters
  storage::SpaceId space;                               // what is read
};

struct ReadPosition {
  std::uint32_t read = 0;  // of those that the statement comes to
  // What the read goes on behind; empty: it begins.
  std::optional<Item> key = {};
};

std::string write_next_token(const TokenOwner& owner, const ReadPosition& position,
                             std::string_view secret);
// Errors: it is none of ours, or another request's. The key lives in the arena.
Result<ReadPosition> read_next_token(std::string_view text, const TokenOwner& owner,
                                     std::string_view secret, Arena& arena);

}  // namespace stator
