// Marks: the whole of the data goes back to a named state, and the time with it.
#include <array>
#include <atomic>
#include <future>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/api/control.h"
#include "engine/storage/durability/store_options.h"
#include "tests/unit/engine/harness/engine_harness.h"
#include "tests/unit/engine/indexes/index_life.h"
#include "tests/unit/engine/storage/harness/full_disk.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

using namespace stator;
using namespace stator::test;
using namespace std::chrono_literals;

namespace {

constexpr Timestamp kStart{1'790'000'000'000'000};
const std::string kArn = "arn:aws:dynamodb:us-east-1:000000000000:table/Things";

struct Patient final : StopCondition {
  bool should_stop() noexcept override { return false; }
};

// An engine on a movable clock over one that stands.
struct Marked {
  explicit Marked(Settings settings = {}) : driver(std::move(settings), clock) {}

  Answer call(std::string_view operation, const std::string& body) {
    Answer answer = driver.call(operation, body);
    INFO(operation << " " << body << ": " << answer.json);
    CHECK(answer.ok);
    return answer;
  }
  std::string told(std::string_view operation, const std::string& body) {
    return driver.call(operation, body).json;
  }
  void advance(std::chrono::microseconds by) {
    Patient stop_condition;
    CHECK(steer(driver.engine(), clock, driver.engine().clock().now().plus(by), stop_condition) ==
          AdvanceOutcome::Arrived);
  }
  MarkOutcome mark(const std::string& name) { return driver.engine().set_mark(name); }
  MarkOutcome roll_back(const std::string& name) { return driver.engine().roll_back(name); }
  Timestamp now() { return driver.engine().clock().now(); }
  void maintain() {
    while (driver.sweep()) {
    }
  }

  ManualClock below{kStart};
  MovableClock clock{below};
  EngineDriver driver;
};

// All that an application can see; but streams (tests/unit/streams/stream_marks_test.cpp).
std::string seen(Marked& engine) {
  std::string all = engine.told("ListTables", "{}");
  for (const std::string name : {"Things", "Others", "Fresh"}) {
    all += "\n" + engine.told("DescribeTable", named(name));
    all += "\n" + engine.told("Scan", named(name));
    all += "\n" + engine.told("DescribeTimeToLive", named(name));
  }
  for (const std::string index : {"by_g", "by_late"})
    all += "\n" + engine.told("Scan", named("Things", R"(,"IndexName":")" + index + "\""));
  all += "\n" + engine.told("ListTagsOfResource", R"({"ResourceArn":")" + kArn + "\"}");
  return all + "\n" + std::to_string(engine.now().unix_us);
}

std::string item(int key, std::string_view more) {
  return R"({"pk":{"S":")" + std::to_string(key) + R"("},"g":{"S":"x"})" + std::string(more) + "}";
}

void put(Marked& engine, int key, std::string_view more = "") {
  engine.call("PutItem", put_things(item(key, more)));
}

void begin(Marked& engine) {
  engine.call("CreateTable", create_table_request("Things (pk), global by_g (g) ALL"));
  engine.call("CreateTable", hash_table("Others"));
  engine.call("UpdateTable", named("Things", R"(,"StreamSpecification":{"StreamEnabled":true,)"
                                             R"("StreamViewType":"NEW_AND_OLD_IMAGES"})"));
  engine.call("UpdateTimeToLive", named("Things", R"(,"TimeToLiveSpecification":{"Enabled":true,)"
                                                  R"("AttributeName":"ttl"})"));
  engine.call("TagResource",
              R"({"ResourceArn":")" + kArn + R"(","Tags":[{"Key":"a","Value":"b"}]})");
  for (int i = 0; i < 30; ++i)
    put(engine, i, i % 3 == 0 ? R"(,"ttl":{"N":"1790000060"})" : R"(,"n":{"N":"1"})");
}

// Something of everything.
void change_all(Marked& engine) {
  put(engine, 1, R"(,"n":{"N":"2"})");
  put(engine, 100);
  engine.call("DeleteItem", named("Things", R"(,"Key":{"pk":{"S":"2"}})"));
  engine.call("UpdateTable", create_index("by_late"));
  engine.call("UntagResource", R"({"ResourceArn":")" + kArn + R"(","TagKeys":["a"]})");
  engine.call("DeleteTable", named("Others"));
  engine.call("CreateTable", hash_table("Fresh"));
  engine.call("PutItem", R"({"TableName":"Fresh","Item":{"pk":{"S":"new"}}})");
  engine.advance(25h);
  put(engine, 101);
  engine.call("UpdateTimeToLive", named("Things", R"(,"TimeToLiveSpecification":{"Enabled":false,)"
                                                  R"("AttributeName":"ttl"})"));
  engine.call("UpdateTable", delete_index("by_g"));
  engine.maintain();
}

Settings on_disk(const storage::TemporaryFolder& folder) {
  Settings settings;
  settings.storage.folder = folder.path();
  settings.storage.sync = storage::Sync::Lazy;
  return settings;
}

}  // namespace

TEST_CASE("marks: all that can be seen goes back, as often as one likes, over restarts too",
          "[engine]") {
  const storage::TemporaryFolder folder;
  const bool is_kept = GENERATE(false, true);
  Marked engine(is_kept ? on_disk(folder) : Settings{});
  engine.clock.go_on(kStart, 0);
  begin(engine);
  REQUIRE(engine.mark("seeded") == MarkOutcome::Done);
  const std::string before = seen(engine);
  for (int round = 0; round < 3; ++round) {
    change_all(engine);
    CHECK(seen(engine) != before);
    if (is_kept && round == 1) engine.driver.reopen();
    REQUIRE(engine.roll_back("seeded") == MarkOutcome::Done);
    engine.maintain();
    CHECK(seen(engine) == before);
    if (is_kept) engine.driver.reopen();
    CHECK(seen(engine) == before);
  }
}

TEST_CASE("marks: what is written behind it is as if nothing had been", "[engine]") {
  Marked engine;
  begin(engine);
  REQUIRE(engine.mark("m") == MarkOutcome::Done);
  change_all(engine);
  REQUIRE(engine.roll_back("m") == MarkOutcome::Done);
  put(engine, 2, R"(,"n":{"N":"5"})");
  CHECK(engine.driver.call("Scan", named("Things")).member("Count") == "30");
  CHECK(engine.driver.call("Scan", named("Things", R"(,"IndexName":"by_g")")).member("Count") ==
        "30");
  engine.advance(61s);  // those with a time to live expire
  CHECK(engine.driver.call("Scan", named("Things")).member("Count") == "20");
  change_all(engine);
  CHECK(engine.driver.call("Scan", named("Fresh")).member("Count") == "1");
}

TEST_CASE("marks: they nest, and one that is gone back to forgets those within", "[engine]") {
  Marked engine;
  begin(engine);
  const std::string first = seen(engine);
  REQUIRE(engine.mark("outer") == MarkOutcome::Done);
  put(engine, 200);
  const std::string second = seen(engine);
  REQUIRE(engine.mark("inner") == MarkOutcome::Done);
  change_all(engine);
  REQUIRE(engine.roll_back("inner") == MarkOutcome::Done);
  CHECK(seen(engine) == second);
  change_all(engine);
  REQUIRE(engine.roll_back("outer") == MarkOutcome::Done);
  CHECK(seen(engine) == first);
  CHECK(engine.roll_back("inner") == MarkOutcome::Unknown);
  CHECK(engine.driver.engine().forget_mark("inner") == MarkOutcome::Unknown);
  put(engine, 201);
  REQUIRE(engine.driver.engine().forget_mark("outer") == MarkOutcome::Done);
  CHECK(engine.roll_back("outer") == MarkOutcome::Unknown);
}

TEST_CASE("marks: a name used again is the present state", "[engine]") {
  Marked engine;
  begin(engine);
  REQUIRE(engine.mark("m") == MarkOutcome::Done);
  put(engine, 300);
  REQUIRE(engine.mark("m") == MarkOutcome::Done);
  const std::string later = seen(engine);
  change_all(engine);
  REQUIRE(engine.roll_back("m") == MarkOutcome::Done);
  CHECK(seen(engine) == later);
  CHECK(engine.driver.engine().marks()->size() == 1);
}

TEST_CASE("marks: there is a bound on them", "[engine]") {
  Marked engine;
  for (std::size_t i = 0; i < kMarksMax; ++i)
    REQUIRE(engine.mark("m" + std::to_string(i)) == MarkOutcome::Done);
  CHECK(engine.mark("one more") == MarkOutcome::TooMany);
  CHECK(engine.mark("m3") == MarkOutcome::Done);
  CHECK(engine.driver.engine().marks()->size() == kMarksMax);
}

TEST_CASE("marks: names", "[engine]") {
  for (const char* good : {"a", "A-z_0.9", "seeded"}) CHECK(is_mark_name(good));
  for (const std::string& bad : {std::string(), std::string("a b"), std::string("a/b"),
                                 std::string("\xC3\xA4"), std::string(65, 'a')})
    CHECK_FALSE(is_mark_name(bad));
}

TEST_CASE("marks: a clock that nobody moved since goes on", "[engine]") {
  Marked engine;
  begin(engine);
  REQUIRE(engine.mark("m") == MarkOutcome::Done);
  engine.below.advance(2h);
  put(engine, 1);
  REQUIRE(engine.roll_back("m") == MarkOutcome::Done);
  CHECK(engine.now() == kStart.plus(2h));
}

TEST_CASE("marks: a clock that was moved goes back, and passes as it did", "[engine]") {
  const storage::TemporaryFolder folder;
  Marked engine(on_disk(folder));
  engine.advance(1h);
  REQUIRE(engine.mark("real") == MarkOutcome::Done);
  engine.advance(48h);
  engine.clock.go_on(engine.now(), 60);
  engine.below.advance(1min);
  REQUIRE(engine.now() == kStart.plus(49h + 60min + 0s));
  REQUIRE(engine.roll_back("real") == MarkOutcome::Done);
  CHECK(engine.now() == kStart.plus(1h + 1min));
  CHECK(engine.clock.pace().rate == 1);
  engine.below.advance(1s);
  CHECK(engine.now() == kStart.plus(1h + 1min + 1s));
}

TEST_CASE("marks: data of deleted tables is swept when the last one is forgotten", "[engine]") {
  Marked engine;
  begin(engine);
  REQUIRE(engine.mark("m") == MarkOutcome::Done);
  engine.call("DeleteTable", named("Things"));
  engine.maintain();
  const auto items = [&] {
    Engine::Reader reader(engine.driver.engine());
    std::uint64_t count = 0;
    const auto looked =
        engine.driver.engine().look(reader, [&](const Snapshot& snapshot) -> Result<void> {
          count = snapshot.transaction().record_count(storage::Database::Items);
          return {};
        });
    CHECK(looked.has_value());
    return count;
  };
  CHECK(items() == 60);
  // What came behind the mark need not stay.
  engine.call("CreateTable", create_table_request("Things (pk), global by_g (g) ALL"));
  for (int i = 0; i < 30; ++i) put(engine, i);
  engine.maintain();
  CHECK(items() == 120);
  engine.call("DeleteTable", named("Things"));
  engine.maintain();
  CHECK(items() == 60);
  REQUIRE(engine.driver.engine().forget_mark("m") == MarkOutcome::Done);
  engine.maintain();
  CHECK(items() == 0);
}

TEST_CASE("marks: those that remember too much are given up", "[engine]") {
  Settings settings;
  settings.marks_bytes_max = 100'000;
  Marked engine(settings);
  begin(engine);
  REQUIRE(engine.mark("m") == MarkOutcome::Done);
  for (int i = 0; i < 30; ++i) put(engine, i, R"(,"s":{"S":")" + std::string(9'000, 's') + "\"}");
  CHECK(engine.roll_back("m") == MarkOutcome::Done);
  for (int i = 0; i < 30; ++i) put(engine, i, R"(,"s":{"S":")" + std::string(9'000, 's') + "\"}");
  REQUIRE(engine.mark("m") == MarkOutcome::Done);
  for (int i = 0; i < 30; ++i) put(engine, i);
  CHECK(engine.roll_back("m") == MarkOutcome::Unknown);
  CHECK(engine.driver.warnings ==
        std::vector<std::string>{"all marks were dropped: their undo log exceeds its limit"});
  CHECK(engine.driver.engine().marks()->empty());
  const auto lost = engine.driver.engine().lost_marks();
  REQUIRE(lost.size() == 1);
  CHECK((lost[0].mark.name == "m" && lost[0].mark.made == kStart));
  CHECK(lost[0].reason == "their undo log exceeds its limit");
}

TEST_CASE("marks: a lost one is remembered until its name is used or forgotten", "[engine]") {
  Settings settings;
  settings.marks_records_max = 100;
  Marked engine(settings);
  begin(engine);
  const auto lose = [&](const std::string& first, const std::string& second) {
    REQUIRE(engine.mark(first) == MarkOutcome::Done);
    REQUIRE(engine.mark(second) == MarkOutcome::Done);
    for (int i = 0; i < 120; ++i) put(engine, i, R"(,"of":{"S":")" + first + "\"}");
  };
  const auto lost = [&] {
    std::vector<std::string> names;
    for (const LostMark& one : engine.driver.engine().lost_marks()) names.push_back(one.mark.name);
    return names;
  };
  using Names = std::vector<std::string>;
  CHECK(lost().empty());
  lose("a", "b");
  CHECK(lost() == Names{"a", "b"});
  lose("c", "a");
  CHECK(lost() == Names{"b", "c", "a"});
  REQUIRE(engine.mark("c") == MarkOutcome::Done);
  CHECK(lost() == Names{"b", "a"});
  CHECK(engine.driver.engine().forget_mark("b") == MarkOutcome::Done);
  CHECK(engine.driver.engine().forget_mark("b") == MarkOutcome::Unknown);
  CHECK(engine.driver.engine().forget_mark("c") == MarkOutcome::Done);
  CHECK(lost() == Names{"a"});
}

TEST_CASE("marks: those that remember too many records are given up", "[engine]") {
  Settings settings;
  settings.marks_records_max = 100;
  Marked engine(settings);
  begin(engine);
  REQUIRE(engine.mark("m") == MarkOutcome::Done);
  for (int i = 0; i < 30; ++i) put(engine, i, R"(,"n":{"N":"7"})");  // and an entry each
  CHECK(engine.roll_back("m") == MarkOutcome::Done);
  for (int i = 0; i < 60; ++i) put(engine, 1000 + i);
  CHECK(engine.roll_back("m") == MarkOutcome::Unknown);
}

TEST_CASE("marks: a transaction in flight lands before, and is undone", "[engine]") {
  Settings settings;
  settings.transaction_time = 10s;
  Marked engine(settings);
  engine.clock.go_on(kStart, 0);
  begin(engine);
  REQUIRE(engine.mark("m") == MarkOutcome::Done);
  const std::string before = seen(engine);
  const auto begun = engine.driver.begin(
      "TransactWriteItems",
      R"({"TransactItems":[{"Put":{"TableName":"Things","Item":{"pk":{"S":"t"}}}}]})");
  REQUIRE_FALSE(begun->is_answered());
  REQUIRE(engine.roll_back("m") == MarkOutcome::Done);
  CHECK(begun->is_answered());
  CHECK(begun->answer().ok);
  CHECK(seen(engine) == before);
  put(engine, 1);  // nothing is held
}

namespace {

// Scans beside an engine that goes back over and over, to before a table was, which never comes
// again under its name. Returns how many answers were neither the whole table nor an error.
int wrong_answers(int rounds) {
  const OperationTable operations = all_operations();
  const Operation* const scan = operations.find("DynamoDB_20120810.Scan");
  Marked engine;
  REQUIRE(engine.mark("empty") == MarkOutcome::Done);
  std::atomic<int> loaded{0};
  std::atomic<bool> is_over{false};
  std::atomic<int> wrong{0};
  std::array<std::thread, 2> readers;
  for (std::thread& reading : readers) {
    reading = std::thread([&] {
      Engine::Reader reader(engine.driver.engine());
      Call call;
      while (!is_over) {
        const int table = loaded;
        if (table == 0) continue;
        std::string body = named("Things" + std::to_string(table), R"xx(,"ConsistentRead":true)xx");
        call.reset();
        call.operation = scan;
        call.caller = {"us-east-1", "key", "localhost:8000"};
        const auto root = read_json(body, call.arena);
        if (!root || !engine.driver.engine().parse(*root, call)) ++wrong;
        if (!engine.driver.engine().read(call, reader)) continue;
        const Answer answer{true, call.reply, 0};
        if (answer.member("Count") != "1") ++wrong;
      }
    });
  }
  for (int i = 1; i <= rounds; ++i) {
    const std::string name = "Things" + std::to_string(i);
    engine.call("CreateTable", hash_table(name));
    engine.call("PutItem", named(name, R"(,"Item":{"pk":{"S":"a"}})"));
    loaded = i;
    engine.call("Scan", named(name));
    if (engine.roll_back("empty") != MarkOutcome::Done) ++wrong;
  }
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  return wrong;
}

// A write from one of several threads, any of which may lead; waits for its outcome.
void change(Marked& engine, std::string_view operation, std::string body) {
  class Job final : public WriteJob {
   public:
    using WriteJob::WriteJob;
    void answered() noexcept override { outcome.set_value(); }

    std::promise<void> outcome;
  };
  static const OperationTable operations = all_operations();
  Call call;
  call.operation = operations.find("DynamoDB_20120810." + std::string(operation));
  call.caller = {"us-east-1", "key", "localhost:8000"};
  Engine& shared = engine.driver.engine();
  const auto root = read_json(body, call.arena);
  if (!root || !shared.parse(*root, call)) throw std::runtime_error("bad request: " + body);
  Job job(shared, call);
  auto outcome = job.outcome.get_future();
  if (shared.push(job)) {
    while (shared.lead()) {
    }
  }
  outcome.wait();
}

}  // namespace

TEST_CASE("marks: a read sees a table whole or not at all while it goes", "[engine]") {
  CHECK(wrong_answers(300) == 0);
}

// What a rollback looks at is replaced by each table that comes or goes.
TEST_CASE("marks: a rollback goes well beside tables that come and go", "[engine]") {
  constexpr int kTables = 50;
  constexpr int kRollbacks = 200;
  Marked engine;
  for (int i = 0; i < kTables; ++i)
    engine.call("CreateTable", hash_table("Bystander" + std::to_string(i)));
  engine.call("CreateTable", hash_table("Things"));
  put(engine, 1);
  REQUIRE(engine.mark("m") == MarkOutcome::Done);
  const std::string before = engine.told("Scan", named("Things"));
  std::atomic<bool> is_over{false};
  std::array<std::thread, 2> changing;
  for (std::size_t i = 0; i < changing.size(); ++i) {
    changing[i] = std::thread([&engine, &is_over, name = "Fresh" + std::to_string(i)] {
      // A rollback may take a table away before its DeleteTable, so either may be refused.
      while (!is_over) {
        change(engine, "CreateTable", hash_table(name));
        change(engine, "DeleteTable", named(name));
      }
    });
  }
  int wrong = 0;
  for (int i = 0; i < kRollbacks; ++i) {
    change(engine, "PutItem", put_things(item(i, "")));
    if (engine.roll_back("m") != MarkOutcome::Done) ++wrong;
    if (engine.told("Scan", named("Things")) != before) ++wrong;
  }
  is_over = true;
  for (std::thread& thread : changing) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("marks: a full store gives them up, and can be emptied", "[engine]") {
  Settings settings;
  settings.storage.map_bytes_max = std::size_t{10} << 20;
  Marked engine(settings);
  begin(engine);
  REQUIRE(engine.mark("m") == MarkOutcome::Done);
  const std::string fill = R"(,"s":{"S":")" + std::string(3'000, 's') + "\"}";
  int stored = 0;
  while (engine.driver.call("PutItem", put_things(item(stored, fill))).ok) ++stored;
  REQUIRE(stored > 300);
  engine.maintain();
  REQUIRE(engine.driver.warnings.size() >= 2);
  CHECK(engine.driver.warnings[0].starts_with("there is no room for writes"));
  CHECK(engine.driver.warnings[1] == "all marks were dropped: the store is full");
  CHECK(engine.roll_back("m") == MarkOutcome::Unknown);
  for (int i = 0; i < stored; ++i)
    engine.call("DeleteItem",
                named("Things", R"(,"Key":{"pk":{"S":")" + std::to_string(i) + "\"}}"));
  put(engine, 1, fill);
}

TEST_CASE("marks: a full store has no room for one, and says how many there may be", "[engine]") {
  Settings settings;
  settings.storage.map_bytes_max = std::size_t{10} << 20;
  const int kind = GENERATE(0, 1);  // in memory, in a folder
  const storage::TemporaryFolder folder;
  if (kind > 0) settings.storage.folder = folder.path();
  Marked engine(settings);
  engine.call("CreateTable", hash_table("Things"));
  const std::size_t others = GENERATE(std::size_t{0}, kMarksMax);
  for (std::size_t i = 0; i < others; ++i)
    REQUIRE(engine.mark("m" + std::to_string(i)) == MarkOutcome::Done);
  const std::string fill = R"(,"s":{"S":")" + std::string(40'000, 's') + "\"}";
  int stored = 0;
  while (engine.driver.call("PutItem", put_things(item(stored, fill))).ok) ++stored;
  REQUIRE(stored > 50);
  CHECK(engine.mark("new") == (others == 0 ? MarkOutcome::NoRoom : MarkOutcome::TooMany));
  CHECK(engine.driver.engine().marks()->size() == others);
  engine.maintain();
  for (int i = 0; i < stored; ++i)
    engine.call("DeleteItem",
                named("Things", R"(,"Key":{"pk":{"S":")" + std::to_string(i) + "\"}}"));
  put(engine, 1);
  CHECK(engine.mark("new") == MarkOutcome::Done);
  put(engine, 2);
  CHECK(engine.roll_back("new") == MarkOutcome::Done);
}

TEST_CASE("marks: what cannot be stored leaves all as it was, the time too", "[engine]") {
  const storage::TemporaryFolder folder;
  Marked engine(on_disk(folder));
  engine.clock.go_on(kStart, 0);
  begin(engine);
  REQUIRE(engine.mark("m") == MarkOutcome::Done);
  engine.advance(1h);
  put(engine, 500);
  const std::string before = seen(engine);
  {
    const storage::FullDisk full(4096);
    CHECK(engine.roll_back("m") == MarkOutcome::WriteFailed);
  }
  CHECK(engine.now() == kStart.plus(1h));
  CHECK(seen(engine) == before);
}
