// The undo log: marks, states of the store that may be gone back to. Behind a mark, each change of
// a record first remembers what the record was, once for each mark, in the same commit and at the
// one place where all changes pass (WriteTransaction), so whatever is stored goes back, and at the
// cost of what changed.
//
// Marks nest: they are numbered as they are made, and changes are remembered for the newest alone.
// To go back to one is to undo what the newest remembers, then the one before, and so on; inner
// marks are gone then. Numbers are never given twice, so Meta, where the counters stand, stays as
// it is: no space, node, or record of a stream ever has the number of another one. Drawn in
// FORMAT.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator::storage {

struct Mark {
  std::uint32_t number = 0;  // given by add_mark()
  std::string name;
  std::string state;  // the caller's: what goes back without being a record
};

// In the order in which they were made.
Result<std::vector<Mark>> all_marks(const Transaction& transaction);

// The newest from now on. REQUIRES: no other has its name.
Result<void> add_mark(WriteTransaction& transaction, Mark mark);
// Undoes what was changed since the mark was made, and forgets those made later. It stays.
// REQUIRES: there is such a mark.
Result<void> roll_back(WriteTransaction& transaction, std::uint32_t mark);
// What it remembers is the next outer one's. REQUIRES: there is such a mark.
Result<void> forget_mark(WriteTransaction& transaction, std::uint32_t mark);
Result<void> forget_all_marks(WriteTransaction& transaction);

// ---- for WriteTransaction ----

// Where it is remembered what a record was.
class UndoKey {
 public:
  static UndoKey of(std::uint32_t mark, Database database, std::string_view key);
  std::string_view bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Empty `before`: there was no record.
std::string encode_undo(std::string_view key, const std::optional<std::string_view>& before);

}  // namespace stator::storage
