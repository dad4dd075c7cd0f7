// The undo log: marks, which are states of the store that a user can return to. After a mark, each
// change of a record first stores the record's old value, once per mark and in the same commit. All
// changes pass WriteTransaction, which does this, so all stored data can be rolled back, at a cost
// proportional to the changes.
//
// Marks nest: their numbers rise, and old values are stored for the newest only. Rolling back to a
// mark undoes the newest mark's changes, then those of the mark before, and so on; the inner marks
// are then removed. Numbers are never reused, so Meta, with the counters, is not rolled back: no
// space, node or stream record ever gets the number of another one. engine/storage/FORMAT.md draws
// the log.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/storage/environment/transaction.h"
#include "protocol/errors/result.h"

namespace stator::storage {

struct Mark {
  std::uint32_t number = 0;  // assigned by add_mark()
  std::string name;
  std::string state;  // the caller's state that is not in records
};

// In the order of creation.
Result<std::vector<Mark>> all_marks(const Transaction& transaction);

// A record that was changed after a mark and before the next one.
struct RememberedRecord {
  std::string place;  // its key in the log, for the search after it
  std::string key;
  std::optional<std::string> before;  // empty if the record did not exist
};
// The first such record of a database, after `place`; empty: from the beginning. Records are in the
// order of the log, which is not that of their keys if these are long. Empty if there is none.
Result<std::optional<RememberedRecord>> next_remembered(const Transaction& transaction,
                                                        std::uint32_t mark, Database database,
                                                        std::string_view place);
// Whether a record was changed after the mark and before the next one.
Result<bool> is_remembered_by(const Transaction& transaction, std::uint32_t mark, Database database,
                              std::string_view key);

// The value that a record had when the first of `marks` was made; empty if it did not exist.
// `marks` rise and end with the newest.
Result<std::optional<std::string>> value_at_mark(const Transaction& transaction,
                                                 std::span<const std::uint32_t> marks,
                                                 Database database, std::string_view key);

// The old values of one mark, without those of later ones.
struct UndoSize {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  bool has_more = false;  // more than `records_max`
};
Result<UndoSize> undo_size(const Transaction& transaction, std::uint32_t mark,
                           std::uint64_t records_max);

// Makes `mark` the newest. REQUIRES: no other mark has its name.
Result<void> add_mark(WriteTransaction& transaction, Mark mark);
// Undoes all changes since the mark was made and removes later marks; the mark itself stays.
// REQUIRES: the mark exists.
Result<void> roll_back(WriteTransaction& transaction, std::uint32_t mark);
// Removes a mark; its old values pass to the next outer mark. REQUIRES: the mark exists.
Result<void> forget_mark(WriteTransaction& transaction, std::uint32_t mark);
Result<void> forget_all_marks(WriteTransaction& transaction);

}  // namespace stator::storage
