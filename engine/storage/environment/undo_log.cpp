#include "engine/storage/environment/undo_log.h"

#include <algorithm>
#include <utility>

#include "engine/storage/bytes/bytes.h"
#include "engine/storage/keys/undo_record.h"

namespace stator::storage {
namespace {

std::string number_key(std::uint32_t number) {
  std::string key;
  ByteWriter(key).be(number);
  return key;
}

// Visits and erases the mark's old values. `visit` gets the key after the mark's number, and the
// value.
template <class Visit>
Result<void> take_undo(WriteTransaction& transaction, std::uint32_t mark, const Visit& visit) {
  const std::string prefix = number_key(mark);
  for (;;) {
    STATOR_TRY(const auto met, transaction.seek(Database::Undo, prefix));
    if (!met || !met->key.starts_with(prefix)) return {};
    if (met->key.size() <= kUndoPrefixBytes)
      return Error(ErrorCode::InternalServerError, "the data is damaged: undo cannot be read");
    const std::string key(met->key);
    const std::string value(met->value);
    STATOR_CHECK(visit(std::string_view(key).substr(kUndoMarkBytes), value));
    STATOR_CHECK(transaction.erase(Database::Undo, key).map([](bool) {}));
  }
}

Result<void> undo(WriteTransaction& transaction, std::uint32_t mark) {
  return take_undo(
      transaction, mark, [&](std::string_view rest, std::string_view value) -> Result<void> {
        const auto database = static_cast<Database>(static_cast<std::uint8_t>(rest.front()));
        if (!is_remembered(database))
          return Error(ErrorCode::InternalServerError, "the data is damaged: undo cannot be read");
        STATOR_TRY(const UndoRecord undone, decode_undo(value));
        if (undone.before) return transaction.put(database, undone.key, *undone.before);
        STATOR_CHECK(transaction.erase(database, undone.key).map([](bool) {}));
        return {};
      });
}

}  // namespace

Result<std::vector<Mark>> all_marks(const Transaction& transaction) {
  std::vector<Mark> marks;
  std::string key;
  for (;;) {
    STATOR_TRY(const auto met, transaction.seek(Database::Marks, key, /*after=*/!key.empty()));
    if (!met) return marks;
    key = met->key;
    ByteReader number(key);
    ByteReader in(met->value);
    Mark& mark = marks.emplace_back();
    mark.number = number.be<std::uint32_t>();
    mark.name = in.bytes();
    mark.state = in.bytes();
    STATOR_CHECK(number.finish("a mark"));
    STATOR_CHECK(in.finish("a mark"));
  }
}

Result<std::optional<RememberedRecord>> next_remembered(const Transaction& transaction,
                                                        std::uint32_t mark, Database database,
                                                        std::string_view place) {
  std::string prefix = number_key(mark);
  ByteWriter(prefix).u8(static_cast<std::uint8_t>(database));
  STATOR_TRY(const auto met, place.empty()
                                 ? transaction.seek(Database::Undo, prefix)
                                 : transaction.seek(Database::Undo, place, /*after=*/true));
  if (!met || !met->key.starts_with(prefix)) return std::optional<RememberedRecord>();
  STATOR_TRY(UndoRecord record, decode_undo(met->value));
  return std::optional(
      RememberedRecord{std::string(met->key), std::move(record.key), std::move(record.before)});
}

Result<bool> is_remembered_by(const Transaction& transaction, std::uint32_t mark, Database database,
                              std::string_view key) {
  const UndoKey undo = UndoKey::of(mark, database, key);
  STATOR_TRY(const auto known, transaction.find(Database::Undo, undo.bytes()));
  return known.has_value();
}

Result<std::optional<std::string>> value_at_mark(const Transaction& transaction,
                                                 std::span<const std::uint32_t> marks,
                                                 Database database, std::string_view key) {
  for (const std::uint32_t mark : marks) {
    const UndoKey undo = UndoKey::of(mark, database, key);
    STATOR_TRY(const auto known, transaction.find(Database::Undo, undo.bytes()));
    if (!known) continue;
    STATOR_TRY(UndoRecord record, decode_undo(*known));
    return std::move(record.before);
  }
  STATOR_TRY(const auto now, transaction.find(database, key));
  return now ? std::optional(std::string(*now)) : std::nullopt;
}

Result<UndoSize> undo_size(const Transaction& transaction, std::uint32_t mark,
                           std::uint64_t records_max) {
  const std::string prefix = number_key(mark);
  UndoSize size;
  for (std::string place = prefix;;) {
    STATOR_TRY(const auto met,
               transaction.seek(Database::Undo, place, /*after=*/place.size() > prefix.size()));
    if (!met || !met->key.starts_with(prefix)) return size;
    if (size.records == records_max) {
      size.has_more = true;
      return size;
    }
    ++size.records;
    size.bytes += met->key.size() + met->value.size();
    place = met->key;
  }
}

Result<void> add_mark(WriteTransaction& transaction, Mark mark) {
  mark.number = transaction.newest_mark() + 1;
  std::string value;
  ByteWriter out(value);
  out.bytes(mark.name);
  out.bytes(mark.state);
  STATOR_CHECK(transaction.put(Database::Marks, number_key(mark.number), value));
  transaction.set_newest_mark(mark.number);
  return {};
}

Result<void> roll_back(WriteTransaction& transaction, std::uint32_t mark) {
  STATOR_TRY(const std::vector<Mark> marks, all_marks(transaction));
  transaction.set_newest_mark(0);  // undoing must not be recorded
  for (auto one = marks.rbegin(); one != marks.rend() && one->number >= mark; ++one) {
    STATOR_CHECK(undo(transaction, one->number));
    if (one->number == mark) break;
    STATOR_CHECK(transaction.erase(Database::Marks, number_key(one->number)).map([](bool) {}));
  }
  transaction.set_newest_mark(mark);
  return {};
}

Result<void> forget_mark(WriteTransaction& transaction, std::uint32_t mark) {
  STATOR_TRY(const std::vector<Mark> marks, all_marks(transaction));
  std::uint32_t outer = 0;
  std::uint32_t newest = 0;
  for (const Mark& one : marks) {
    if (one.number < mark) outer = one.number;
    if (one.number != mark) newest = one.number;
  }
  // The outer mark's old value is older, so it stays.
  const auto hand_over = [&](std::string_view rest, std::string_view value) -> Result<void> {
    if (outer == 0) return {};
    const std::string key = number_key(outer).append(rest);
    STATOR_TRY(const auto known, transaction.find(Database::Undo, key));
    return known ? Result<void>() : transaction.put(Database::Undo, key, value);
  };
  STATOR_CHECK(take_undo(transaction, mark, hand_over));
  STATOR_CHECK(transaction.erase(Database::Marks, number_key(mark)).map([](bool) {}));
  transaction.set_newest_mark(newest);
  return {};
}

Result<void> forget_all_marks(WriteTransaction& transaction) {
  STATOR_CHECK(transaction.clear(Database::Undo));
  STATOR_CHECK(transaction.clear(Database::Marks));
  transaction.set_newest_mark(0);
  return {};
}

}  // namespace stator::storage
