#include "engine/data_folder/data_folder.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>

#include "engine/storage/keys/keys.h"
#include "engine/storage/stores/item_store.h"
#include "tests/unit/engine/harness/engine_driver.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator {
namespace {

using Catch::Contains;
using storage::TemporaryFolder;
using storage::unwrap;

Settings settings_in(const std::filesystem::path& folder) {
  Settings settings;
  settings.storage.folder = folder;
  return settings;
}

void must(const test::Answer& answer) {
  if (!answer.ok) throw std::runtime_error(answer.json);
}

// A table with an index of each kind, 60 items with entries, some of them changed or deleted.
void fill(test::EngineDriver& driver) {
  must(driver.call("CreateTable", R"({"TableName":"tab","BillingMode":"PAY_PER_REQUEST",
    "AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"},
      {"AttributeName":"s","AttributeType":"S"},{"AttributeName":"l","AttributeType":"S"}],
    "KeySchema":[{"AttributeName":"p","KeyType":"HASH"},{"AttributeName":"s","KeyType":"RANGE"}],
    "LocalSecondaryIndexes":[{"IndexName":"local","Projection":{"ProjectionType":"KEYS_ONLY"},
      "KeySchema":[{"AttributeName":"p","KeyType":"HASH"},{"AttributeName":"l","KeyType":"RANGE"}]}],
    "GlobalSecondaryIndexes":[{"IndexName":"global","Projection":{"ProjectionType":"ALL"},
      "KeySchema":[{"AttributeName":"l","KeyType":"HASH"}]}]})"));
  for (int i = 0; i < 80; ++i) {
    const std::string n = std::to_string(i);
    must(driver.call("PutItem", R"({"TableName":"tab","Item":{"p":{"S":"p)" +
                                    std::to_string(i % 7) + R"("},"s":{"S":"s)" + n +
                                    R"("},"l":{"S":"l)" + n + R"("},"x":{"S":")" +
                                    std::string(100, 'x') + R"("}}})"));
  }
  for (int i = 0; i < 20; ++i) {
    const std::string key = R"({"p":{"S":"p)" + std::to_string(i % 7) + R"("},"s":{"S":"s)" +
                            std::to_string(i) + R"("}})";
    must(driver.call("DeleteItem", R"({"TableName":"tab","Key":)" + key + "}"));
  }
}

DataReport checked(const std::filesystem::path& folder) {
  const auto report = check_data_folder(folder);
  if (!report) throw std::runtime_error(report.error());
  return *report;
}

// Whether `body` holds in a process of its own: LMDB opens a folder once in a process, and what is
// open here would lose its locks.
template <class Body>
bool holds_elsewhere(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    bool holds = false;
    try {
      holds = body();
    } catch (...) {
    }
    ::_exit(holds ? 0 : 1);
  }
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

bool is_whole(const DataReport& report) {
  return report.findings.empty() && report.tables == 1 && report.items == 60 &&
         report.index_entries == 120;
}

TEST_CASE("data folder: one of DynamoDB Local is recognised by its database", "[engine]") {
  const TemporaryFolder folder;
  const auto write = [&](const char* name, std::string_view text) {
    std::ofstream(folder.path() / name, std::ios::binary) << text;
  };
  CHECK_FALSE(find_foreign_data(folder.path() / "not there"));
  write("notes.db", "SQLite format, or not");
  write("notes.txt", std::string_view("SQLite format 3\0more", 20));
  CHECK_FALSE(find_foreign_data(folder.path()));
  write("shared-local-instance.db", std::string_view("SQLite format 3\0more", 20));
  CHECK(find_foreign_data(folder.path()) == "shared-local-instance.db");
  write("data.mdb", "");
  CHECK_FALSE(find_foreign_data(folder.path()));
}

TEST_CASE("data folder: a whole one is found whole, in use or not", "[engine]") {
  const TemporaryFolder folder;
  {
    test::EngineDriver driver(settings_in(folder.path()));
    fill(driver);
    CHECK(holds_elsewhere([&] { return is_whole(checked(folder.path())); }));
    must(driver.call("GetItem", R"({"TableName":"tab","Key":{"p":{"S":"p0"},"s":{"S":"s70"}}})"));
  }
  CHECK(is_whole(checked(folder.path())));
  CHECK_THAT(check_data_folder(folder.path() / "not there").error(), Contains("no data.mdb"));
}

TEST_CASE("data folder: what does not fit together is told", "[engine]") {
  const TemporaryFolder folder;
  {
    test::EngineDriver driver(settings_in(folder.path()));
    fill(driver);
  }
  const auto change = [&](auto what) {
    const auto data = storage::open_or_throw(storage::on_disk(folder.path()));
    const auto transaction = unwrap(storage::WriteTransaction::begin(*data));
    what(*transaction);
    unwrap(transaction->commit());
  };
  std::string wanted;
  SECTION("an entry that is missing") {
    change([](storage::WriteTransaction& writer) {
      const auto first = unwrap(writer.seek(storage::Database::Items, std::string("\0\0\0\3", 4)));
      REQUIRE(unwrap(writer.erase(storage::Database::Items, std::string(first->key))));
    });
    wanted = "table tab, index global: an item has no entry";
  }
  SECTION("an item that is missing") {
    change([](storage::WriteTransaction& writer) {
      const auto first = unwrap(writer.seek(storage::Database::Items, std::string("\0\0\0\1", 4)));
      REQUIRE(unwrap(writer.erase(storage::Database::Items, std::string(first->key))));
    });
    wanted = "table tab: 59 are there, 60 are recorded";
  }
  SECTION("a record that is none") {
    change([](storage::WriteTransaction& writer) {
      const auto first = unwrap(writer.seek(storage::Database::Items, std::string("\0\0\0\1", 4)));
      unwrap(writer.put(storage::Database::Items, std::string(first->key), "no record"));
    });
    wanted = "table tab: an item cannot be read";
  }
  SECTION("statistics that are wrong") {
    change([](storage::WriteTransaction& writer) {
      unwrap(writer.put(storage::Database::Stats,
                        storage::SpaceKey{storage::SpaceId{2}}.encode().view(),
                        storage::encode_stats({61, 1})));
    });
    wanted = "table tab, index local: 60 are there, 61 are recorded";
  }
  SECTION("records that belong to nobody") {
    change([](storage::WriteTransaction& writer) {
      unwrap(storage::put_record(writer, {storage::SpaceId{99}, "p", {}}, "x"));
    });
    wanted = "space 99: has no owner";
  }
  const DataReport report = checked(folder.path());
  REQUIRE_FALSE(report.findings.empty());
  CHECK_THAT(report.findings, Catch::VectorContains(wanted));
}

TEST_CASE("data folder: a backup is the state of one moment, also beside a server", "[engine]") {
  const TemporaryFolder folder;
  const TemporaryFolder other;
  const auto target = other.path() / "copy";
  test::EngineDriver driver(settings_in(folder.path()));
  fill(driver);
  SECTION("into a new folder") {}
  SECTION("into an empty one") { std::filesystem::create_directory(target); }
  SECTION("never over something") {
    std::filesystem::create_directory(target);
    std::ofstream(target / "file") << "mine";
    CHECK(holds_elsewhere([&] {
      const auto refused = back_up_data_folder(folder.path(), target);
      return !refused && refused.error().find("not an empty folder") != std::string::npos;
    }));
    std::filesystem::remove(target / "file");
  }
  REQUIRE(holds_elsewhere([&] { return back_up_data_folder(folder.path(), target).has_value(); }));
  must(driver.call("DeleteTable", R"({"TableName":"tab"})"));
  CHECK(std::filesystem::status(target / "data.mdb").permissions() ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  CHECK(is_whole(checked(target)));
  test::EngineDriver copy(settings_in(target));
  const auto scanned = copy.call("Scan", R"({"TableName":"tab","Select":"COUNT"})");
  CHECK(scanned.member("Count") == "60");
}

TEST_CASE("data folder: compacting gives back what was deleted", "[engine]") {
  const TemporaryFolder folder;
  const auto compacted = folder.path() / "data.mdb.compact";
  {
    test::EngineDriver driver(settings_in(folder.path()));
    fill(driver);
    must(driver.call("CreateTable", R"({"TableName":"Things","BillingMode":"PAY_PER_REQUEST",
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})"));
    for (int i = 0; i < 200; ++i) {
      must(driver.call("PutItem", R"({"TableName":"Things","Item":{"pk":{"S":"k)" +
                                      std::to_string(i) + R"("},"fill":{"S":")" +
                                      std::string(20'000, 'x') + R"("}}})"));
    }
    must(driver.call("DeleteTable", R"({"TableName":"Things"})"));
    while (driver.sweep()) {
    }
    CHECK(holds_elsewhere([&] {
      const auto refused = compact_data_folder(folder.path());
      return !refused && refused.error().find("in use by another process") != std::string::npos;
    }));
    CHECK_FALSE(std::filesystem::exists(compacted));
  }
  SECTION("at once") {}
  SECTION("after one that was cut off before it put anything in place") {
    std::ofstream(compacted) << "half";
  }
  SECTION("after one that was cut off before its last step") {
    std::ofstream(compacted) << "whole";
    std::filesystem::remove(folder.path() / "synced");
  }
  const auto before = std::filesystem::file_size(folder.path() / "data.mdb");
  const auto made = compact_data_folder(folder.path());
  REQUIRE(made.has_value());
  CHECK(made->bytes_before == before);
  CHECK(made->bytes_before > 4'000'000);
  CHECK(made->bytes_after < 200'000);
  CHECK(std::filesystem::file_size(folder.path() / "data.mdb") == made->bytes_after);
  CHECK_FALSE(std::filesystem::exists(compacted));
  CHECK(is_whole(checked(folder.path())));
  test::EngineDriver again(settings_in(folder.path()));
  const auto scanned = again.call("Scan", R"({"TableName":"tab","Select":"COUNT"})");
  CHECK(scanned.member("Count") == "60");
}

}  // namespace
}  // namespace stator
