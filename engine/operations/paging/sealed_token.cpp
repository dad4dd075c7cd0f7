#include "engine/operations/paging/sealed_token.h"

#include "engine/storage/bytes/bytes.h"
#include "engine/storage/bytes/seal.h"
#include "protocol/text/base64.h"

namespace stator {

using storage::ByteReader;
using storage::ByteWriter;

void TokenWriter::u8(std::uint8_t value) { ByteWriter(fields_).u8(value); }
void TokenWriter::u32(std::uint32_t value) { ByteWriter(fields_).be(value); }
void TokenWriter::u64(std::uint64_t value) { ByteWriter(fields_).be(value); }
void TokenWriter::raw(std::string_view bytes) { ByteWriter(fields_).raw(bytes); }
void TokenWriter::bytes(std::string_view bytes) { ByteWriter(fields_).bytes(bytes); }

void TokenWriter::append_sealed(std::string& out, std::string_view head,
                                std::string_view secret) const {
  append_base64(out, storage::sealed(head, fields_, secret));
}

std::optional<TokenReader> TokenReader::open(std::string_view text, std::string_view head,
                                             std::string_view secret, Arena& arena) {
  if (check_base64(text) != Base64Error::None) return std::nullopt;
  const auto fields = storage::unsealed(head, decode_base64(text, arena), secret);
  if (!fields) return std::nullopt;
  return TokenReader(*fields);
}

std::optional<TokenReader> TokenReader::open_own(std::string_view text, Arena& arena) {
  if (check_base64(text) != Base64Error::None) return std::nullopt;
  const std::string_view bytes = decode_base64(text, arena);
  if (bytes.size() < storage::kSealBytes) return std::nullopt;
  return TokenReader(bytes.substr(0, bytes.size() - storage::kSealBytes));
}

template <class Read>
auto TokenReader::take(const Read& read) {
  ByteReader in(rest_);
  const auto value = read(in);
  rest_ = in.rest();
  is_damaged_ = is_damaged_ || in.is_damaged();
  return value;
}

std::uint8_t TokenReader::u8() {
  return take([](ByteReader& in) { return in.u8(); });
}
std::uint32_t TokenReader::u32() {
  return take([](ByteReader& in) { return in.be<std::uint32_t>(); });
}
std::uint64_t TokenReader::u64() {
  return take([](ByteReader& in) { return in.be<std::uint64_t>(); });
}
std::string_view TokenReader::raw(std::size_t size_bytes) {
  return take([&](ByteReader& in) { return in.raw(size_bytes); });
}
std::string_view TokenReader::bytes() {
  return take([](ByteReader& in) { return in.bytes(); });
}

}  // namespace stator
