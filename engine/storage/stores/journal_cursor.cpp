// The walk over one table's journal.
#include <cassert>

#include "engine/storage/keys/keys.h"
#include "engine/storage/lmdb/prefetch.h"
#include "engine/storage/stores/journal.h"
#include "engine/storage/stores/raw_cursor.h"

namespace stator::storage {

// Stays one entry ahead of entry(), so that the next one is prefetched while the caller reads this
// one.
struct JournalCursor::Impl {
  Impl(const Transaction& read_from, SpaceId walked) : transaction(read_from), table(walked) {}

  const Transaction& transaction;
  SpaceId table;
  RawCursor raw;
};

JournalCursor::JournalCursor(const Transaction& transaction, SpaceId table)
    : impl_(std::make_unique<Impl>(transaction, table)) {
  impl_->raw.limit.key = SpaceKey{table}.encode();
  impl_->raw.limit.key.advance();
}

JournalCursor::~JournalCursor() = default;

Result<void> JournalCursor::seek(std::uint64_t position) {
  const Bound start{JournalKey{impl_->table, position}.encode()};
  STATOR_CHECK(impl_->raw.seek(impl_->transaction, Database::Journal, Direction::Forward, start,
                               /*after=*/false));
  entry_ = NumberedEntry{};
  return next();
}

Result<void> JournalCursor::next() {
  assert(entry_.has_value());
  RawCursor& raw = impl_->raw;
  entry_.reset();
  if (!raw.is_inside()) return {};
  STATOR_TRY(const JournalKey found, JournalKey::decode(raw.key()));
  entry_ = NumberedEntry{found.number, raw.value()};
  STATOR_CHECK(raw.next(Direction::Forward));
  if (raw.is_inside()) prefetch(raw.value());
  return {};
}

}  // namespace stator::storage
