// Transactions: RAII over LMDB's. A ReadTransaction is a snapshot, reset and renewed for each
// request; a WriteTransaction is the only writer.
//
// Views returned by find() point into pages. On a ReadTransaction they are valid until release();
// on a WriteTransaction until its next change or its end. LMDB codes become an Error
// (InternalServerError, logged by the caller from message()) or a named outcome; none is ignored. A
// transaction must end before its Environment.
//
// A commit that fails for any reason except lack of space ends writing for good
// (Environment::why_writing_ended()). If LMDB then declares its environment unusable, the next read
// opens the file again, for reading only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/storage/environment/environment.h"
#include "protocol/errors/result.h"

struct MDB_txn;
struct MDB_cursor;

namespace stator::storage {

class LmdbHandle;

// The common part of reads: a snapshot, or the state inside a write transaction.
class Transaction {
 public:
  // The value of `key`; empty if absent.
  Result<std::optional<std::string_view>> find(Database database, std::string_view key) const;

  // A record found by seek().
  struct Record {
    std::string_view key;
    std::string_view value;
  };
  // The first record whose key is at least `key` (or greater, with `after`); empty at the end.
  Result<std::optional<Record>> seek(Database database, std::string_view key,
                                     bool after = false) const;
  // The last record whose key is less than `key`; empty if none.
  Result<std::optional<Record>> seek_before(Database database, std::string_view key) const;

  // Bytes of the database's pages.
  std::uint64_t occupied_bytes(Database database) const;
  // Rises with each commit; equal for transactions on the same state.
  std::uint64_t id() const;
  // Number of records. Takes no time.
  std::uint64_t record_count(Database database) const;

 protected:
  friend class RawCursor;
  explicit Transaction(const Environment& environment) : environment_(&environment) {}
  ~Transaction();

  const Environment* environment_;
  std::shared_ptr<LmdbHandle> handle_;  // the owner of txn_
  MDB_txn* txn_ = nullptr;
};

// Used by one thread at a time. Initially released.
class ReadTransaction final : public Transaction {
 public:
  explicit ReadTransaction(const Environment& environment);
  ~ReadTransaction();
  ReadTransaction(const ReadTransaction&) = delete;
  ReadTransaction& operator=(const ReadTransaction&) = delete;

  // Takes a new snapshot (0.2–0.5 µs after the first time). REQUIRES: released.
  Result<void> acquire();
  // Releases the snapshot's pages. No-op if released.
  void release();

 private:
  Result<void> begin();

  bool is_acquired_ = false;
};

// REQUIRES: used only on the thread that made it; one at a time per environment.
class WriteTransaction final : public Transaction {
 public:
  static Result<std::unique_ptr<WriteTransaction>> begin(Environment& environment);
  // Aborts if not committed.
  ~WriteTransaction();
  WriteTransaction(const WriteTransaction&) = delete;
  WriteTransaction& operator=(const WriteTransaction&) = delete;

  // From now on this transaction leaves the reserve (headroom.h) unused: a put that might need it
  // fails. Not for transactions that must succeed in a full store.
  void keep_reserve();

  Result<void> put(Database database, std::string_view key, std::string_view value);
  // Memory for a value of `size_bytes`, to be filled at once; valid until the next change. Saves a
  // copy.
  Result<char*> put_reserve(Database database, std::string_view key, std::size_t size_bytes);
  // Returns whether the key existed.
  Result<bool> erase(Database database, std::string_view key);

  // The newest mark. While there is one, the undo log stores each record before its change
  // (undo_log.h); 0 if none, and writes then cost no more than without marks. Setting it takes
  // effect now, and after the commit for later transactions. REQUIRES: while there is a mark, the
  // arguments of put() and erase() point into no page.
  std::uint32_t newest_mark() const { return newest_mark_; }
  void set_newest_mark(std::uint32_t mark) { newest_mark_ = mark; }

  // Removes all records of a database, without the undo log.
  Result<void> clear(Database database);
  // Removes a database for good.
  Result<void> drop(Database database);

  // Makes all changes visible, and durable as the environment's Sync says. Ends the transaction in
  // any case.
  Result<void> commit();

 private:
  using Transaction::Transaction;
  // Called before a change of a record with a value of `size_bytes`: adds an upper bound of the
  // pages it needs.
  Result<void> charge(std::size_t size_bytes) {
    copied_pages_ += kPathPages;
    new_bytes_ += 2 * static_cast<std::int64_t>(size_bytes + kRecordBytes);
    if (copied_pages_ + new_bytes_ / kPageBytes < pages_left_) return {};
    return check_room();
  }
  Result<void> check_room();
  enum class Verb : std::uint8_t { Put, Erase };
  bool is_remembered(Database database) const {
    return newest_mark_ != 0 && storage::is_remembered(database);
  }
  // Stores the record in the undo log before its change, whether it exists or not.
  Result<void> remember(Database database, std::string_view key, Verb what);
  // Runs a change of pages. If LMDB finds damage it stops in the middle, so this process must not
  // write any more.
  template <class Change>
  int change(const Change& make);
  Error failure(std::string_view action, int code);

  static constexpr std::int64_t kPathPages = 6;  // from the root to a leaf, and one or two splits
  static constexpr std::int64_t kPageBytes = 4096;
  static constexpr std::size_t kRecordBytes = 256;  // a key and LMDB's overhead
  std::int64_t copied_pages_ = 0;
  std::int64_t new_bytes_ = 0;
  std::int64_t pages_left_ = std::numeric_limits<std::int64_t>::max();
  bool has_counted_free_ = false;
  std::uint32_t newest_mark_ = 0;
};

}  // namespace stator::storage
