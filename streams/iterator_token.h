// Iterator tokens: the position in a shard that a client passes from one GetRecords call to the
// next.
//
//   ARN|1|base64(payload | HMAC-SHA256 of all before, by the store's secret)
//
// The signature lets a token survive a restart and exposes tokens that this store did not issue.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/seams/clock.h"

namespace stator {

inline constexpr std::chrono::minutes kIteratorLife{15};

struct IteratorToken {
  std::uint64_t stream = 0;
  std::string shard_id;
  std::uint64_t position = 0;  // the first number not read yet
  // Starts at the oldest available record, even if records were trimmed since the token was issued.
  bool is_at_horizon = false;
  Timestamp issued;
};

std::string write_token(const IteratorToken& token, std::string_view stream_arn,
                        std::string_view secret);
// Empty if the token was not written with this secret.
std::optional<IteratorToken> read_token(std::string_view text, std::string_view secret);
// Without a check of the signature, for a text that this server has just written or accepted.
std::optional<IteratorToken> read_own_token(std::string_view text);

}  // namespace stator
