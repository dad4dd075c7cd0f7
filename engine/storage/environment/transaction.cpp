#include "engine/storage/environment/transaction.h"

#include <lmdb.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/storage/bytes/damage.h"
#include "engine/storage/environment/environment_impl.h"
#include "engine/storage/keys/undo_record.h"
#include "engine/storage/lmdb/headroom.h"
#include "engine/storage/lmdb/lmdb_handle.h"

namespace stator::storage {
namespace {

// A cursor for one call.
class ScopedCursor {
 public:
  ScopedCursor() = default;
  ScopedCursor(const ScopedCursor&) = delete;
  ScopedCursor& operator=(const ScopedCursor&) = delete;
  ~ScopedCursor() {
    if (cursor_ != nullptr) mdb_cursor_close(cursor_);
  }
  int open(MDB_txn* txn, MDB_dbi dbi) { return mdb_cursor_open(txn, dbi, &cursor_); }
  MDB_cursor* get() const { return cursor_; }

 private:
  MDB_cursor* cursor_ = nullptr;
};

// The result of a cursor call, from LMDB's code.
Result<std::optional<Transaction::Record>> record_met(int code, const MDB_val& key,
                                                      const MDB_val& value) {
  if (code == MDB_NOTFOUND) return std::optional<Transaction::Record>();
  if (code != MDB_SUCCESS) return lmdb_error("read", code);
  return std::optional(Transaction::Record{from_lmdb(key), from_lmdb(value)});
}

}  // namespace

// ------------------------------------------------------------------------------------------------
// Transaction

Transaction::~Transaction() {
  if (txn_ != nullptr) mdb_txn_abort(txn_);
}

Result<std::optional<std::string_view>> Transaction::find(Database database,
                                                          std::string_view key) const {
  assert(txn_ != nullptr);
  MDB_val lmdb_key = to_lmdb(key);
  MDB_val value{};
  const int code = mdb_get(txn_, dbi_of(database), &lmdb_key, &value);
  if (code == MDB_NOTFOUND) return std::optional<std::string_view>();
  if (code != MDB_SUCCESS) return lmdb_error("read", code);
  return std::optional(from_lmdb(value));
}

Result<std::optional<Transaction::Record>> Transaction::seek(Database database,
                                                             std::string_view key,
                                                             bool after) const {
  assert(txn_ != nullptr);
  ScopedCursor cursor;
  int code = cursor.open(txn_, dbi_of(database));
  if (code != MDB_SUCCESS) return lmdb_error("open a cursor", code);
  MDB_val found = to_lmdb(key);
  MDB_val value{};
  code = mdb_cursor_get(cursor.get(), &found, &value, key.empty() ? MDB_FIRST : MDB_SET_RANGE);
  if (code == MDB_SUCCESS && after && from_lmdb(found) == key) {
    code = mdb_cursor_get(cursor.get(), &found, &value, MDB_NEXT);
  }
  return record_met(code, found, value);
}

Result<std::optional<Transaction::Record>> Transaction::seek_before(Database database,
                                                                    std::string_view key) const {
  assert(txn_ != nullptr);
  ScopedCursor cursor;
  int code = cursor.open(txn_, dbi_of(database));
  if (code != MDB_SUCCESS) return lmdb_error("open a cursor", code);
  MDB_val found = to_lmdb(key);
  MDB_val value{};
  code = mdb_cursor_get(cursor.get(), &found, &value, MDB_SET_RANGE);
  if (code == MDB_SUCCESS || code == MDB_NOTFOUND) {
    const MDB_cursor_op back = code == MDB_SUCCESS ? MDB_PREV : MDB_LAST;
    code = mdb_cursor_get(cursor.get(), &found, &value, back);
  }
  return record_met(code, found, value);
}

std::uint64_t Transaction::occupied_bytes(Database database) const {
  assert(txn_ != nullptr);
  MDB_stat stat{};
  if (mdb_stat(txn_, dbi_of(database), &stat) != MDB_SUCCESS) return 0;
  return (stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages) *
         std::uint64_t{stat.ms_psize};
}

std::uint64_t Transaction::id() const {
  assert(txn_ != nullptr);
  return mdb_txn_id(txn_);
}

std::uint64_t Transaction::record_count(Database database) const {
  assert(txn_ != nullptr);
  MDB_stat stat{};
  return mdb_stat(txn_, dbi_of(database), &stat) == MDB_SUCCESS ? stat.ms_entries : 0;
}

// ------------------------------------------------------------------------------------------------
// ReadTransaction

ReadTransaction::ReadTransaction(const Environment& environment) : Transaction(environment) {}

ReadTransaction::~ReadTransaction() { release(); }

Result<void> ReadTransaction::acquire() {
  assert(!is_acquired_);
  int code = txn_ != nullptr ? mdb_txn_renew(txn_) : MDB_PANIC;
  if (code == MDB_PANIC) {
    STATOR_CHECK(begin());
  } else if (code != MDB_SUCCESS) {
    return lmdb_error("begin to read", code);
  }
  is_acquired_ = true;
  environment_->impl_->tell_thread_sanitizer();
  return {};
}

// Begins the LMDB transaction: the first time, and after the handle became unusable.
Result<void> ReadTransaction::begin() {
  Environment::Impl& environment = *environment_->impl_;
  if (txn_ != nullptr) mdb_txn_abort(std::exchange(txn_, nullptr));
  handle_ = environment.handle();
  int code = mdb_txn_begin(handle_->env(), nullptr, MDB_RDONLY, &txn_);
  if (code == MDB_PANIC) {
    environment.end_writing("a commit failed");
    handle_ = environment.handle_after(handle_);
    if (handle_) code = mdb_txn_begin(handle_->env(), nullptr, MDB_RDONLY, &txn_);
  }
  if (code == MDB_SUCCESS) return {};
  txn_ = nullptr;
  return lmdb_error("begin to read", code);
}

void ReadTransaction::release() {
  if (!is_acquired_) return;
  environment_->impl_->tell_thread_sanitizer();
  mdb_txn_reset(txn_);
  is_acquired_ = false;
}

// ------------------------------------------------------------------------------------------------
// WriteTransaction

Result<std::unique_ptr<WriteTransaction>> WriteTransaction::begin(Environment& environment) {
  std::unique_ptr<WriteTransaction> transaction(new WriteTransaction(environment));
  Environment::Impl& impl = *environment.impl_;
  impl.room = FreeSpace::Enough;
  if (impl.use) impl.sync_count = impl.use->sync_count();
  impl.look_for_data();
  if (const std::string why = impl.why_writing_ended(); !why.empty()) {
    return Error(ErrorCode::InternalServerError, "storage: writing has ended: " + why);
  }
  transaction->handle_ = impl.handle();
  const int code = mdb_txn_begin(transaction->handle_->env(), nullptr, 0, &transaction->txn_);
  if (code == MDB_PANIC) impl.end_writing("a commit failed");
  if (code != MDB_SUCCESS) {
    transaction->txn_ = nullptr;
    return lmdb_error("begin to write", code);
  }
  transaction->newest_mark_ = impl.newest_mark;
  impl.tell_thread_sanitizer();
  return transaction;
}

WriteTransaction::~WriteTransaction() = default;

template <class Change>
int WriteTransaction::change(const Change& make) {
  // LMDB looks for the oldest reader when it allocates a page, not when the transaction begins.
  environment_->impl_->tell_thread_sanitizer();
  try {
    return make();
  } catch (const DamagedData& damage) {
    environment_->impl_->end_writing(damage.what());
    throw;
  }
}

void WriteTransaction::keep_reserve() {
  pages_left_ = environment_->impl_->ordinary_pages_left(*handle_, /*counts_free=*/false);
}

// Counts exactly if the rough bound says that space may be too small.
Result<void> WriteTransaction::check_room() {
  const auto fits = [&] {
    const std::int64_t copied = std::min(copied_pages_, pages_in_use(txn_));
    return copied + new_bytes_ / kPageBytes < pages_left_;
  };
  if (fits()) return {};
  if (!has_counted_free_) {
    has_counted_free_ = true;
    pages_left_ = environment_->impl_->ordinary_pages_left(*handle_, /*counts_free=*/true);
    if (fits()) return {};
  }
  return failure("write", MDB_MAP_FULL);
}

Error WriteTransaction::failure(std::string_view action, int code) {
  if (Environment::Impl::is_out_of_space(code)) environment_->impl_->room = FreeSpace::None;
  return lmdb_error(action, code);
}

Result<void> WriteTransaction::put(Database database, std::string_view key,
                                   std::string_view value) {
  assert(txn_ != nullptr && !key.empty() && key.size() <= kLmdbKeyBytesMax);
  if (is_remembered(database)) STATOR_CHECK(remember(database, key, Verb::Put));
  STATOR_CHECK(charge(value.size()));
  MDB_val lmdb_key = to_lmdb(key);
  MDB_val lmdb_value = to_lmdb(value);
  const int code =
      change([&] { return mdb_put(txn_, dbi_of(database), &lmdb_key, &lmdb_value, 0); });
  if (code != MDB_SUCCESS) return failure("write", code);
  return {};
}

Result<char*> WriteTransaction::put_reserve(Database database, std::string_view key,
                                            std::size_t size_bytes) {
  assert(txn_ != nullptr && !key.empty() && key.size() <= kLmdbKeyBytesMax);
  if (is_remembered(database)) STATOR_CHECK(remember(database, key, Verb::Put));
  STATOR_CHECK(charge(size_bytes));
  MDB_val lmdb_key = to_lmdb(key);
  MDB_val room{size_bytes, nullptr};
  const int code =
      change([&] { return mdb_put(txn_, dbi_of(database), &lmdb_key, &room, MDB_RESERVE); });
  if (code != MDB_SUCCESS) return failure("write", code);
  return static_cast<char*>(room.mv_data);
}

Result<bool> WriteTransaction::erase(Database database, std::string_view key) {
  assert(txn_ != nullptr);
  if (is_remembered(database)) STATOR_CHECK(remember(database, key, Verb::Erase));
  STATOR_CHECK(charge(0));
  MDB_val lmdb_key = to_lmdb(key);
  const int code = change([&] { return mdb_del(txn_, dbi_of(database), &lmdb_key, nullptr); });
  if (code == MDB_NOTFOUND) return false;
  if (code != MDB_SUCCESS) return failure("erase", code);
  return true;
}

Result<void> WriteTransaction::remember(Database database, std::string_view key, Verb what) {
  const UndoKey undo = UndoKey::of(newest_mark_, database, key);
  STATOR_TRY(const auto known, find(Database::Undo, undo.bytes()));
  if (known) return {};
  STATOR_TRY(const auto before, find(database, key));
  if (!before && what == Verb::Erase) return {};
  return put(Database::Undo, undo.bytes(), encode_undo(key, before));
}

Result<void> WriteTransaction::clear(Database database) {
  assert(txn_ != nullptr);
  const int code = change([&] { return mdb_drop(txn_, dbi_of(database), /*del=*/0); });
  if (code != MDB_SUCCESS) return failure("clear a database", code);
  return {};
}

Result<void> WriteTransaction::drop(Database database) {
  assert(txn_ != nullptr);
  const int code = change([&] { return mdb_drop(txn_, dbi_of(database), /*del=*/1); });
  if (code != MDB_SUCCESS) return lmdb_error("drop a database", code);
  return {};
}

Result<void> WriteTransaction::commit() {
  assert(txn_ != nullptr);
  Environment::Impl& environment = *environment_->impl_;
  environment.tell_thread_sanitizer();
  // If LMDB finds damage here, the commit is half done, invisible, and the writer's lock is lost.
  const int code = change([&] { return mdb_txn_commit(std::exchange(txn_, nullptr)); });
  if (code == MDB_SUCCESS) {
    environment.newest_mark = newest_mark_;
    environment.committed(*handle_);
    return {};
  }
  environment.commit_failed(*handle_, code);
  return failure("commit", code);
}

}  // namespace stator::storage
