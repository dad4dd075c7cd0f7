#include "streams/iterator_token.h"

#include "engine/operations/paging/sealed_token.h"
#include "protocol/memory/arena.h"

namespace stator {
namespace {

constexpr std::uint64_t kVersion = 1;
constexpr std::string_view kBehindArn = "|1|";
// A longer text cannot be one of our tokens: it is above the model's limit.
constexpr std::size_t kTokenCharsMax = 2048;

// The place before the sealed part.
std::optional<std::size_t> bar_of(std::string_view text) {
  const std::size_t bar = text.rfind('|');
  if (bar == std::string_view::npos || text.size() > kTokenCharsMax) return std::nullopt;
  return bar;
}

std::optional<IteratorToken> fields_of(std::optional<TokenReader> in) {
  if (!in) return std::nullopt;
  IteratorToken token;
  const bool is_ours = in->u64() == kVersion;
  token.stream = in->u64();
  token.position = in->u64();
  token.issued = {static_cast<std::int64_t>(in->u64())};
  token.is_at_horizon = in->u8() != 0;
  token.shard_id = in->bytes();
  if (!is_ours || !in->is_whole()) return std::nullopt;
  return token;
}

}  // namespace

std::string write_token(const IteratorToken& token, std::string_view stream_arn,
                        std::string_view secret) {
  TokenWriter out;
  out.u64(kVersion);
  out.u64(token.stream);
  out.u64(token.position);
  out.u64(static_cast<std::uint64_t>(token.issued.unix_us));
  out.u8(token.is_at_horizon ? 1 : 0);
  out.bytes(token.shard_id);
  std::string text(stream_arn);
  text.append(kBehindArn);
  const std::string head = text;
  out.append_sealed(text, head, secret);
  return text;
}

std::optional<IteratorToken> read_token(std::string_view text, std::string_view secret) {
  const auto bar = bar_of(text);
  if (!bar) return std::nullopt;
  Arena arena;
  return fields_of(
      TokenReader::open(text.substr(*bar + 1), text.substr(0, *bar + 1), secret, arena));
}

std::optional<IteratorToken> read_own_token(std::string_view text) {
  const auto bar = bar_of(text);
  if (!bar) return std::nullopt;
  Arena arena;
  return fields_of(TokenReader::open_own(text.substr(*bar + 1), arena));
}

}  // namespace stator
