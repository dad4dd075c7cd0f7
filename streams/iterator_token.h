// Iterator tokens: the position in a shard that a client carries from one GetRecords to the next.
//
//   ARN|1|base64(payload | HMAC-SHA256 of all before, by the store's secret)
//
// so that a token survives a restart, and one that this store did not give is told apart.
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
  std::uint64_t position = 0;  // the first number not seen
  // Begins with the oldest record there is, whatever was trimmed since.
  bool is_at_horizon = false;
  Timestamp issued;
};

std::string write_token(const IteratorToken& token, std::string_view stream_arn,
                        std::string_view secret);
// Empty: it was not written with this secret.
std::optional<IteratorToken> read_token(std::string_view text, std::string_view secret);

}  // namespace stator
