// Clients' tokens in an engine: kept with a mutation, over restarts, swept, given up, forgotten.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/api/control.h"
#include "engine/data_folder/data_folder.h"
#include "engine/storage/stores/token_store.h"
#include "tests/unit/engine/harness/engine_harness.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

using namespace stator;
using namespace stator::test;
using namespace std::chrono_literals;
using storage::unwrap;

namespace {

const std::string kFingerprint(storage::kFingerprintBytes, 'f');

storage::TokenName name(std::string_view text, std::string_view scope = "us-east-1") {
  return {scope, storage::TokenKind::TransactWriteItems, text};
}

// What a write of an operation does: its token, in the one commit of its changes.
bool keep(EngineDriver& driver, std::string_view text, std::string_view scope = "us-east-1",
          bool is_sound = true) {
  return driver.engine().commit_piece([&](ChorePiece& piece) -> Result<void> {
    piece.mutation.store_token(name(text, scope), kFingerprint, text);
    STATOR_CHECK(piece.apply());
    if (!is_sound) return Error::internal_server_error();
    return {};
  });
}

struct Stored {
  bool counts = false;
  std::uint64_t count = 0;
};
Stored look(EngineDriver& driver, std::string_view text, std::string_view scope = "us-east-1") {
  Stored stored;
  REQUIRE(driver.engine().commit_piece([&](ChorePiece& piece) -> Result<void> {
    const auto found = unwrap(storage::find_token(piece.transaction, name(text, scope), piece.now));
    stored = {found.has_value(), storage::count_tokens(piece.transaction)};
    if (found) CHECK(found->payload == text);
    return {};
  }));
  return stored;
}

Settings on_disk(const storage::TemporaryFolder& folder) {
  Settings settings;
  settings.storage.folder = folder.path();
  return settings;
}

int run_chores(EngineDriver& driver) {
  int pieces = 0;
  while (driver.sweep()) ++pieces;
  return pieces;
}

struct Patient final : StopCondition {
  bool should_stop() noexcept override { return !(questions-- > 0); }
  int questions = 1'000;
};

}  // namespace

TEST_CASE("token sweep: a token is kept in the commit of its mutation, or not at all", "[engine]") {
  EngineDriver driver;
  CHECK(keep(driver, "one"));
  CHECK(look(driver, "one").counts);
  CHECK_FALSE(keep(driver, "two", "us-east-1", /*is_sound=*/false));
  CHECK_FALSE(look(driver, "two").counts);
  CHECK(look(driver, "one").count == 1);
}

TEST_CASE("token sweep: ten minutes later a token does not count, and soon it is gone",
          "[engine]") {
  EngineDriver driver;
  REQUIRE(keep(driver, "one"));
  driver.clock().advance(5min);
  REQUIRE(keep(driver, "two"));
  driver.clock().advance(5min - 1us);
  run_chores(driver);
  CHECK(look(driver, "one").counts);
  driver.clock().advance(1us);
  CHECK_FALSE(look(driver, "one").counts);
  driver.clock().advance(10s);
  run_chores(driver);
  CHECK(look(driver, "two").counts);
  CHECK(look(driver, "two").count == 1);
  const auto next_due = driver.maintain().next_due;
  REQUIRE(next_due);
  driver.clock().advance(
      std::chrono::microseconds(next_due->unix_us - driver.clock().now().unix_us));
  run_chores(driver);
  CHECK(look(driver, "two").count == 0);
  CHECK_FALSE(driver.maintain().next_due);
}

TEST_CASE(
    "token sweep: many are erased in pieces, and while time does not end them nothing is done",
    "[engine]") {
  EngineDriver driver;
  constexpr int kCount = 1000;
  for (int i = 0; i < kCount; ++i) {
    REQUIRE(keep(driver, std::to_string(i)));
    driver.clock().advance(1ms);
  }
  CHECK(run_chores(driver) == 0);
  driver.clock().advance(10min + 10s);
  CHECK(run_chores(driver) == 3);  // pieces that were not the last
  CHECK(look(driver, "0").count == 0);
}

TEST_CASE("token sweep: tokens outlive the process, and the next one sweeps them", "[engine]") {
  const storage::TemporaryFolder folder;
  EngineDriver driver(on_disk(folder));
  REQUIRE(keep(driver, "one"));
  driver.reopen();
  CHECK(look(driver, "one").counts);
  driver.clock().advance(10min - 1s);
  driver.reopen();
  CHECK(look(driver, "one").counts);
  driver.clock().advance(1s);
  driver.reopen();
  CHECK(look(driver, "one").count == 1);
  CHECK_FALSE(look(driver, "one").counts);
  driver.clock().advance(10s);
  run_chores(driver);
  CHECK(look(driver, "one").count == 0);
}

TEST_CASE("token sweep: beyond the bound the oldest are given up, and that is told once",
          "[engine]") {
  Settings settings;
  settings.tokens_kept_max = 10;
  EngineDriver driver(settings);
  for (int i = 0; i < 10; ++i) REQUIRE(keep(driver, std::to_string(i)));
  CHECK(look(driver, "0").counts);
  REQUIRE(keep(driver, "0"));  // one that is there makes no more of them
  CHECK(look(driver, "1").count == 10);
  // Those that do not count are nobody's loss.
  driver.clock().advance(10min);
  for (int i = 10; i < 20; ++i) REQUIRE(keep(driver, std::to_string(i)));
  CHECK(driver.warnings.empty());
  for (int i = 20; i < 25; ++i) {
    driver.clock().advance(1s);
    REQUIRE(keep(driver, std::to_string(i)));
    CHECK(look(driver, std::to_string(i)).count == 10);
    CHECK(look(driver, std::to_string(i)).counts);
  }
  CHECK(driver.warnings ==
        std::vector<std::string>{"there are too many client tokens: the oldest are removed early"});
}

TEST_CASE("token sweep: a reset forgets the tokens of the scopes meant", "[engine]") {
  EngineDriver driver;
  for (int i = 0; i < 1500; ++i) REQUIRE(keep(driver, std::to_string(i), "eu-west-1"));
  REQUIRE(keep(driver, "one", "us-east-1"));
  REQUIRE(keep(driver, "one", "us-east-2"));
  Patient patient;
  const auto is_meant = [](std::string_view scope) { return scope != "us-east-1"; };
  patient.questions = 0;
  CHECK_FALSE(reset_tables(driver.engine(), is_meant, patient).is_whole);
  patient.questions = 10;
  CHECK(reset_tables(driver.engine(), is_meant, patient).is_whole);
  CHECK(look(driver, "one", "us-east-1").counts);
  CHECK_FALSE(look(driver, "one", "us-east-2").counts);
  CHECK(look(driver, "1", "eu-west-1").count == 1);
  // Neither is what was entered for them in the way.
  driver.clock().advance(10min + 10s);
  run_chores(driver);
  CHECK(look(driver, "one").count == 0);
}

TEST_CASE("token sweep: a folder whose databases of tokens differ is found out", "[engine]") {
  const storage::TemporaryFolder folder;
  {
    EngineDriver driver(on_disk(folder));
    REQUIRE(keep(driver, "one"));
    REQUIRE(keep(driver, "two"));
  }
  const auto findings = [&] {
    const auto report = check_data_folder(folder.path());
    REQUIRE(report);
    return report->findings;
  };
  CHECK(findings().empty());
  const auto spoil = [&](storage::Database database) {
    const auto environment = storage::open_or_throw(storage::on_disk(folder.path()));
    const auto transaction = unwrap(storage::WriteTransaction::begin(*environment));
    const auto met = unwrap(transaction->seek(database, {}));
    REQUIRE(met);
    REQUIRE(unwrap(transaction->erase(database, std::string(met->key))));
    unwrap(transaction->commit());
  };
  spoil(storage::Database::TokenTimes);
  CHECK(findings() == std::vector<std::string>{"tokens: one is not found by its time",
                                               "tokens: 2 are there, 1 are found by their times"});
  spoil(storage::Database::Tokens);
  spoil(storage::Database::Tokens);
  CHECK(findings() == std::vector<std::string>{"tokens: 0 are there, 1 are found by their times"});
}

TEST_CASE("token sweep: a compacted folder and a backup have their tokens", "[engine]") {
  const storage::TemporaryFolder folder;
  const storage::TemporaryFolder other;
  {
    EngineDriver driver(on_disk(folder));
    REQUIRE(keep(driver, "one"));
  }
  REQUIRE(compact_data_folder(folder.path()));
  REQUIRE(back_up_data_folder(folder.path(), other.path()));
  for (const storage::TemporaryFolder* each : {&folder, &other}) {
    EngineDriver driver(on_disk(*each));
    CHECK(look(driver, "one").counts);
  }
}
