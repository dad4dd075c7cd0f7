// RawCursor: one LMDB cursor that walks a part of a database. Internal to this folder.
#pragma once

#include <lmdb.h>

#include <string_view>
#include <utility>

#include "engine/storage/environment/transaction.h"
#include "engine/storage/keys/key_codec.h"
#include "engine/storage/lmdb/lmdb_handle.h"
#include "engine/storage/stores/item_store.h"

namespace stator::storage {

// One bound of a walk in one database. A lower bound is inclusive, an upper one exclusive, but a
// key with a rest is always part of the walk.
struct Bound {
  KeyBuffer key;               // empty: no bound (upper bounds only)
  std::string_view rest = {};  // sort bytes that continue in the node
};

class RawCursor {
 public:
  RawCursor() = default;
  RawCursor(RawCursor&& other) noexcept
      : limit(other.limit),
        cursor_(std::exchange(other.cursor_, nullptr)),
        key_(other.key_),
        value_(other.value_),
        is_inside_(other.is_inside_) {}
  RawCursor& operator=(RawCursor&&) = delete;
  ~RawCursor() {
    if (cursor_ != nullptr) mdb_cursor_close(cursor_);
  }

  // REQUIRES: `database` is the same in each call; the limit is set.
  Result<void> seek(const Transaction& transaction, Database database, Direction direction,
                    const Bound& start, bool after) {
    if (cursor_ == nullptr) {
      const int code = mdb_cursor_open(transaction.txn_, dbi_of(database), &cursor_);
      if (code != MDB_SUCCESS) return lmdb_error("open a cursor", code);
    }
    const std::string_view target = start.key.view();
    if (target.empty()) return move(direction, MDB_LAST);
    STATOR_TRY(const bool was_found, get(MDB_SET_RANGE, target));
    if (direction == Direction::Forward) {
      if (was_found && after && key_ == target) return move(direction, MDB_NEXT);
      is_inside_ = was_found && is_within_limit(direction);
      return {};
    }
    if (!was_found) return move(direction, MDB_LAST);
    if (start.rest.empty() || key_ != target) return move(direction, MDB_PREV);
    is_inside_ = is_within_limit(direction);
    return {};
  }

  Result<void> next(Direction direction) {
    return move(direction, direction == Direction::Forward ? MDB_NEXT : MDB_PREV);
  }

  // Whether there is a current key, of a record or of a pointer.
  bool is_inside() const { return is_inside_; }
  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }

  Bound limit;

 private:
  Result<void> move(Direction direction, MDB_cursor_op operation) {
    STATOR_TRY(const bool was_found, get(operation, {}));
    is_inside_ = was_found && is_within_limit(direction);
    return {};
  }

  bool is_within_limit(Direction direction) const {
    const int order = key_.compare(limit.key.view());
    if (direction == Direction::Backward) return order >= 0;
    return order < 0 || limit.key.size() == 0 || (order == 0 && !limit.rest.empty());
  }

  Result<bool> get(MDB_cursor_op operation, std::string_view target) {
    MDB_val key = to_lmdb(target);
    MDB_val value{};
    const int code = mdb_cursor_get(cursor_, &key, &value, operation);
    if (code == MDB_NOTFOUND) return false;
    if (code != MDB_SUCCESS) return lmdb_error("read", code);
    key_ = from_lmdb(key);
    value_ = from_lmdb(value);
    return true;
  }

  MDB_cursor* cursor_ = nullptr;
  std::string_view key_;
  std::string_view value_;
  bool is_inside_ = false;
};

}  // namespace stator::storage
