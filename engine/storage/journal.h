// Journal: the changes of a table's items, numbered in the order of their commits, kept for those
// who consume them later: late indexes, and whoever else follows a table.
//
// A consumer has a name and a position of its own: the number of the first change that it has not
// seen. An entry is appended in its item's commit, and only when its table has a consumer. A
// consumer reads on from its position, in pieces, and moves it in the commit that does the work, so
// each change counts exactly once for it. Entries that all consumers of the table have passed are
// trimmed. Drawn in FORMAT.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/storage/item_store.h"
#include "engine/storage/stamp.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator::storage {

// What happened to one item. Views into the bytes it was decoded from.
struct JournalEntry {
  Stamp written;
  std::string_view partition;  // of the item's key
  std::string_view sort;
  std::optional<std::string_view> before;  // records (item_codec.h); empty: no item
  std::optional<std::string_view> after;
};

void encode_journal_entry(const JournalEntry& entry, std::string& out);
Result<JournalEntry> decode_journal_entry(std::string_view bytes);

// Appends an entry, encoded. REQUIRES: `number` is greater than all before (MetaKey::NextChange).
Result<void> append_to_journal(WriteTransaction& transaction, SpaceId table, std::uint64_t number,
                               std::string_view entry);

struct NumberedEntry {
  std::uint64_t number;
  std::string_view bytes;  // for decode_journal_entry(); valid as the transaction's other views
};
// The first entry of the table whose number is not less than `position`, or empty.
Result<std::optional<NumberedEntry>> find_in_journal(const Transaction& transaction, SpaceId table,
                                                     std::uint64_t position);

// The last one whose number is less than `position`, or empty.
Result<std::optional<NumberedEntry>> find_before_in_journal(const Transaction& transaction,
                                                            SpaceId table, std::uint64_t position);

// Walks a table's journal forwards. Valid only while nothing is written through its transaction;
// must be gone before that ends.
class JournalCursor {
 public:
  JournalCursor(const Transaction& transaction, SpaceId table);
  ~JournalCursor();
  JournalCursor(const JournalCursor&) = delete;
  JournalCursor& operator=(const JournalCursor&) = delete;

  // To the first entry whose number is not less than `position`.
  Result<void> seek(std::uint64_t position);
  // To the entry behind the current one. REQUIRES: there is one.
  Result<void> next();
  // The current entry, or empty at the end.
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
// Adds a consumer, or moves it.
Result<void> put_consumer(WriteTransaction& transaction, const Consumer& consumer);
Result<void> erase_consumer(WriteTransaction& transaction, SpaceId table, std::string_view name);
// Empty: there is no such consumer.
Result<std::optional<std::uint64_t>> consumer_position(const Transaction& transaction,
                                                       SpaceId table, std::string_view name);
// Those of a table, or all there are.
Result<std::vector<Consumer>> consumers_of(const Transaction& transaction, SpaceId table);
Result<std::vector<Consumer>> all_consumers(const Transaction& transaction);

// Erases up to `entries_max` entries that every consumer of the table has passed; returns whether
// none is left.
Result<bool> trim_journal(WriteTransaction& transaction, SpaceId table, std::size_t entries_max);

// Erases one entry, for whoever moves the consumers that have not seen it.
Result<void> erase_in_journal(WriteTransaction& transaction, SpaceId table, std::uint64_t number);

// The tables that have entries, whether they have consumers or not.
Result<std::vector<SpaceId>> tables_with_journal(const Transaction& transaction);

}  // namespace stator::storage
