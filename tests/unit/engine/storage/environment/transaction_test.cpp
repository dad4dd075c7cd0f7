#include "engine/storage/environment/transaction.h"

#include <cstring>
#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::storage {
namespace {

void put_committed(Environment& environment, std::string_view key, std::string_view value) {
  const auto transaction = unwrap(WriteTransaction::begin(environment));
  unwrap(transaction->put(Database::Tables, key, value));
  unwrap(transaction->commit());
}

std::optional<std::string> read(const Transaction& transaction, std::string_view key,
                                Database database = Database::Tables) {
  const auto value = unwrap(transaction.find(database, key));
  if (!value) return {};
  return std::string(*value);
}

TEST_CASE("transaction: a commit is seen by the next snapshot, not by an older one", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  put_committed(*environment, "k", "old");
  ReadTransaction older(*environment);
  unwrap(older.acquire());
  put_committed(*environment, "k", "new");
  CHECK(read(older, "k") == "old");
  ReadTransaction newer(*environment);
  unwrap(newer.acquire());
  CHECK(read(newer, "k") == "new");
  older.release();
  older.release();
  unwrap(older.acquire());
  CHECK(read(older, "k") == "new");
}

TEST_CASE("transaction: what is not committed is gone", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  put_committed(*environment, "k", "kept");
  {
    const auto transaction = unwrap(WriteTransaction::begin(*environment));
    unwrap(transaction->put(Database::Tables, "k", "dropped"));
    unwrap(transaction->put(Database::Tables, "other", "dropped"));
    CHECK(read(*transaction, "k") == "dropped");
  }
  ReadTransaction reader(*environment);
  unwrap(reader.acquire());
  CHECK(read(reader, "k") == "kept");
  CHECK(read(reader, "other") == std::nullopt);
}

TEST_CASE("transaction: the databases are apart", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  for (std::size_t i = 0; i < kDatabaseCount; ++i) {
    unwrap(transaction->put(static_cast<Database>(i), "same key", std::to_string(i)));
  }
  for (std::size_t i = 0; i < kDatabaseCount; ++i) {
    CHECK(read(*transaction, "same key", static_cast<Database>(i)) == std::to_string(i));
  }
}

TEST_CASE("transaction: erase tells whether there was such a key", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  unwrap(transaction->put(Database::Tables, "k", ""));
  CHECK(read(*transaction, "k") == "");
  CHECK(unwrap(transaction->erase(Database::Tables, "k")));
  CHECK_FALSE(unwrap(transaction->erase(Database::Tables, "k")));
  CHECK(read(*transaction, "k") == std::nullopt);
}

TEST_CASE("transaction: reserved room keeps what is written into it", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const std::string large(400 * 1024, 'x');
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  char* room = unwrap(transaction->put_reserve(Database::Items, "large", large.size()));
  std::memcpy(room, large.data(), large.size());
  unwrap(transaction->commit());
  ReadTransaction reader(*environment);
  unwrap(reader.acquire());
  CHECK(read(reader, "large", Database::Items) == large);
}

TEST_CASE("transaction: seek finds the key, the next one, or the end", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  CHECK_FALSE(unwrap(transaction->seek(Database::Tables, "")).has_value());
  for (const char* key : {"b", "d"}) unwrap(transaction->put(Database::Tables, key, key));
  const auto key_at = [&](std::string_view from, bool after) -> std::string {
    const auto record = unwrap(transaction->seek(Database::Tables, from, after));
    if (!record) return "end";
    CHECK(record->key == record->value);
    return std::string(record->key);
  };
  CHECK(key_at("", false) == "b");
  CHECK(key_at("a", true) == "b");
  CHECK(key_at("b", false) == "b");
  CHECK(key_at("b", true) == "d");
  CHECK(key_at("c", true) == "d");
  CHECK(key_at("d", true) == "end");
  CHECK(key_at("e", false) == "end");
}

TEST_CASE("transaction: more readers than there are slots are refused, and come back",
          "[storage]") {
  const auto environment = open_or_throw(in_memory());
  std::vector<std::unique_ptr<ReadTransaction>> readers;
  bool refused = false;
  for (int i = 0; i < 2000 && !refused; ++i) {
    readers.push_back(std::make_unique<ReadTransaction>(*environment));
    const auto acquired = readers.back()->acquire();
    refused = !acquired;
    if (refused) CHECK(acquired.error().code() == ErrorCode::InternalServerError);
  }
  REQUIRE(refused);
  CHECK(readers.size() > 500);
  readers.front().reset();
  unwrap(readers.back()->acquire());
}

TEST_CASE("transaction: a full map fails the write, keeps the data and the reads", "[storage]") {
  const TemporaryFolder folder;
  const bool on_a_disk = GENERATE(false, true);
  constexpr std::size_t kMapBytes = 1 << 20;
  const auto environment = open_or_throw(on_a_disk ? on_disk(folder.path(), Sync::Commit, kMapBytes)
                                                   : in_memory(kMapBytes));
  const std::string value(3000, 'v');
  int written = 0;
  for (bool full = false; !full;) {
    REQUIRE(written < 1000);
    const auto transaction = unwrap(WriteTransaction::begin(*environment));
    transaction->keep_reserve();
    const auto put = transaction->put(Database::Items, "key" + std::to_string(written), value);
    full = !put || !transaction->commit();
    if (!put) CHECK(put.error().code() == ErrorCode::InternalServerError);
    if (!full) ++written;
  }
  CHECK(written > 50);
  CHECK(environment->used_bytes() <= kMapBytes);
  ReadTransaction reader(*environment);
  unwrap(reader.acquire());
  for (int i = 0; i < written; ++i) {
    REQUIRE(read(reader, "key" + std::to_string(i), Database::Items) == value);
  }
  CHECK(read(reader, "key" + std::to_string(written), Database::Items) == std::nullopt);
}

}  // namespace
}  // namespace stator::storage
