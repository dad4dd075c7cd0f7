#include "engine/storage/keys/undo_record.h"

#include "engine/storage/bytes/bytes.h"
#include "engine/storage/bytes/digest.h"
#include "engine/storage/keys/key_codec.h"

namespace stator::storage {
namespace {

// How the undo log's key holds the record's key. Persisted.
enum class Form : std::uint8_t { Whole = 0, Digest = 1 };

}  // namespace

UndoKey UndoKey::of(std::uint32_t mark, Database database, std::string_view key) {
  const bool fits = key.size() <= kPointerKeyBytes - kUndoPrefixBytes;
  UndoKey undo;
  ByteWriter out(undo.bytes_);
  out.be(mark);
  out.u8(static_cast<std::uint8_t>(database));
  out.u8(static_cast<std::uint8_t>(fits ? Form::Whole : Form::Digest));
  if (fits) {
    out.raw(key);
    return undo;
  }
  Digest digest;
  digest.add(key);
  const auto bytes = digest.finish();
  out.raw({bytes.data(), bytes.size()});
  return undo;
}

std::string encode_undo(std::string_view key, const std::optional<std::string_view>& before) {
  std::string value;
  ByteWriter out(value);
  out.bytes(key);
  out.u8(before ? 1 : 0);
  if (before) out.bytes(*before);
  return value;
}

Result<UndoRecord> decode_undo(std::string_view bytes) {
  ByteReader in(bytes);
  UndoRecord undone;
  undone.key = in.bytes();
  const bool was_there = in.u8() != 0;
  if (was_there) undone.before = in.bytes();
  STATOR_CHECK(in.finish("what a record was before"));
  return undone;
}

}  // namespace stator::storage
