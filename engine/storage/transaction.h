// Transactions: RAII over LMDB's. A ReadTransaction is a snapshot that is reset and renewed for
// each request; a WriteTransaction is the one writer.
//
// Views returned by find() point into pages: on a ReadTransaction they are valid until release();
// on a WriteTransaction until its next change or its end. LMDB codes become Error
// (InternalServerError, logged by the caller from message()) or a named outcome; none is ignored. A
// transaction must end before its Environment does.
//
// A commit that fails otherwise than for want of space ends writing for good
// (Environment::why_writing_ended()). Should LMDB declare its environment unusable with it, the
// next read opens the file once more, for reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/storage/environment.h"
#include "protocol/result.h"

struct MDB_txn;
struct MDB_cursor;

namespace stator::storage {

class LmdbHandle;

// What reads need: a snapshot, or the state inside a write transaction.
class Transaction {
 public:
  // The value of `key`, or empty.
  Result<std::optional<std::string_view>> find(Database database, std::string_view key) const;

  // A record met by seek().
  struct Record {
    std::string_view key;
    std::string_view value;
  };
  // The first record whose key is not less than `key` (or greater than it, with `after`); empty at
  // the end.
  Result<std::optional<Record>> seek(Database database, std::string_view key,
                                     bool after = false) const;
  // The last record whose key is less than `key`; empty when there is none.
  Result<std::optional<Record>> seek_before(Database database, std::string_view key) const;

  // What the database's pages take.
  std::uint64_t occupied_bytes(Database database) const;
  // Grows with each commit; the same for all who see the same state.
  std::uint64_t id() const;
  // How many records it has. At no cost.
  std::uint64_t record_count(Database database) const;

 protected:
  friend class RawCursor;
  explicit Transaction(const Environment& environment) : environment_(&environment) {}
  ~Transaction();

  const Environment* environment_;
  std::shared_ptr<LmdbHandle> handle_;  // what txn_ belongs to
  MDB_txn* txn_ = nullptr;
};

// Belongs to one thread at a time. Starts released.
class ReadTransaction final : public Transaction {
 public:
  explicit ReadTransaction(const Environment& environment);
  ~ReadTransaction();
  ReadTransaction(const ReadTransaction&) = delete;
  ReadTransaction& operator=(const ReadTransaction&) = delete;

  // Takes a fresh snapshot (0.2–0.5 µs after the first time). REQUIRES: released.
  Result<void> acquire();
  // Lets the snapshot's pages go. No-op when released.
  void release();

 private:
  Result<void> begin();

  bool is_acquired_ = false;
};

// REQUIRES: used on the thread that made it; one at a time per environment.
class WriteTransaction final : public Transaction {
 public:
  static Result<std::unique_ptr<WriteTransaction>> begin(Environment& environment);
  // Aborts when not committed.
  ~WriteTransaction();
  WriteTransaction(const WriteTransaction&) = delete;
  WriteTransaction& operator=(const WriteTransaction&) = delete;

  // From here on it leaves the room alone that is kept for what makes room (headroom.h): a put that
  // could need it fails. What must succeed in a full store is not told to.
  void keep_reserve();

  Result<void> put(Database database, std::string_view key, std::string_view value);
  // Room for a value of `size_bytes` to be filled at once, valid until the next change: saves a
  // copy.
  Result<char*> put_reserve(Database database, std::string_view key, std::size_t size_bytes);
  // Whether there was such a key.
  Result<bool> erase(Database database, std::string_view key);

  // The mark behind which changes are remembered, so that they can be undone (undo_log.h); 0: none
  // is, and writes cost no more than without marks. Setting it counts from now on, for later
  // transactions when this one is committed.
  // REQUIRES: while there is one, what put() and erase() are given lies in no page.
  std::uint32_t newest_mark() const { return newest_mark_; }
  void set_newest_mark(std::uint32_t mark) { newest_mark_ = mark; }

  // Removes all records of a database. They are not remembered.
  Result<void> clear(Database database);
  // Removes a database for good.
  Result<void> drop(Database database);

  // Makes everything visible, and durable as the environment's Sync says. The transaction is over
  // either way.
  Result<void> commit();

 private:
  using Transaction::Transaction;
  // Before a change of a record with a value of `size_bytes`: an upper bound of the pages it takes.
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
  // Before a change of the record, whether it is there or not.
  Result<void> remember(Database database, std::string_view key, Verb what);
  // Runs what changes pages. LMDB that finds damage leaves in the middle of it, so nothing of this
  // process may be written any more.
  template <class Change>
  int change(const Change& make);
  Error failure(std::string_view action, int code);

  static constexpr std::int64_t kPathPages = 6;  // from the root to a leaf, and a split or two
  static constexpr std::int64_t kPageBytes = 4096;
  static constexpr std::size_t kRecordBytes = 256;  // a key and what LMDB adds
  std::int64_t copied_pages_ = 0;
  std::int64_t new_bytes_ = 0;
  std::int64_t pages_left_ = std::numeric_limits<std::int64_t>::max();
  bool has_counted_free_ = false;
  std::uint32_t newest_mark_ = 0;
};

}  // namespace stator::storage
