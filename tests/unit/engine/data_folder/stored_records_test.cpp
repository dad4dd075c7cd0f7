// `stator check` on records beside tables and items: each kind damaged and named, and no false
// alarm at any moment of a job.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/api/bulk_puts.h"
#include "engine/api/control.h"
#include "engine/api/ready_exports.h"
#include "engine/api/ready_imports.h"
#include "engine/data_folder/data_folder.h"
#include "engine/documents/documents.h"
#include "engine/maintenance/chores/chore.h"
#include "engine/schema/kinesis.h"
#include "engine/seams/movable_clock.h"
#include "engine/state/mutation.h"
#include "engine/storage/descriptions/kinesis_streams.h"
#include "engine/storage/keys/keys.h"
#include "engine/storage/stores/item_store.h"
#include "tests/unit/engine/harness/engine_harness.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::test {
namespace {

using storage::Database;
using storage::TemporaryFolder;
using storage::unwrap;
using storage::WriteTransaction;

constexpr std::string_view kArnOf = "arn:aws:dynamodb:us-east-1:000000000000:table/";
constexpr std::string_view kDescribed = "its description cannot be read";

Settings in_folder(const std::filesystem::path& folder) {
  Settings settings;
  settings.storage.folder = folder;
  settings.has_kinesis_server = true;
  return settings;
}

// An engine on a clock that can go back, as a rollback needs it.
struct World {
  explicit World(const std::filesystem::path& folder) : driver(in_folder(folder), clock) {}

  ManualClock below{Timestamp{1'790'000'000'123'000}};
  MovableClock clock{below};
  EngineDriver driver;
};

std::string told(EngineDriver& driver, std::string_view operation, const std::string& body) {
  const Answer answer = driver.call(operation, body);
  if (!answer.ok) throw std::runtime_error(std::string(operation) + ": " + answer.json);
  return answer.json;
}

// A text member of an answer.
std::string text_of(EngineDriver& driver, std::string_view operation, const std::string& body,
                    std::string_view member) {
  const std::string quoted = driver.call(operation, body).member(member);
  if (quoted.size() < 2) throw std::runtime_error(std::string(operation) + " failed");
  return quoted.substr(1, quoted.size() - 2);
}

void make_table(EngineDriver& driver, const std::string& name, const std::string& more = {}) {
  std::string body = create_table_request(name + " (pk)");
  body.pop_back();
  told(driver, "CreateTable", body + more + "}");
}

void enable_recovery(EngineDriver& driver, const std::string& name) {
  told(driver, "UpdateContinuousBackups",
       named(name, R"(,"PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true})"));
}

void put(EngineDriver& driver, const std::string& table, const std::string& key,
         std::size_t fill = 1) {
  told(driver, "PutItem",
       named(table, R"(,"Item":{"pk":{"S":")" + key + R"("},"x":{"S":")" + std::string(fill, 'x') +
                        R"("}})"));
}

// More than a copy takes with its request.
void put_many_items(EngineDriver& driver, const std::string& table) {
  for (int i = 0; i < 2500; ++i) put(driver, table, std::to_string(i));
}

template <class Look>
void look(EngineDriver& driver, const Look& at) {
  Engine::Reader reader(driver.engine());
  unwrap(driver.engine().look(reader, at));
}

ImportJob import_in_progress(EngineDriver& driver) {
  std::optional<ImportJob> job;
  look(driver, [&](const Snapshot& snapshot) -> Result<void> {
    STATOR_TRY(job, next_import_in_progress(snapshot, {}));
    return {};
  });
  return job.value();
}

BulkJob bulk_put_in_progress(EngineDriver& driver) {
  std::vector<BulkJob> jobs;
  look(driver, [&](const Snapshot& snapshot) -> Result<void> {
    STATOR_TRY(jobs, bulk_puts_in_progress(snapshot));
    return {};
  });
  return jobs.at(0);
}

void begin_import_job(EngineDriver& driver, const std::string& name) {
  told(driver, "ImportTable",
       R"({"S3BucketSource":{"S3Bucket":"bucket"},"InputFormat":"DYNAMODB_JSON",
           "TableCreationParameters":)" +
           create_table_request(name + " (pk)") + "}");
  ImportJob job = import_in_progress(driver);
  REQUIRE(begin_import(driver.engine(), job) == ImportCommit::Stored);
}

// Stores an item, and one that could not be read.
void import_piece(EngineDriver& driver, const std::string& key) {
  const ImportJob job = import_in_progress(driver);
  ImportProgress progress = job.progress;
  progress.object_key = "object";
  progress.is_object_read = false;
  progress.object_records += 2;
  progress.processed_items += 2;
  ++progress.imported_items;
  ++progress.error_count;
  const std::vector<Member> item{{"pk", Value::string(key)}};
  const ImportItem one = unwrap(check_import_item(job.table, item));
  REQUIRE(store_import_items(driver.engine(), job, std::span(&one, 1), progress) ==
          ImportCommit::Stored);
}

void begin_bulk_put(EngineDriver& driver, const std::string& name) {
  told(driver, "StartBulkPutItems",
       named(name, R"(,"InputS3Configuration":{"S3Bucket":"bucket","InputFormat":"DYNAMODB_JSON"},
                  "OutputS3Configuration":{"S3Bucket":"reports","OutputType":["ERROR"]})"));
}

// Puts an item, and two that cannot be put.
void bulk_piece(EngineDriver& driver, const std::string& key) {
  const BulkJob job = bulk_put_in_progress(driver);
  const std::uint64_t done = job.progress.object_records;
  const std::vector<BulkRecord> records{
      {R"({"Item":{"pk":{"S":")" + key + R"("}}})", "", "o", done, 1},
      {R"({"Item":{"pk":{"N":"1"}}})", "", "o", done + 1, 2},
      {R"({"Nothing":1})", "", "o", done + 2, 3}};
  REQUIRE(put_bulk_records(driver.engine(), job, records, 100, 1'000'000).record_count == 3);
}

// A hosted stream with a record.
void make_kinesis_stream(EngineDriver& driver) {
  KinesisStream stream;
  stream.scope = stream.region = "us-east-1";
  stream.name = "hosted";
  stream.account_id = "000000000000";
  stream.next_record = 2;
  REQUIRE(driver.engine().change(
      [&](const Catalog&, Timestamp, Mutation& mutation) { mutation.put_kinesis_stream(stream); }));
  REQUIRE(driver.engine().commit_piece([](ChorePiece& piece) -> Result<void> {
    STATOR_TRY(const auto streams, storage::all_kinesis_streams(piece.transaction));
    return storage::put_record(
        piece.transaction,
        {streams.at(0).space, storage::kinesis_shard_bytes(0), storage::kinesis_number_bytes(1)},
        storage::encode_kinesis_record({1, piece.now, "key", "data"}));
  }));
}

void set_document(EngineDriver& driver, const std::string& key) {
  unwrap(change_documents(driver.engine(),
                          [&](const Documents&, Timestamp) -> Result<std::vector<DocumentChange>> {
                            return std::vector<DocumentChange>{{key, "text"}};
                          }));
}

// One of each kind of record, and jobs of each kind in the middle.
void fill_with_all_kinds(World& world) {
  EngineDriver& driver = world.driver;
  make_table(
      driver, "tab",
      R"(,"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"},)"
      R"("ResourcePolicy":"{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\",)"
      R"(\"Principal\":{\"AWS\":\"000000000000\"},\"Action\":\"dynamodb:GetItem\",)"
      R"(\"Resource\":\"arn:aws:dynamodb:us-east-1:000000000000:table/tab\"}]}")");
  enable_recovery(driver, "tab");
  told(driver, "EnableKinesisStreamingDestination",
       named("tab", R"(,"StreamArn":"arn:aws:kinesis:us-east-1:000000000000:stream/there")"));
  for (const char* key : {"a", "b", "c"}) put(driver, "tab", key);
  world.below.advance(std::chrono::hours(1));
  put(driver, "tab", "a", 2);
  told(driver, "CreateBackup", named("tab", R"(,"BackupName":"whole")"));
  told(driver, "TransactWriteItems",
       R"({"ClientRequestToken":"token","TransactItems":[{"Put":{"TableName":"tab",
           "Item":{"pk":{"S":"d"}}}}]})");
  make_table(driver, "gone");
  enable_recovery(driver, "gone");
  put(driver, "gone", "a");
  told(driver, "DeleteTable", named("gone"));
  make_table(driver, "long");
  told(driver, "CreateTable", create_table_request("nodes (pk, sk)"));
  told(
      driver, "PutItem",
      named("nodes", R"(,"Item":{"pk":{"S":"a"},"sk":{"S":")" + std::string(1000, 's') + R"("}})"));
  make_kinesis_stream(driver);
  begin_import_job(driver, "imported");
  import_piece(driver, "a");
  begin_bulk_put(driver, "long");
  bulk_piece(driver, "a");
  while (driver.maintain().is_due) {
  }
  // What is not maintained any more is in the middle.
  make_table(driver, "big");
  put_many_items(driver, "big");
  enable_recovery(driver, "big");
  told(driver, "CreateBackup", named("big", R"(,"BackupName":"half")"));
  told(driver, "ExportTableToPointInTime",
       R"({"TableArn":")" + std::string(kArnOf) + R"(tab","S3Bucket":"bucket"})");
  told(driver, "RestoreTableToPointInTime",
       R"({"SourceTableName":"big","TargetTableName":"restored","UseLatestRestorableTime":true})");
  REQUIRE(driver.engine().set_mark("mark") == MarkOutcome::Done);
  put(driver, "tab", "after");
  set_document(driver, "owner/name");
}

std::vector<std::string> findings_in(const std::filesystem::path& folder) {
  const auto report = check_data_folder(folder);
  if (!report) throw std::runtime_error(report.error());
  return report->findings;
}

// A copy of a folder's data, to be damaged.
class DataCopy {
 public:
  explicit DataCopy(const std::filesystem::path& whole) {
    std::filesystem::copy(whole / "data.mdb", folder_.path() / "data.mdb");
  }

  void change(const std::function<void(WriteTransaction&)>& damage) {
    const auto data = storage::open_or_throw(storage::on_disk(folder_.path()));
    const auto transaction = unwrap(WriteTransaction::begin(*data));
    damage(*transaction);
    unwrap(transaction->commit());
  }

  bool is_told(std::string_view where, std::string_view what) {
    const auto findings = findings_in(folder_.path());
    for (const std::string& one : findings) UNSCOPED_INFO(one);
    return std::any_of(findings.begin(), findings.end(), [&](const std::string& one) {
      return one.find(where) != std::string::npos && one.find(what) != std::string::npos;
    });
  }

 private:
  TemporaryFolder folder_;
};

struct Found {
  std::string key;
  std::string value;
};
// The first record whose key begins with `prefix` and whose value contains `text`.
Found first_with(WriteTransaction& writer, Database database, const std::string& prefix,
                 std::string_view text) {
  std::string key = prefix;
  for (bool is_after = false;; is_after = true) {
    const auto met = unwrap(writer.seek(database, key, is_after));
    if (!met || !met->key.starts_with(prefix)) throw std::runtime_error("nothing to damage");
    key = met->key;
    if (met->value.find(text) != std::string_view::npos) return {key, std::string(met->value)};
  }
}

using Damage = std::function<void(WriteTransaction&)>;

Damage replace(Database database, std::string prefix, std::string_view from, std::string_view to,
               std::string_view within = {}) {
  return [database, prefix, from, to, within](WriteTransaction& writer) {
    Found found = first_with(writer, database, prefix, within.empty() ? from : within);
    const std::size_t at = found.value.find(from);
    if (at == std::string::npos) throw std::runtime_error("nothing to replace");
    unwrap(writer.put(database, found.key, found.value.replace(at, from.size(), to)));
  };
}
Damage garble(Database database, std::string prefix, std::string_view within = {}) {
  return [database, prefix, within](WriteTransaction& writer) {
    unwrap(writer.put(database, first_with(writer, database, prefix, within).key, "?"));
  };
}
Damage drop(Database database, std::string prefix, std::string_view within = {}) {
  return [database, prefix, within](WriteTransaction& writer) {
    unwrap(writer.erase(database, first_with(writer, database, prefix, within).key));
  };
}
Damage add(Database database, std::string key, std::string value) {
  return [database, key, value](WriteTransaction& writer) {
    unwrap(writer.put(database, key, value));
  };
}
// The consumer with this name, of any table.
Damage drop_consumer(std::string name) {
  return [name](WriteTransaction& writer) {
    std::string key;
    for (bool is_after = false;; is_after = true) {
      const auto met = unwrap(writer.seek(Database::Consumers, key, is_after));
      if (!met) throw std::runtime_error("no such consumer");
      key = met->key;
      if (std::string_view(key).substr(storage::kSpaceBytes).starts_with(name)) break;
    }
    unwrap(writer.erase(Database::Consumers, key));
  };
}

std::string space_key(std::uint32_t space) {
  return std::string(storage::SpaceKey{storage::SpaceId{space}}.encode().view());
}

struct Row {
  Damage damage;
  std::string_view where;
  std::string_view what;
};

void check_rows(const std::vector<Row>& rows) {
  const TemporaryFolder whole;
  {
    World world(whole.path());
    fill_with_all_kinds(world);
  }
  CHECK(findings_in(whole.path()).empty());
  for (const Row& row : rows) {
    INFO(row.where << ": " << row.what);
    DataCopy damaged(whole.path());
    damaged.change(row.damage);
    CHECK(damaged.is_told(row.where, row.what));
  }
}

TEST_CASE("check: descriptions of jobs that are damaged are named", "[engine]") {
  check_rows({
      {garble(Database::Backups, "\x01"), "backup 0", kDescribed},
      {garble(Database::Backups, "\x03"), "export 0", kDescribed},
      {garble(Database::Backups, "\x05"), "import 0", kDescribed},
      {garble(Database::Backups, "\x07"), "bulk put 0", kDescribed},
      {garble(Database::Backups, "\x09"), "Kinesis stream hosted", kDescribed},
      {garble(Database::Tables, "", "\"long\""), "table of space", kDescribed},
      {drop(Database::Backups, "\x02"), "of table big", "is in progress, and is not found"},
      {drop(Database::Backups, "\x04"), "of table tab", "is in progress, and is not found"},
      {drop(Database::Backups, "\x06"), "of table imported", "is in progress, and is not found"},
      {drop(Database::Backups, "\x08"), "of table long", "is in progress, and is not found"},
      {add(Database::Backups, "\x02" + space_key(999), "x"), "space 999", "no backup is in"},
      {add(Database::Backups, "\x06" + space_key(999), "x"), "space 999", "no import is in"},
      {add(Database::Backups, "\x0A", "x"), "descriptions of jobs", "unknown kind"},
      {replace(Database::Backups, "\x01", R"("scope":"us-east-1")", R"("scope":"us-east-2")"),
       "backup 0", "stands under another key"},
      {replace(Database::Backups, "\x09", "hosted", "hostes"), "Kinesis stream hostes",
       "stands under another key"},
      {replace(Database::Tables, "", R"("name":"long")", R"("name":"tab")"), "table tab",
       "there are two of this name"},
  });
}

TEST_CASE("check: jobs that do not fit their items are named", "[engine]") {
  check_rows({
      {replace(Database::Backups, "\x01", R"("item_count":3)", R"("item_count":4)"), "of table tab",
       "3 are there, 4 are recorded"},
      {replace(Database::Backups, "\x01", R"("type":"SYSTEM")", R"("type":"USER")"),
       "of table gone", "is half of type USER"},
      {drop_consumer("copy/"), "", "the changes that its copy undoes are not retained"},
      {replace(Database::Backups, "\x01", R"("copy":{"source":)", R"("copy":{"source":9)"),
       "of table big", "which is not there"},
      {replace(Database::Tables, "", R"("copy":{"source":)", R"("copy":{"source":9)"),
       "table restored", "which is not there"},
      {replace(Database::Backups, "\x03", R"("failure_code":"")", R"("failure_code":"x")"),
       "export 0", "its status and its failure do not fit"},
      {replace(Database::Backups, "\x05", R"("status":"IN_PROGRESS")", R"("status":"COMPLETED")"),
       "import 0", "its status and its end do not fit"},
      {replace(Database::Backups, "\x05", R"("status":"IN_PROGRESS")", R"("status":"COMPLETED")"),
       "table imported", "waits for an import"},
      {replace(Database::Backups, "\x05", R"("imported_items":1)", R"("imported_items":3)"),
       "import 0", "2 items are not 3 and 1 errors"},
      {replace(Database::Backups, "\x07", R"("report_lines":2)", R"("report_lines":3)"),
       "bulk put 0", "2 failures are to be reported, 3 lines"},
      {replace(Database::Backups, "\x07", R"("report_lines":2)", R"("report_lines":3)"),
       "bulk put 0", "its report has 2 lines, 3 are recorded"},
      {drop(Database::Items, "", "has no Item"), "bulk put 0",
       "its report has 1 lines, 2 are recorded"},
      {replace(Database::Backups, "\x09", R"("next_record":2)", R"("next_record":1)"),
       "Kinesis stream hosted", "a record has a number that is still to be given"},
  });
}

TEST_CASE("check: what follows a table and is not there is named", "[engine]") {
  check_rows({
      {drop_consumer("history"), "recovery", "no changes are retained"},
      {drop_consumer("kinesis/"), "table tab", "no changes are retained for arn:aws:kinesis"},
      {drop_consumer("stream/"), "stream ", "its records are not retained"},
      {add(Database::Consumers, space_key(1) + "nobody", std::string(8, '\0')), "journal",
       "the consumer nobody has no place"},
      {garble(Database::Journal, ""), "journal", "a change cannot be read"},
      {drop(Database::Journal, ""), "table tab, recovery", "are recorded"},
      {garble(Database::Streams, "\x02"), "stream number", "cannot be read"},
      {drop(Database::Streams, "\x01"), "of table tab", "is not found by its name"},
      {drop(Database::Streams, "\x02"), "table tab", "is not open"},
      {drop(Database::Streams, "\x03"), "of table tab", "0 shards are open, 1 are recorded"},
      {add(Database::Streams, std::string("\x03\0\0\0\0\0\0\0\x63", 9) + "shard", "?"), "streams",
       "records, streams and their shards have"},
  });
}

TEST_CASE("check: what stands beside and is damaged is named", "[engine]") {
  check_rows({
      {garble(Database::Stats, ""), "statistics", "cannot be read"},
      {add(Database::Purges, space_key(1), ""), "space 1", "belongs to table tab"},
      {add(Database::Collections, space_key(999) + "x", std::string(8, '\1')), "space 999",
       "has no owner"},
      {drop(Database::Nodes, ""), "nodes of long keys", "one is empty"},
      {add(Database::Nodes, std::string(7, '\0') + "\x63sort", "?"), "nodes of long keys",
       "2 are there, 1 are named"},
      {garble(Database::Tokens, ""), "tokens", "cannot be read"},
      {add(Database::Throughput, space_key(999), "?"), "throughput of space 999",
       "belongs to no table"},
      {replace(Database::Tables, "", R"(\"Effect\")", R"(\"Affect\")"), "table tab",
       "its resource policy cannot be read"},
      {add(Database::Meta, "next_space", std::string("\1\0\0\0\0\0\0\0", 8)), "counters",
       "the next number of a space is 1"},
      {garble(Database::Meta, "time"), "counters", "cannot be read"},
      {garble(Database::Meta, "stream-secret"), "counters", "the secret of tokens"},
      {garble(Database::Marks, ""), "marks", "cannot be read"},
      {garble(Database::Undo, ""), "undo", "what a record was before cannot be read"},
      {drop(Database::Marks, ""), "undo", "the mark 1 is not there"},
      {add(Database::Documents, "nobody", "x"), "document nobody", "belongs to nobody"},
  });
}

// In a process of its own, as of a folder that is in use: LMDB opens a folder once in a process.
// What it reads is what a kill at this moment would leave.
bool is_whole_now(const std::filesystem::path& folder) {
  const pid_t child = ::fork();
  if (child == 0) {
    bool is_whole = false;
    try {
      const auto findings = findings_in(folder);
      for (const std::string& one : findings) std::cerr << one << '\n';
      is_whole = findings.empty();
    } catch (const std::exception& failure) {
      std::cerr << failure.what() << '\n';
    }
    ::_exit(is_whole ? 0 : 1);
  }
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

TEST_CASE("check: no moment of a job is taken for damage", "[engine]") {
  const TemporaryFolder folder;
  World world(folder.path());
  EngineDriver& driver = world.driver;
  const auto maintain_and_check = [&] {
    for (int piece = 0; driver.maintain({.records_max = 400}).is_due; ++piece) {
      if (piece % 2 == 0) put(driver, "big", "beside" + std::to_string(piece));
      REQUIRE(is_whole_now(folder.path()));
    }
    REQUIRE(is_whole_now(folder.path()));
  };
  make_table(driver, "big");
  enable_recovery(driver, "big");
  put_many_items(driver, "big");
  world.below.advance(std::chrono::hours(1));
  SECTION("a backup, a restore of it, and their removal") {
    const std::string arn =
        text_of(driver, "CreateBackup", named("big", R"(,"BackupName":"one")"), "BackupArn");
    maintain_and_check();
    told(driver, "RestoreTableFromBackup",
         R"({"TargetTableName":"copy","BackupArn":")" + arn + R"("})");
    maintain_and_check();
    told(driver, "DeleteBackup", R"({"BackupArn":")" + arn + R"("})");
    maintain_and_check();
  }
  SECTION("a restore to a moment, and the backup of a deleted table") {
    told(driver, "RestoreTableToPointInTime",
         R"({"SourceTableName":"big","TargetTableName":"copy","UseLatestRestorableTime":true})");
    make_table(driver, "other");
    enable_recovery(driver, "other");
    put_many_items(driver, "other");
    told(driver, "DeleteTable", named("other"));
    maintain_and_check();
  }
  SECTION("exports of both types") {
    const std::string arn =
        R"({"TableArn":")" + std::string(kArnOf) + R"(big","S3Bucket":"bucket")";
    const std::string from = std::to_string(1'790'000'000 + 60);
    told(driver, "ExportTableToPointInTime", arn + "}");
    told(driver, "ExportTableToPointInTime",
         arn + R"(,"ExportType":"INCREMENTAL_EXPORT","IncrementalExportSpecification":
             {"ExportFromTime":)" +
             from + "}}");
    maintain_and_check();
    for (int ended = 0; ended < 2; ++ended) {
      std::optional<ExportJob> job;
      look(driver, [&](const Snapshot& snapshot) -> Result<void> {
        STATOR_TRY(job, ReadyExports(snapshot).next_ready({}));
        return {};
      });
      REQUIRE(end_export(driver.engine(), job.value(), {.failure_code = ended == 0 ? "" : "x"}));
      REQUIRE(is_whole_now(folder.path()));
    }
    maintain_and_check();
  }
  SECTION("imports that end well and badly") {
    for (const bool keeps_table : {true, false}) {
      begin_import_job(driver, keeps_table ? "kept" : "dropped");
      REQUIRE(is_whole_now(folder.path()));
      import_piece(driver, "a");
      REQUIRE(is_whole_now(folder.path()));
      const ImportJob job = import_in_progress(driver);
      REQUIRE(end_import(driver.engine(), job, {.failure_code = "x", .keeps_table = keeps_table}) ==
              ImportCommit::Stored);
      maintain_and_check();
    }
  }
  SECTION("bulk puts that end and that are cancelled") {
    for (const bool is_cancelled : {false, true}) {
      begin_bulk_put(driver, "big");
      bulk_piece(driver, "a");
      bulk_piece(driver, "b");
      REQUIRE(is_whole_now(folder.path()));
      const BulkJob job = bulk_put_in_progress(driver);
      if (is_cancelled)
        told(driver, "CancelBulkOperation", R"({"BulkOperationArn":")" + job.arn() + R"("})");
      REQUIRE(is_whole_now(folder.path()));
      REQUIRE(end_bulk_put(driver.engine(), job, {}));
      maintain_and_check();
    }
  }
  SECTION("back at a mark in the middle") {
    REQUIRE(driver.engine().set_mark("mark") == MarkOutcome::Done);
    told(driver, "CreateBackup", named("big", R"(,"BackupName":"one")"));
    begin_import_job(driver, "imported");
    import_piece(driver, "a");
    begin_bulk_put(driver, "big");
    bulk_piece(driver, "a");
    told(driver, "DeleteTable", named("big"));
    driver.maintain({.records_max = 400});
    REQUIRE(is_whole_now(folder.path()));
    REQUIRE(driver.engine().roll_back("mark") == MarkOutcome::Done);
    maintain_and_check();
  }
}

}  // namespace
}  // namespace stator::test
