#include "engine/storage/stores/journal.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::storage {
namespace {

constexpr SpaceId kTable{5};
constexpr SpaceId kOther{6};

std::string entry_of(std::uint64_t number) {
  std::string bytes;
  const std::string text = std::to_string(number);
  encode_journal_entry(
      {{Timestamp{static_cast<std::int64_t>(number)}, Origin::User}, text, {}, std::nullopt, text},
      bytes);
  return bytes;
}

// The numbers from `position` on, at most `count_max`.
std::vector<std::uint64_t> numbers(const Transaction& transaction, SpaceId table,
                                   std::uint64_t position, std::size_t count_max = 1000) {
  std::vector<std::uint64_t> found;
  while (found.size() < count_max) {
    const auto next = unwrap(find_in_journal(transaction, table, position));
    if (!next) break;
    CHECK(next->bytes == entry_of(next->number));
    found.push_back(next->number);
    position = next->number + 1;
  }
  return found;
}

using Numbers = std::vector<std::uint64_t>;

TEST_CASE("journal: an entry is read back, with and without records", "[storage]") {
  const std::string before(70'000, 'b');
  for (const bool existed : {false, true}) {
    for (const bool exists : {false, true}) {
      JournalEntry entry{{{1'800'000'000'000'001}, Origin::TimeToLive}, "p", "s", {}, {}};
      if (existed) entry.before = before;
      if (exists) entry.after = "";
      std::string bytes;
      encode_journal_entry(entry, bytes);
      const JournalEntry read = unwrap(decode_journal_entry(bytes));
      CHECK(read.written == entry.written);
      CHECK(read.partition == "p");
      CHECK(read.sort == "s");
      CHECK(read.before == entry.before);
      CHECK(read.after == entry.after);
      for (std::size_t size = 0; size < std::min<std::size_t>(bytes.size(), 40); ++size)
        CHECK_FALSE(decode_journal_entry(std::string_view(bytes).substr(0, size)));
    }
  }
}

TEST_CASE("journal: consumers read on from places of their own", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  unwrap(put_consumer(*transaction, {kTable, "fast", 1}));
  unwrap(put_consumer(*transaction, {kTable, "slow", 1}));
  unwrap(put_consumer(*transaction, {kOther, "fast", 9}));
  for (const std::uint64_t number : {1U, 2U, 4U, 7U})
    unwrap(append_to_journal(*transaction, kTable, number, entry_of(number)));
  for (const std::uint64_t number : {3U, 8U})
    unwrap(append_to_journal(*transaction, kOther, number, entry_of(number)));
  CHECK(numbers(*transaction, kTable, 0) == Numbers{1, 2, 4, 7});
  CHECK(numbers(*transaction, kTable, 3) == Numbers{4, 7});
  CHECK(numbers(*transaction, kTable, 8).empty());
  CHECK(numbers(*transaction, kOther, 0) == Numbers{3, 8});
  CHECK(unwrap(tables_with_journal(*transaction)) == std::vector{kTable, kOther});

  unwrap(put_consumer(*transaction, {kTable, "fast", 5}));
  CHECK(unwrap(consumer_position(*transaction, kTable, "fast")) == 5);
  CHECK(unwrap(consumer_position(*transaction, kTable, "slow")) == 1);
  CHECK_FALSE(unwrap(consumer_position(*transaction, kOther, "slow")).has_value());
  CHECK(unwrap(all_consumers(*transaction)).size() == 3);
  CHECK(unwrap(consumers_of(*transaction, kTable)).size() == 2);
}

TEST_CASE("journal: a cursor meets what is found one by one", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  constexpr std::uint64_t kCount = 300;  // many pages, two tables in turns
  for (std::uint64_t number = 1; number <= kCount; ++number) {
    const SpaceId table = number % 3 == 0 ? kOther : kTable;
    unwrap(append_to_journal(*transaction, table, number, entry_of(number)));
  }
  for (const SpaceId table : {kTable, kOther, SpaceId{4}, SpaceId{7}}) {
    JournalCursor cursor(*transaction, table);
    for (const std::uint64_t position : {0UL, 1UL, 2UL, 150UL, kCount - 1, kCount, kCount + 1}) {
      Numbers met;
      unwrap(cursor.seek(position));
      while (cursor.entry()) {
        CHECK(cursor.entry()->bytes == entry_of(cursor.entry()->number));
        met.push_back(cursor.entry()->number);
        unwrap(cursor.next());
      }
      CHECK(met == numbers(*transaction, table, position));
    }
  }
}

TEST_CASE("journal: what all consumers have passed is trimmed, in pieces", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  unwrap(put_consumer(*transaction, {kTable, "fast", 9}));
  unwrap(put_consumer(*transaction, {kTable, "slow", 3}));
  for (std::uint64_t number = 1; number <= 10; ++number)
    unwrap(append_to_journal(*transaction, kTable, number, entry_of(number)));
  unwrap(append_to_journal(*transaction, kOther, 11, entry_of(11)));

  CHECK(unwrap(trim_journal(*transaction, kTable, 1000)));
  CHECK(numbers(*transaction, kTable, 0) == Numbers{3, 4, 5, 6, 7, 8, 9, 10});
  unwrap(erase_consumer(*transaction, kTable, "slow"));
  CHECK_FALSE(unwrap(trim_journal(*transaction, kTable, 4)));
  CHECK(numbers(*transaction, kTable, 0) == Numbers{7, 8, 9, 10});
  CHECK(unwrap(trim_journal(*transaction, kTable, 2)));
  CHECK(numbers(*transaction, kTable, 0) == Numbers{9, 10});
  unwrap(erase_consumer(*transaction, kTable, "fast"));
  CHECK(unwrap(trim_journal(*transaction, kTable, 2)));
  CHECK(unwrap(tables_with_journal(*transaction)) == std::vector{kOther});
  CHECK(unwrap(trim_journal(*transaction, kOther, 1000)));
  CHECK(unwrap(tables_with_journal(*transaction)).empty());
}

}  // namespace
}  // namespace stator::storage
