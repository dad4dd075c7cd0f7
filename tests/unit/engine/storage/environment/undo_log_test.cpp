#include "engine/storage/environment/undo_log.h"

#include <map>
#include <random>
#include <utility>

#include <catch2/catch.hpp>

#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::storage {
namespace {

using State = std::map<std::pair<Database, std::string>, std::string>;

State state_of(const Transaction& transaction) {
  State state;
  for (const Database database : {Database::Items, Database::Streams, Database::Throughput}) {
    std::string key;
    for (;;) {
      const auto met = unwrap(transaction.seek(database, key, !key.empty()));
      if (!met) break;
      key = met->key;
      state[{database, key}] = met->value;
    }
  }
  return state;
}

void mark(WriteTransaction& transaction, const std::string& name) {
  unwrap(add_mark(transaction, {0, name, ""}));
}

TEST_CASE("undo log: without one nothing is remembered", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  unwrap(transaction->put(Database::Items, "k", "v"));
  CHECK(transaction->newest_mark() == 0);
  CHECK(transaction->record_count(Database::Undo) == 0);
}

TEST_CASE("undo log: each record is remembered once, and counters never go back", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  unwrap(transaction->put(Database::Items, "k", "first"));
  mark(*transaction, "m");
  for (const char* value : {"second", "third"})
    unwrap(transaction->put(Database::Items, "k", value));
  unwrap(transaction->put(Database::Meta, "n", "7"));
  CHECK(transaction->record_count(Database::Undo) == 1);
  unwrap(roll_back(*transaction, 1));
  CHECK(unwrap(transaction->find(Database::Items, "k")) == "first");
  CHECK(unwrap(transaction->find(Database::Meta, "n")) == "7");
  CHECK(transaction->record_count(Database::Undo) == 0);
  CHECK(transaction->newest_mark() == 1);
}

TEST_CASE("undo log: an aborted transaction leaves marks as they were", "[storage]") {
  TemporaryFolder folder;
  {
    const auto environment = open_or_throw(on_disk(folder.path()));
    mark(*unwrap(WriteTransaction::begin(*environment)), "lost");
    const auto transaction = unwrap(WriteTransaction::begin(*environment));
    CHECK(transaction->newest_mark() == 0);
    mark(*transaction, "kept");
    unwrap(transaction->commit());
  }
  const auto environment = open_or_throw(on_disk(folder.path()));
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  CHECK(transaction->newest_mark() == 1);
  CHECK(unwrap(all_marks(*transaction)).front().name == "kept");
}

// Long keys are remembered by their digests.
std::string random_key(std::mt19937& random) {
  const std::string tail(random() % 4 == 0 ? 506 : 1, 'k');
  return std::to_string(random() % 40) + "/" + tail.substr(0, 505);
}

struct Expected {
  std::uint32_t number;
  State state;
};

void change_something(WriteTransaction& transaction, std::mt19937& random) {
  constexpr Database kDatabases[] = {Database::Items, Database::Streams, Database::Throughput};
  const Database database = kDatabases[random() % 3];
  const std::string key = random_key(random);
  if (random() % 3 == 0) {
    unwrap(transaction.erase(database, key));
  } else if (random() % 2 == 0) {
    unwrap(transaction.put(database, key, std::string(random() % 6000, 'v')));
  } else {
    *unwrap(transaction.put_reserve(database, key, 1)) = static_cast<char>('a' + random() % 26);
  }
}

void move_marks(WriteTransaction& transaction, std::mt19937& random,
                std::vector<Expected>& expected) {
  const std::size_t verb = random() % 3;
  if (verb == 0 || expected.empty()) {
    mark(transaction, "m");
    expected.push_back({transaction.newest_mark(), state_of(transaction)});
    return;
  }
  const auto chosen = expected.begin() + static_cast<std::ptrdiff_t>(random() % expected.size());
  if (verb == 1) {
    unwrap(forget_mark(transaction, chosen->number));
    expected.erase(chosen);
    return;
  }
  unwrap(roll_back(transaction, chosen->number));
  REQUIRE(state_of(transaction) == chosen->state);
  expected.erase(chosen + 1, expected.end());
}

TEST_CASE("undo log: whatever happens, each leads back to its state", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  std::mt19937 random(16);
  std::vector<Expected> expected;
  for (int round = 0; round < 600; ++round) {
    const auto transaction = unwrap(WriteTransaction::begin(*environment));
    auto kept = expected;
    for (int i = 0; i < 10; ++i) change_something(*transaction, random);
    if (random() % 3 == 0) move_marks(*transaction, random, expected);
    if (random() % 5 == 0) {
      expected = std::move(kept);
      continue;
    }
    unwrap(transaction->commit());
  }
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  unwrap(forget_all_marks(*transaction));
  CHECK(transaction->record_count(Database::Undo) == 0);
  CHECK(transaction->record_count(Database::Marks) == 0);
}

}  // namespace
}  // namespace stator::storage
