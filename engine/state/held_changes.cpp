#include "engine/state/held_changes.h"

#include "engine/storage/bytes.h"
#include "engine/storage/keys.h"

namespace stator {
namespace {

using storage::Database;
using storage::StoreKey;

constexpr std::uint8_t kErases = 1;
constexpr std::uint8_t kPuts = 2;

void append_bytes(storage::ByteWriter& out, std::string_view bytes) {
  out.be(static_cast<std::uint32_t>(bytes.size()));
  out.raw(bytes);
}

void append_key(storage::ByteWriter& out, const StoreKey& key) {
  append_bytes(out, key.partition);
  append_bytes(out, key.sort);
}

StoreKey read_key(storage::ByteReader& in, storage::SpaceId space) {
  const std::string_view partition = in.raw(in.be<std::uint32_t>());
  const std::string_view sort = in.raw(in.be<std::uint32_t>());
  return {space, partition, sort};
}

}  // namespace

Result<std::uint64_t> next_change_number(const storage::Transaction& transaction) {
  return storage::next_number(transaction, storage::MetaKey::NextChange);
}

Result<void> put_next_change_number(storage::WriteTransaction& transaction, std::uint64_t number) {
  return storage::put_next_number(transaction, storage::MetaKey::NextChange, number);
}

Result<void> hold_change(storage::WriteTransaction& transaction, std::uint64_t number,
                         Timestamp due, const Mutation::EntryChange& change) {
  std::string value;
  storage::ByteWriter out(value);
  out.be(static_cast<std::uint64_t>(due.unix_us));
  out.be(static_cast<std::uint32_t>(change.space));
  out.be(static_cast<std::uint64_t>(change.difference.item_count));
  out.be(static_cast<std::uint64_t>(change.difference.size_bytes));
  out.u8(static_cast<std::uint8_t>((change.erased ? kErases : 0U) | (change.put ? kPuts : 0U)));
  if (change.erased) append_key(out, *change.erased);
  if (change.put) {
    append_key(out, *change.put);
    out.raw(change.record);
  }
  return transaction.put(Database::IndexChanges, storage::ChangeKey{number}.encode().view(), value);
}

Result<HeldChange> decode_held_change(std::string_view bytes) {
  storage::ByteReader in(bytes);
  HeldChange held;
  held.due.unix_us = static_cast<std::int64_t>(in.be<std::uint64_t>());
  held.change.space = storage::SpaceId{in.be<std::uint32_t>()};
  held.change.difference.item_count = static_cast<std::int64_t>(in.be<std::uint64_t>());
  held.change.difference.size_bytes = static_cast<std::int64_t>(in.be<std::uint64_t>());
  const std::uint8_t flags = in.u8();
  if ((flags & kErases) != 0) held.change.erased = read_key(in, held.change.space);
  if ((flags & kPuts) != 0) {
    held.change.put = read_key(in, held.change.space);
    held.change.record = in.raw(in.rest().size());
  }
  STATOR_CHECK(in.finish("a held index change"));
  return held;
}

Result<std::optional<Timestamp>> first_change_due(const storage::Transaction& transaction) {
  STATOR_TRY(const auto record, transaction.seek(Database::IndexChanges, {}));
  if (!record) return std::optional<Timestamp>();
  STATOR_TRY(const HeldChange held, decode_held_change(record->value));
  return std::optional(held.due);
}

Result<void> erase_changes(storage::WriteTransaction& transaction, const TakenChanges& taken) {
  for (std::size_t i = 0; i < taken.count; ++i) {
    STATOR_TRY(const auto record, transaction.seek(Database::IndexChanges, {}));
    if (!record || record->key > taken.last_key) break;
    const std::string key(record->key);
    STATOR_CHECK(transaction.erase(Database::IndexChanges, key).map([](bool) {}));
  }
  return {};
}

}  // namespace stator
