#include "engine/operations/kinesis_streams/iterators.h"

#include "engine/operations/paging/sealed_token.h"

namespace stator::kinesis {
namespace {

constexpr std::string_view kHead = "kinesis iterator 1";

}  // namespace

std::string write_iterator(const Iterator& iterator, std::string_view secret) {
  TokenWriter out;
  out.u32(static_cast<std::uint32_t>(iterator.space));
  out.u32(iterator.shard);
  out.u64(iterator.position);
  out.u64(static_cast<std::uint64_t>(iterator.issued.unix_us));
  out.bytes(iterator.stream);
  std::string text;
  out.append_sealed(text, kHead, secret);
  return text;
}

std::optional<Iterator> read_iterator(std::string_view text, std::string_view secret,
                                      Arena& arena) {
  auto in = TokenReader::open(text, kHead, secret, arena);
  if (!in) return std::nullopt;
  Iterator iterator;
  iterator.space = storage::SpaceId{in->u32()};
  iterator.shard = in->u32();
  iterator.position = in->u64();
  iterator.issued = {static_cast<std::int64_t>(in->u64())};
  iterator.stream = in->bytes();
  if (!in->is_whole()) return std::nullopt;
  return iterator;
}

}  // namespace stator::kinesis
