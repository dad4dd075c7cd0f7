// Data of an older format version, brought along while the process is killed again and again. What
// golden folders hold is compared by conformance/survival/golden.
#include "engine/storage/migration/migration.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include <catch2/catch.hpp>

#include "engine/storage/bytes/format.h"
#include "engine/storage/bytes/migration_position.h"
#include "engine/storage/durability/store_options.h"
#include "engine/storage/keys/keys.h"
#include "engine/storage/migration/open_store.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/records/record_layout.h"
#include "engine/storage/stores/item_store.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::storage {
namespace {

constexpr SpaceId kSpace{7};

// Every hundredth has a sort key that goes on in a node.
struct Key {
  explicit Key(int number)
      : partition("p" + std::to_string(number / 100 * 100)), sort(std::to_string(number)) {
    if (number % 100 == 0) sort.insert(0, 700, 's');
  }
  StoreKey view() const { return {kSpace, partition, sort}; }

  std::string partition;
  std::string sort;
};

std::string record_of(int number) {
  const std::string text = "number " + std::to_string(number);
  const std::array<Member, 1> members = {Member{"text", Value::string(text)}};
  std::string record;
  encode_item(members, 4 + text.size(), Stamp{}, record);
  return record;
}

// Version 2 had no stamp.
std::string as_version_2(std::string record) {
  record[0] = 0x01;
  return record.erase(kTimeAt, kRecordHeaderBytes - kTimeAt);
}

void make_version_2(const std::filesystem::path& folder, int count) {
  constexpr int kBatch = 10'000;
  const auto environment = open_or_throw(on_disk(folder));
  for (int begin = 0; begin < count; begin += kBatch) {
    const auto transaction = unwrap(WriteTransaction::begin(*environment));
    for (int number = begin; number < std::min(count, begin + kBatch); ++number)
      unwrap(put_record(*transaction, Key(number).view(), as_version_2(record_of(number))));
    unwrap(transaction->commit());
  }
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  unwrap(transaction->put(Database::Meta, encode(MetaKey::Format), encode_format(2)));
  unwrap(transaction->commit());
}

void check_all(const Environment& environment, int count) {
  ReadTransaction reader(environment);
  unwrap(reader.acquire());
  for (int number = 0; number < count; ++number)
    REQUIRE(unwrap(find_record(reader, Key(number).view())) == record_of(number));
  CHECK(unwrap(reader.find(Database::Meta, encode(MetaKey::Format))) ==
        encode_format(kFormatVersion));
  CHECK_FALSE(unwrap(reader.find(Database::Meta, encode(MetaKey::Migration))).has_value());
}

EnvironmentOptions counting(const std::filesystem::path& folder, int& commits) {
  EnvironmentOptions options = on_disk(folder);
  options.on_migration = [&commits](const MigrationProgress& progress) {
    REQUIRE(progress.from_version == 2);
    ++commits;
  };
  return options;
}

TEST_CASE("migration: data of version 2 is brought along once", "[storage]") {
  const TemporaryFolder folder;
  make_version_2(folder.path(), 5000);
  int commits = 0;
  check_all(*open_or_throw(counting(folder.path(), commits)), 5000);
  CHECK(commits > 2);
  commits = 0;
  check_all(*open_or_throw(counting(folder.path(), commits)), 5000);
  CHECK(commits == 0);
}

TEST_CASE("migration: damaged data is refused and left as it is", "[storage]") {
  const TemporaryFolder folder;
  make_version_2(folder.path(), 10);
  {
    const auto environment = open_or_throw(on_disk(folder.path()));
    const auto transaction = unwrap(WriteTransaction::begin(*environment));
    unwrap(transaction->put(Database::Meta, encode(MetaKey::Format), encode_format(2)));
    unwrap(transaction->commit());
  }
  // Its records are of version 3 by now.
  for (int round = 0; round < 2; ++round) {
    const auto refused = open_store(on_disk(folder.path()));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == "cannot use the data folder " + folder.path().string() +
                                 ": it cannot be brought to format version 10: the data is "
                                 "damaged: a record cannot be read");
  }
}

// Takes away what a version did not have yet.
void make_version(WriteTransaction& transaction, std::uint32_t version) {
  unwrap(transaction.put(Database::Meta, encode(MetaKey::Format), encode_format(version)));
  if (version < 4) {
    unwrap(transaction.drop(Database::Streams));
    unwrap(transaction.drop(Database::Expiries));
  }
  if (version < 5) {
    unwrap(transaction.drop(Database::Tokens));
    unwrap(transaction.drop(Database::TokenTimes));
  }
  if (version < 6) unwrap(transaction.drop(Database::Throughput));
  if (version < 7) {
    unwrap(transaction.drop(Database::Marks));
    unwrap(transaction.drop(Database::Undo));
  }
}

TEST_CASE("migration: data of versions 3 to 7 gets new databases and is not rewritten",
          "[storage]") {
  const auto version = GENERATE(3U, 4U, 5U, 6U, 7U);
  const TemporaryFolder folder;
  {
    const auto environment = open_or_throw(on_disk(folder.path()));
    const auto transaction = unwrap(WriteTransaction::begin(*environment));
    unwrap(put_record(*transaction, Key(1).view(), record_of(1)));
    make_version(*transaction, version);
    unwrap(transaction->commit());
  }
  CHECK_FALSE(Environment::open_to_read(folder.path()));
  for (int round = 0; round < 2; ++round) {
    int commits = 0;
    const auto environment = open_or_throw(counting(folder.path(), commits));
    CHECK(commits == 0);
    ReadTransaction reader(*environment);
    unwrap(reader.acquire());
    CHECK(unwrap(find_record(reader, Key(1).view())) == record_of(1));
    for (const Database database :
         {Database::Streams, Database::Expiries, Database::Tokens, Database::TokenTimes,
          Database::Throughput, Database::Marks, Database::Undo})
      CHECK_FALSE(unwrap(reader.seek(database, {})).has_value());
    CHECK(unwrap(reader.find(Database::Meta, encode(MetaKey::Format))) ==
          encode_format(kFormatVersion));
  }
}

TEST_CASE("migration: what versions 3 to 7 began to bring along is finished", "[storage]") {
  const auto version = GENERATE(3U, 4U, 5U, 6U, 7U);
  const TemporaryFolder folder;
  {
    const auto environment = open_or_throw(on_disk(folder.path()));
    const auto transaction = unwrap(WriteTransaction::begin(*environment));
    for (int number = 0; number < 100; ++number)
      unwrap(put_record(*transaction, Key(number).view(), as_version_2(record_of(number))));
    unwrap(transaction->put(Database::Meta, encode(MetaKey::Migration),
                            MigrationPosition{.from = 2}.encode()));
    make_version(*transaction, version);
    unwrap(transaction->commit());
  }
  int commits = 0;
  check_all(*open_or_throw(counting(folder.path(), commits)), 100);
  CHECK(commits == 1);
}

// Opens the folder in a process that is killed while it works on its piece number `pieces`; whether
// it was killed and did not end by itself.
bool killed_in(const std::filesystem::path& folder, int pieces) {
  std::array<int, 2> told{};
  std::array<int, 2> allowed{};
  REQUIRE(::pipe2(told.data(), O_CLOEXEC) == 0);
  REQUIRE(::pipe2(allowed.data(), O_CLOEXEC) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  char byte = 0;
  if (child == 0) {
    ::close(allowed[1]);
    EnvironmentOptions options = on_disk(folder);
    options.on_migration = [&](const MigrationProgress&) {
      if (::write(told[1], &byte, 1) != 1 || ::read(allowed[0], &byte, 1) != 1) ::_exit(1);
    };
    const auto environment = open_store(options);
    ::_exit(environment ? 0 : 1);
  }
  ::close(told[1]);
  for (int piece = 0; piece < pieces && ::read(told[0], &byte, 1) == 1; ++piece)
    REQUIRE(::write(allowed[1], &byte, 1) == 1);
  ::kill(child, SIGKILL);
  for (const int fd : {told[0], allowed[0], allowed[1]}) ::close(fd);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status);
}

TEST_CASE("migration: killed 20 times, it completes", "[storage][slow]") {
  constexpr int kCount = 200'000;
  const TemporaryFolder folder;
  make_version_2(folder.path(), kCount);
  for (int round = 0; round < 20; ++round) REQUIRE(killed_in(folder.path(), 2 + round % 4));
  int commits = 0;
  check_all(*open_or_throw(counting(folder.path(), commits)), kCount);
  // Nothing was begun anew: 100 commits and a few would have been needed.
  CHECK(commits > 0);
  CHECK(commits < 90);
}

}  // namespace
}  // namespace stator::storage
