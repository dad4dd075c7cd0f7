#include "engine/state/held_changes.h"

namespace stator {
namespace {

using storage::Database;
using storage::StoreKey;

constexpr std::string_view kNextChangeKey = "next_change";
constexpr std::uint8_t kErases = 1;
constexpr std::uint8_t kPuts = 2;

// Big-endian, so that keys sort as their numbers.
void append_number(std::string& out, std::uint64_t value, int size_bytes) {
  for (int shift = 8 * (size_bytes - 1); shift >= 0; shift -= 8)
    out.push_back(static_cast<char>((value >> shift) & 0xFF));
}

void append_bytes(std::string& out, std::string_view bytes) {
  append_number(out, bytes.size(), 4);
  out += bytes;
}

void append_key(std::string& out, const StoreKey& key) {
  append_bytes(out, key.partition);
  append_bytes(out, key.sort);
}

// Reads what was written above; `is_damaged` when there was less.
struct Reader {
  std::string_view rest;
  bool is_damaged = false;

  std::string_view take(std::size_t size_bytes) {
    if (size_bytes > rest.size()) {
      is_damaged = true;
      return {};
    }
    const std::string_view taken = rest.substr(0, size_bytes);
    rest.remove_prefix(size_bytes);
    return taken;
  }
  std::uint64_t number(std::size_t size_bytes) {
    std::uint64_t value = 0;
    for (const char byte : take(size_bytes))
      value = (value << 8) | static_cast<unsigned char>(byte);
    return value;
  }
  std::string_view bytes() { return take(number(4)); }
  StoreKey key(storage::SpaceId space) {
    const std::string_view partition = bytes();
    const std::string_view sort = bytes();
    return {space, partition, sort};
  }
};

}  // namespace

Result<std::uint64_t> next_change_number(const storage::Transaction& transaction) {
  STATOR_TRY(const auto stored, transaction.find(Database::Meta, kNextChangeKey));
  return stored ? static_cast<std::uint64_t>(decode_u64(*stored)) : 1;
}

Result<void> put_next_change_number(storage::WriteTransaction& transaction, std::uint64_t number) {
  return transaction.put(Database::Meta, kNextChangeKey,
                         encode_u64(static_cast<std::int64_t>(number)));
}

Result<void> hold_change(storage::WriteTransaction& transaction, std::uint64_t number,
                         Timestamp due, const Mutation::EntryChange& change) {
  std::string key;
  append_number(key, number, 8);
  std::string value;
  append_number(value, static_cast<std::uint64_t>(due.unix_us), 8);
  append_number(value, static_cast<std::uint32_t>(change.space), 4);
  append_number(value, static_cast<std::uint64_t>(change.difference.item_count), 8);
  append_number(value, static_cast<std::uint64_t>(change.difference.size_bytes), 8);
  append_number(value, (change.erased ? kErases : 0U) | (change.put ? kPuts : 0U), 1);
  if (change.erased) append_key(value, *change.erased);
  if (change.put) {
    append_key(value, *change.put);
    value += change.record;
  }
  return transaction.put(Database::IndexChanges, key, value);
}

Result<HeldChange> decode_held_change(std::string_view bytes) {
  Reader in{bytes};
  HeldChange held;
  held.due.unix_us = static_cast<std::int64_t>(in.number(8));
  held.change.space = storage::SpaceId{static_cast<std::uint32_t>(in.number(4))};
  held.change.difference.item_count = static_cast<std::int64_t>(in.number(8));
  held.change.difference.size_bytes = static_cast<std::int64_t>(in.number(8));
  const std::uint64_t flags = in.number(1);
  if ((flags & kErases) != 0) held.change.erased = in.key(held.change.space);
  if ((flags & kPuts) != 0) {
    held.change.put = in.key(held.change.space);
    held.change.record = in.rest;
  }
  if (in.is_damaged) {
    return Error(ErrorCode::InternalServerError, "the data is damaged: a held index change");
  }
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
