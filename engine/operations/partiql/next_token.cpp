#include "engine/operations/partiql/next_token.h"

#include "engine/storage/bytes.h"
#include "engine/storage/item_codec.h"
#include "engine/storage/seal.h"
#include "protocol/base64.h"

namespace stator {
namespace {

using storage::ByteReader;
using storage::ByteWriter;

constexpr std::uint8_t kVersion = 1;
constexpr std::string_view kSealedFor = "NextToken|1|";

Error invalid_token() { return Error::validation("Invalid NextToken"); }

}  // namespace

std::string write_next_token(const TokenOwner& owner, const ReadPosition& position,
                             std::string_view secret) {
  std::string payload;
  ByteWriter out(payload);
  out.u8(kVersion);
  out.raw({owner.fingerprint.data(), owner.fingerprint.size()});
  out.be(static_cast<std::uint32_t>(owner.space));
  out.be(position.read);
  std::string key;
  if (position.key) storage::encode_item(*position.key, key);
  out.bytes(key);
  std::string text;
  append_base64(text, storage::sealed(kSealedFor, payload, secret));
  return text;
}

Result<ReadPosition> read_next_token(std::string_view text, const TokenOwner& owner,
                                     std::string_view secret, Arena& arena) {
  if (check_base64(text) != Base64Error::None) return invalid_token();
  const auto payload = storage::unsealed(kSealedFor, decode_base64(text, arena), secret);
  if (!payload) return invalid_token();
  ByteReader in(*payload);
  const bool is_ours = in.u8() == kVersion;
  const std::string_view fingerprint = in.raw(owner.fingerprint.size());
  const auto space = in.be<std::uint32_t>();
  ReadPosition position;
  position.read = in.be<std::uint32_t>();
  const std::string_view key = in.bytes();
  if (!is_ours || !in.finish("a NextToken")) return invalid_token();
  const std::string_view wanted(owner.fingerprint.data(), owner.fingerprint.size());
  if (fingerprint != wanted || space != static_cast<std::uint32_t>(owner.space))
    return Error::validation("NextToken does not match request");
  if (!key.empty()) position.key = storage::EncodedItem(key).decode(arena);
  return position;
}

}  // namespace stator
