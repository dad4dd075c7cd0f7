#include "engine/operations/partiql/next_token.h"

#include "engine/operations/paging/sealed_token.h"
#include "engine/storage/records/item_codec.h"

namespace stator {
namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::string_view kSealedFor = "NextToken|1|";

Error invalid_token() { return Error::validation("Invalid NextToken"); }

}  // namespace

std::string write_next_token(const TokenOwner& owner, const ReadPosition& position,
                             std::string_view secret) {
  TokenWriter out;
  out.u8(kVersion);
  out.raw({owner.fingerprint.data(), owner.fingerprint.size()});
  out.u32(static_cast<std::uint32_t>(owner.space));
  out.u32(position.read);
  std::string key;
  if (position.key) storage::encode_item(*position.key, key);
  out.bytes(key);
  std::string text;
  out.append_sealed(text, kSealedFor, secret);
  return text;
}

Result<ReadPosition> read_next_token(std::string_view text, const TokenOwner& owner,
                                     std::string_view secret, Arena& arena) {
  auto in = TokenReader::open(text, kSealedFor, secret, arena);
  if (!in) return invalid_token();
  const bool is_ours = in->u8() == kVersion;
  const std::string_view fingerprint = in->raw(owner.fingerprint.size());
  const std::uint32_t space = in->u32();
  ReadPosition position;
  position.read = in->u32();
  const std::string_view key = in->bytes();
  if (!is_ours || !in->is_whole()) return invalid_token();
  const std::string_view wanted(owner.fingerprint.data(), owner.fingerprint.size());
  if (fingerprint != wanted || space != static_cast<std::uint32_t>(owner.space))
    return Error::validation("NextToken does not match request");
  if (!key.empty()) position.key = storage::EncodedItem(key).decode(arena);
  return position;
}

}  // namespace stator
