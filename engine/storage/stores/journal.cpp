#include "engine/storage/stores/journal.h"

#include <algorithm>
#include <limits>

#include "engine/storage/bytes/bytes.h"
#include "engine/storage/keys/keys.h"

namespace stator::storage {
namespace {

constexpr std::uint8_t kHasBefore = 1;
constexpr std::uint8_t kHasAfter = 2;

// The consumers whose keys begin with `prefix`.
Result<std::vector<Consumer>> consumers_under(const Transaction& transaction,
                                              std::string_view prefix) {
  std::vector<Consumer> consumers;
  std::string key(prefix);
  for (bool after = false;; after = true) {
    STATOR_TRY(const auto met, transaction.seek(Database::Consumers, key, after));
    if (!met || !met->key.starts_with(prefix)) return consumers;
    key = met->key;
    STATOR_TRY(const ConsumerKey consumer, ConsumerKey::decode(key));
    STATOR_TRY(const std::uint64_t position, decode_position(met->value));
    consumers.push_back({consumer.table, std::string(consumer.name), position});
  }
}

}  // namespace

void encode_journal_entry(const JournalEntry& entry, std::string& out) {
  ByteWriter writer(out);
  writer.be(static_cast<std::uint64_t>(entry.written.time.unix_us));
  writer.u8(static_cast<std::uint8_t>(entry.written.origin));
  writer.u8(
      static_cast<std::uint8_t>((entry.before ? kHasBefore : 0U) | (entry.after ? kHasAfter : 0U)));
  writer.bytes(entry.partition);
  writer.bytes(entry.sort);
  if (entry.before) writer.bytes(*entry.before);
  if (entry.after) writer.bytes(*entry.after);
}

Result<JournalEntry> decode_journal_entry(std::string_view bytes) {
  ByteReader in(bytes);
  Result<JournalEntry> decoded;  // no copy: it would stall on the last stores
  JournalEntry& entry = *decoded;
  entry.written.time.unix_us = static_cast<std::int64_t>(in.be<std::uint64_t>());
  entry.written.origin = Origin{in.u8()};
  const std::uint8_t flags = in.u8();
  entry.partition = in.bytes();
  entry.sort = in.bytes();
  if ((flags & kHasBefore) != 0) entry.before = in.bytes();
  if ((flags & kHasAfter) != 0) entry.after = in.bytes();
  if (auto whole = in.finish("an entry of a journal"); !whole) decoded = std::move(whole).error();
  return decoded;
}

Result<void> append_to_journal(WriteTransaction& transaction, SpaceId table, std::uint64_t number,
                               std::string_view entry) {
  return transaction.put(Database::Journal, JournalKey{table, number}.encode().view(), entry);
}

Result<std::optional<NumberedEntry>> find_in_journal(const Transaction& transaction, SpaceId table,
                                                     std::uint64_t position) {
  const KeyBuffer key = JournalKey{table, position}.encode();
  STATOR_TRY(const auto met, transaction.seek(Database::Journal, key.view()));
  if (!met) return std::optional<NumberedEntry>();
  STATOR_TRY(const JournalKey found, JournalKey::decode(met->key));
  if (found.table != table) return std::optional<NumberedEntry>();
  return std::optional(NumberedEntry{found.number, met->value});
}

Result<std::optional<NumberedEntry>> find_before_in_journal(const Transaction& transaction,
                                                            SpaceId table, std::uint64_t position) {
  const KeyBuffer key = JournalKey{table, position}.encode();
  STATOR_TRY(const auto met, transaction.seek_before(Database::Journal, key.view()));
  if (!met) return std::optional<NumberedEntry>();
  STATOR_TRY(const JournalKey found, JournalKey::decode(met->key));
  if (found.table != table) return std::optional<NumberedEntry>();
  return std::optional(NumberedEntry{found.number, met->value});
}

// Times rise with numbers: the engine's clock never goes back, and a rollback that turns it back
// removes what was written since.
Result<std::uint64_t> first_change_after(const Transaction& transaction, SpaceId table,
                                         std::uint64_t position, Timestamp time) {
  STATOR_TRY(const auto last,
             find_before_in_journal(transaction, table, std::numeric_limits<std::uint64_t>::max()));
  std::uint64_t begin = position;
  std::uint64_t end = last ? std::max(position, last->number + 1) : position;
  while (begin < end) {
    const std::uint64_t middle = begin + (end - begin) / 2;
    STATOR_TRY(const auto met, find_in_journal(transaction, table, middle));
    if (!met || met->number >= end) {
      end = middle;
      continue;
    }
    STATOR_TRY(const JournalEntry entry, decode_journal_entry(met->bytes));
    if (entry.written.time > time) {
      end = middle;
    } else {
      begin = met->number + 1;
    }
  }
  return end;
}

Result<void> put_consumer(WriteTransaction& transaction, const Consumer& consumer) {
  return transaction.put(Database::Consumers,
                         ConsumerKey{consumer.table, consumer.name}.encode().view(),
                         encode_position(consumer.position));
}

Result<void> erase_consumer(WriteTransaction& transaction, SpaceId table, std::string_view name) {
  STATOR_CHECK(transaction.erase(Database::Consumers, ConsumerKey{table, name}.encode().view())
                   .map([](bool) {}));
  return {};
}

Result<std::optional<std::uint64_t>> consumer_position(const Transaction& transaction,
                                                       SpaceId table, std::string_view name) {
  STATOR_TRY(const auto stored,
             transaction.find(Database::Consumers, ConsumerKey{table, name}.encode().view()));
  if (!stored) return std::optional<std::uint64_t>();
  STATOR_TRY(const std::uint64_t position, decode_position(*stored));
  return std::optional(position);
}

Result<std::vector<Consumer>> consumers_of(const Transaction& transaction, SpaceId table) {
  return consumers_under(transaction, SpaceKey{table}.encode().view());
}

Result<std::vector<Consumer>> all_consumers(const Transaction& transaction) {
  return consumers_under(transaction, {});
}

Result<bool> trim_journal(WriteTransaction& transaction, SpaceId table, std::size_t entries_max) {
  STATOR_TRY(const auto consumers, consumers_of(transaction, table));
  std::uint64_t end = std::numeric_limits<std::uint64_t>::max();
  for (const Consumer& consumer : consumers) end = std::min(end, consumer.position);
  for (std::size_t erased = 0;; ++erased) {
    STATOR_TRY(const auto first, find_in_journal(transaction, table, 0));
    if (!first || first->number >= end) return true;
    if (erased == entries_max) return false;
    STATOR_CHECK(erase_in_journal(transaction, table, first->number));
  }
}

Result<void> erase_in_journal(WriteTransaction& transaction, SpaceId table, std::uint64_t number) {
  const KeyBuffer key = JournalKey{table, number}.encode();
  STATOR_CHECK(transaction.erase(Database::Journal, key.view()).map([](bool) {}));
  return {};
}

Result<std::vector<SpaceId>> tables_with_journal(const Transaction& transaction) {
  std::vector<SpaceId> tables;
  KeyBuffer from;
  for (;;) {
    STATOR_TRY(const auto met, transaction.seek(Database::Journal, from.view()));
    if (!met) return tables;
    STATOR_TRY(const JournalKey found, JournalKey::decode(met->key));
    tables.push_back(found.table);
    from.assign(SpaceKey{found.table}.encode());
    from.advance();
    if (from.size() == 0) return tables;
  }
}

}  // namespace stator::storage
