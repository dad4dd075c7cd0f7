#include "streams/iterator_token.h"

#include "engine/storage/bytes.h"
#include "engine/storage/seal.h"
#include "protocol/arena.h"
#include "protocol/base64.h"

namespace stator {
namespace {

using storage::ByteReader;
using storage::ByteWriter;

constexpr std::uint64_t kVersion = 1;
constexpr std::string_view kBehindArn = "|1|";
// Beyond the model's bound no token is ours.
constexpr std::size_t kTokenCharsMax = 2048;

}  // namespace

std::string write_token(const IteratorToken& token, std::string_view stream_arn,
                        std::string_view secret) {
  std::string text(stream_arn);
  text.append(kBehindArn);
  const std::size_t head = text.size();
  ByteWriter out(text);
  out.be(kVersion);
  out.be(token.stream);
  out.be(token.position);
  out.be(static_cast<std::uint64_t>(token.issued.unix_us));
  out.u8(token.is_at_horizon ? 1 : 0);
  out.bytes(token.shard_id);
  const std::string payload = text.substr(head);
  text.resize(head);
  const std::string bytes = storage::sealed(text, payload, secret);
  append_base64(text, bytes);
  return text;
}

std::optional<IteratorToken> read_token(std::string_view text, std::string_view secret) {
  const std::size_t bar = text.rfind('|');
  if (bar == std::string_view::npos || text.size() > kTokenCharsMax) return std::nullopt;
  const std::string_view head = text.substr(0, bar + 1);
  const std::string_view encoded = text.substr(bar + 1);
  if (check_base64(encoded) != Base64Error::None) return std::nullopt;
  Arena arena;
  const std::string_view bytes = decode_base64(encoded, arena);
  const auto payload = storage::unsealed(head, bytes, secret);
  if (!payload) return std::nullopt;
  ByteReader in(*payload);
  IteratorToken token;
  const bool is_ours = in.be<std::uint64_t>() == kVersion;
  token.stream = in.be<std::uint64_t>();
  token.position = in.be<std::uint64_t>();
  token.issued = {static_cast<std::int64_t>(in.be<std::uint64_t>())};
  token.is_at_horizon = in.u8() != 0;
  token.shard_id = in.bytes();
  if (!is_ours || !in.finish("a token")) return std::nullopt;
  return token;
}

}  // namespace stator
