// Journal: the changes of a table's items, numbered in the order of their commits and retained for
// consumers: late indexes, streams and others that follow a table.
//
// A consumer has a name and its own position: the number of the first change that it has not read.
// An item's commit appends an entry, but only if its table has a consumer. A consumer reads on from
// its position, in pieces, and moves the position in the commit that does the work, so it processes
// each change exactly once. Entries that all consumers of the table have passed are trimmed.
// engine/storage/FORMAT.md draws the entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/storage/bytes/stamp.h"
#include "engine/storage/environment/transaction.h"
#include "engine/storage/stores/item_store.h"
#include "protocol/errors/result.h"

namespace stator::storage {

// A change of one item. Views into the bytes it was decoded from.
struct JournalEntry {
  Stamp written;
  std::string_view partition;  // from the item's key
  std::string_view sort;
  std::optional<std::string_view> before;  // records (item_codec.h); empty if no item
  std::optional<std::string_view> after;
};

void encode_journal_entry(const JournalEntry& entry, std::string& out);
Result<JournalEntry> decode_journal_entry(std::string_view bytes);

// Appends an encoded entry. REQUIRES: `number` is greater than all before (MetaKey::NextChange).
Result<void> append_to_journal(WriteTransaction& transaction, SpaceId table, std::uint64_t number,
                               std::string_view entry);

struct NumberedEntry {
  std::uint64_t number;
  std::string_view bytes;  // for decode_journal_entry(); valid like the transaction's other views
};
// The first entry of the table whose number is at least `position`; empty if none.
Result<std::optional<NumberedEntry>> find_in_journal(const Transaction& transaction, SpaceId table,
                                                     std::uint64_t position);

// The last entry whose number is less than `position`; empty if none.
Result<std::optional<NumberedEntry>> find_before_in_journal(const Transaction& transaction,
                                                            SpaceId table, std::uint64_t position);

// The number of the first entry, from `position` on, that was written after `time`; one that is
// greater than those of all entries, or `position`, if there is none. Reads O(log n) entries.
Result<std::uint64_t> first_change_after(const Transaction& transaction, SpaceId table,
                                         std::uint64_t position, Timestamp time);

// Walks a table's journal forwards. Valid until the next write through its transaction; must be
// destroyed before that ends.
class JournalCursor {
 public:
  JournalCursor(const Transaction& transaction, SpaceId table);
  ~JournalCursor();
  JournalCursor(const JournalCursor&) = delete;
  JournalCursor& operator=(const JournalCursor&) = delete;

  // Moves to the first entry whose number is at least `position`.
  Result<void> seek(std::uint64_t position);
  // Moves to the next entry. REQUIRES: entry() is not empty.
  Result<void> next();
  // The current entry; empty at the end.
  const std::optional<NumberedEntry>& entry() const { return entry_; }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::optional<NumberedEntry> entry_;
};

struct Consumer {
  SpaceId table{};
  std::string name;
  std::uint64_t position = 0;
};
// Adds a consumer or moves an existing one.
Result<void> put_consumer(WriteTransaction& transaction, const Consumer& consumer);
Result<void> erase_consumer(WriteTransaction& transaction, SpaceId table, std::string_view name);
// Empty if the consumer does not exist.
Result<std::optional<std::uint64_t>> consumer_position(const Transaction& transaction,
                                                       SpaceId table, std::string_view name);
// The consumers of one table, or of all tables.
Result<std::vector<Consumer>> consumers_of(const Transaction& transaction, SpaceId table);
Result<std::vector<Consumer>> all_consumers(const Transaction& transaction);

// Erases up to `entries_max` entries that every consumer of the table has passed. Returns whether
// none is left.
Result<bool> trim_journal(WriteTransaction& transaction, SpaceId table, std::size_t entries_max);

// Erases one entry. The caller moves the consumers that have not read it.
Result<void> erase_in_journal(WriteTransaction& transaction, SpaceId table, std::uint64_t number);

// The tables that have journal entries, with or without consumers.
Result<std::vector<SpaceId>> tables_with_journal(const Transaction& transaction);

}  // namespace stator::storage
