#include "engine/storage/stores/counters.h"

#include "engine/storage/bytes/bytes.h"

namespace stator::storage {

Result<std::uint64_t> next_number(const Transaction& transaction, MetaKey counter) {
  STATOR_TRY(const auto stored, transaction.find(Database::Meta, encode(counter)));
  if (!stored) return 1;
  ByteReader in(*stored);
  const auto next = counter == MetaKey::NextNode ? in.be<std::uint64_t>() : in.le<std::uint64_t>();
  STATOR_CHECK(in.finish(encode(counter)));
  return next;
}

Result<void> put_next_number(WriteTransaction& transaction, MetaKey counter, std::uint64_t next) {
  std::string value;
  ByteWriter out(value);
  if (counter == MetaKey::NextNode) {
    out.be(next);
  } else {
    out.le(next);
  }
  return transaction.put(Database::Meta, encode(counter), value);
}

Result<std::uint64_t> take_number(WriteTransaction& transaction, MetaKey counter) {
  STATOR_TRY(const std::uint64_t next, next_number(transaction, counter));
  STATOR_CHECK(put_next_number(transaction, counter, next + 1));
  return next;
}

Result<SpaceId> take_space(WriteTransaction& transaction) {
  STATOR_TRY(const std::uint64_t number, take_number(transaction, MetaKey::NextSpace));
  return SpaceId{static_cast<std::uint32_t>(number)};
}

Result<SpaceStats> find_stats(const Transaction& transaction, SpaceId space) {
  STATOR_TRY(const auto stored, transaction.find(Database::Stats, SpaceKey{space}.encode().view()));
  if (!stored) return SpaceStats{};
  return decode_stats(*stored);
}

}  // namespace stator::storage
