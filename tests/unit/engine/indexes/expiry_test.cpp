// Items with a time of expiry while they come and go, the setting changes and the process ends:
// what is deleted, and that entries and items always fit together. What expires when is in
// tests/cases/engine/time-to-live.cases.
#include <map>
#include <set>

#include "engine/api/control.h"
#include "engine/data_folder/data_folder.h"
#include "engine/seams/random.h"
#include "engine/storage/keys/keys.h"
#include "engine/storage/stores/journal.h"
#include "tests/unit/engine/indexes/index_life.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

using namespace stator;
using namespace stator::test;

namespace {

Settings in_folder(const storage::TemporaryFolder& folder) {
  Settings settings;
  settings.storage.folder = folder.path();
  settings.throttling = Throttling::Off;  // which has the maintainer come once a minute
  return settings;
}

std::string time_to_live(std::string_view attribute, bool is_enabled) {
  return R"({"TableName":"Things","TimeToLiveSpecification":{"AttributeName":")" +
         std::string(attribute) + R"(","Enabled":)" + (is_enabled ? "true}}" : "false}}");
}

std::string number_of(EngineHarness& engine, std::string_view name, std::int64_t from_now_s) {
  return R"(,")" + std::string(name) + R"(":{"N":")" +
         std::to_string(engine.clock().now().unix_s() + from_now_s) + R"("})";
}

void must(const Answer& answer) {
  INFO(answer.json);
  REQUIRE(answer.ok);
}

// A folder's findings, and how many entries for times of expiry there are, with the engine closed.
void check_folder(const storage::TemporaryFolder& folder) {
  const auto report = check_data_folder(folder.path());
  REQUIRE(report);
  CHECK(report->findings.empty());
}
std::size_t expiry_entries(const storage::TemporaryFolder& folder) {
  const auto environment = storage::open_or_throw(storage::on_disk(folder.path()));
  storage::ReadTransaction reader(*environment);
  storage::unwrap(reader.acquire());
  std::size_t count = 0;
  std::string key;
  for (;; ++count) {
    const auto met = storage::unwrap(reader.seek(storage::Database::Expiries, key, count > 0));
    if (!met) return count;
    key = met->key;
  }
}

// A table with two attributes that may be its time to live; which of its items must be there.
class ExpiryModel {
 public:
  ExpiryModel(EngineHarness& engine, SeededRandom& random) : engine_(engine), random_(random) {
    must(engine.call("CreateTable", create_table_request("Things (pk, sk)")));
    must(engine.call("UpdateTable", create_index("by_g")));
  }

  bool chance(int percent) { return random_.next() % 100 < static_cast<unsigned>(percent); }

  void step() {
    switch (random_.next() % 12) {
      case 0:
        return change_setting();
      case 1:
        engine_.clock().advance(std::chrono::milliseconds(random_.next() % 4000));
        return;
      case 2:
      case 3:
        engine_.maintain({.records_max = 1 + random_.next() % 6});
        return forget_deleted();
      default:
        return write();
    }
  }

  // Everything that is expired goes, and nothing else.
  void sweep_all() {
    for (int i = 0; i < 3; ++i) {  // what a sweep's interval or a build kept back, too
      engine_.clock().advance(std::chrono::seconds(1));
      maintain_all(engine_);
    }
    forget_deleted();
    if (setting_.empty()) return;
    for (const auto& [key, item] : items_) CHECK_FALSE(is_expired(item));
  }

 private:
  // Seconds of "t" and "u"; empty: not there, or no number.
  using Times = std::map<std::string, std::int64_t>;

  void write() {
    const std::string key =
        R"("pk":{"S":")" + some_key("p", 9) + R"("},"sk":{"S":")" + some_key("s", 4) + R"("})";
    if (chance(20)) {
      must(engine_.call("DeleteItem", R"({"TableName":"Things","Key":{)" + key + "}}"));
      items_.erase(key);
      return;
    }
    Times times;
    std::string item = key + R"(,"g":{"S":"x"})";
    for (const char* name : {"t", "u"}) {
      if (chance(20)) continue;
      if (chance(10)) {
        item += R"(,")" + std::string(name) + R"(":{"S":"1"})";
        continue;
      }
      const std::int64_t from_now =
          chance(10) ? -200'000'000 : static_cast<std::int64_t>(random_.next() % 12) - 4;
      item += number_of(engine_, name, from_now);
      times[name] = engine_.clock().now().unix_s() + from_now;
    }
    must(engine_.call("PutItem", put_things("{" + item + "}")));
    items_[key] = times;
  }

  void change_setting() {
    if (!setting_.empty()) {
      must(engine_.call("UpdateTimeToLive", time_to_live(setting_, false)));
      setting_.clear();
      if (chance(50)) return;
    }
    setting_ = chance(50) ? "t" : "u";
    must(engine_.call("UpdateTimeToLive", time_to_live(setting_, true)));
  }

  bool is_expired(const Times& times) const {
    const std::int64_t now_s = engine_.clock().now().unix_s();
    const auto found = times.find(setting_);
    return found != times.end() && found->second < now_s && found->second >= now_s - 157'680'000;
  }

  // Only what is expired may be gone.
  void forget_deleted() {
    std::set<std::string> there;
    for (const std::string& item : content(engine_)) {
      const Answer fields{true, item, 0};
      there.insert(R"("pk":)" + fields.member("pk") + R"(,"sk":)" + fields.member("sk"));
    }
    for (auto item = items_.begin(); item != items_.end();) {
      const bool is_gone = !there.contains(item->first);
      if (is_gone) REQUIRE(is_expired(item->second));
      item = is_gone ? items_.erase(item) : std::next(item);
    }
    REQUIRE(there.size() == items_.size());
    REQUIRE(content(engine_, "by_g").size() == items_.size());
  }

  // Few, so that items are written again; some longer than a key of the store.
  std::string some_key(const char* prefix, unsigned count) {
    const std::string number = prefix + std::to_string(random_.next() % count);
    return chance(15) ? std::string(700, 'k') + number : number;
  }

  EngineHarness& engine_;
  SeededRandom& random_;
  std::string setting_;
  std::map<std::string, Times> items_;
};

}  // namespace

TEST_CASE("expiry: entries are what a scan says, whatever is written, switched and cut off",
          "[engine]") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    INFO("seed " << seed);
    const storage::TemporaryFolder folder;
    {
      EngineHarness engine(in_folder(folder));
      SeededRandom random(seed);
      ExpiryModel model(engine, random);
      for (int round = 0; round < 4; ++round) {
        for (int i = 0; i < 80; ++i) model.step();
        engine.reopen();
      }
      for (int i = 0; i < 30; ++i) model.step();
    }
    check_folder(folder);
  }
}

TEST_CASE("expiry: in the end all that is expired is gone, and nothing else", "[engine]") {
  for (std::uint64_t seed = 101; seed <= 106; ++seed) {
    INFO("seed " << seed);
    const storage::TemporaryFolder folder;
    {
      EngineHarness engine(in_folder(folder));
      SeededRandom random(seed);
      ExpiryModel model(engine, random);
      for (int round = 0; round < 4; ++round) {
        for (int i = 0; i < 60; ++i) model.step();
        model.sweep_all();
        if (model.chance(50)) engine.reopen();
      }
    }
    check_folder(folder);
  }
}

TEST_CASE("expiry: entries of a setting or a table that is no more are erased", "[engine]") {
  const bool deletes_table = GENERATE(false, true);
  const storage::TemporaryFolder folder;
  {
    EngineHarness engine(in_folder(folder));
    must(engine.call("CreateTable", hash_table("Things")));
    for (int i = 0; i < 40; ++i) {
      must(engine.call(
          "PutItem", put_things(R"({"pk":{"S":")" + std::to_string(i) + R"("})" +
                                number_of(engine, "t", 100) + number_of(engine, "u", 100) + "}")));
    }
    must(engine.call("UpdateTimeToLive", time_to_live("t", true)));
    maintain_all(engine, {.records_max = 7});
    must(engine.call("UpdateTimeToLive", time_to_live("t", false)));
    must(engine.call("UpdateTimeToLive", time_to_live("u", true)));
    static_cast<void>(engine.maintain({.records_max = 7}));
    engine.reopen();
    maintain_all(engine, {.records_max = 7});
    if (deletes_table) must(engine.call("DeleteTable", named("Things")));
    maintain_all(engine, {.records_max = 7});
    if (!deletes_table) CHECK(engine.maintain().next_due);
  }
  check_folder(folder);
  CHECK(expiry_entries(folder) == (deletes_table ? 0 : 40));
}

TEST_CASE("expiry: what is due is known over restarts, and told with each commit", "[engine]") {
  const storage::TemporaryFolder folder;
  EngineHarness engine(in_folder(folder));
  std::vector<Timestamp> told;
  must(engine.call("CreateTable", hash_table("Things")));
  must(engine.call("UpdateTimeToLive", time_to_live("t", true)));
  maintain_all(engine);
  const std::int64_t now_s = engine.clock().now().unix_s();
  const auto second = [&](std::int64_t from_now) {
    return Timestamp{(now_s + from_now) * 1'000'000};
  };
  const auto put = [&](std::string_view key, std::int64_t from_now) {
    must(engine.call("PutItem", put_things(R"({"pk":{"S":")" + std::string(key) + R"("})" +
                                           number_of(engine, "t", from_now) + "}")));
  };
  engine.engine().on_maintenance_due([&](Timestamp due) { told.push_back(due); });
  put("a", 100);
  put("b", 200);
  put("c", 50);
  put("old", -157'680'001);
  put("never", 300'000'000'000);
  CHECK(told == std::vector<Timestamp>{second(101), second(51)});
  engine.engine().on_maintenance_due(nullptr);
  engine.reopen();
  maintain_all(engine);
  CHECK(engine.maintain().next_due == second(51));
  engine.clock().advance(
      std::chrono::microseconds(second(101).unix_us - engine.clock().now().unix_us - 1));
  engine.reopen();
  maintain_all(engine);
  CHECK(content(engine).size() == 4);
  CHECK(engine.maintain().next_due == second(101));
  engine.clock().advance(std::chrono::microseconds(1));
  maintain_all(engine);
  CHECK(engine.maintain().next_due == second(201));
  engine.clock().advance(std::chrono::hours(24 * 365 * 5 + 1));
  maintain_all(engine);
  // Nobody looked for five years: what was due then is too old by now.
  CHECK(content(engine).size() == 3);
  CHECK_FALSE(engine.maintain().next_due);
}

TEST_CASE("expiry: a deletion tells who it was, and nobody else's does", "[engine]") {
  const storage::TemporaryFolder folder;
  Settings settings = in_folder(folder);
  settings.gsi_delay = std::chrono::hours(1);  // so that changes are kept in a journal
  {
    EngineHarness engine(settings);
    must(engine.call("CreateTable", hash_table("Things")));
    must(engine.call("UpdateTable", create_index("by_g")));
    must(engine.call("UpdateTimeToLive", time_to_live("t", true)));
    const auto put = [&](const char* key) {
      must(engine.call("PutItem", put_things(std::string(R"({"pk":{"S":")") + key + R"("})" +
                                             number_of(engine, "t", -1) + "}")));
    };
    put("a");
    maintain_all(engine);
    CHECK(content(engine).empty());
    put("b");
    must(engine.call("DeleteItem", R"({"TableName":"Things","Key":{"pk":{"S":"b"}}})"));
  }
  const auto environment = storage::open_or_throw(storage::on_disk(folder.path()));
  storage::ReadTransaction reader(*environment);
  storage::unwrap(reader.acquire());
  std::vector<std::string> told;
  const storage::SpaceId table = storage::unwrap(storage::all_consumers(reader)).at(0).table;
  for (std::uint64_t position = 0;;) {
    const auto met = storage::unwrap(storage::find_in_journal(reader, table, position));
    if (!met) break;
    position = met->number + 1;
    const auto entry = storage::unwrap(storage::decode_journal_entry(met->bytes));
    told.push_back(std::string(entry.partition) + (entry.before ? " before" : "") +
                   (entry.after ? " after" : "") +
                   (entry.written.origin == storage::Origin::TimeToLive ? " expired" : ""));
  }
  CHECK(told == std::vector<std::string>{"a after", "a before expired", "b after", "b before"});
}

TEST_CASE("expiry: a folder whose entries do not fit its items is found out", "[engine]") {
  const storage::TemporaryFolder folder;
  {
    EngineHarness engine(in_folder(folder));
    must(engine.call("CreateTable", hash_table("Things")));
    must(engine.call("UpdateTimeToLive", time_to_live("t", true)));
    maintain_all(engine);
    must(engine.call("PutItem",
                     put_things(R"({"pk":{"S":"a"})" + number_of(engine, "t", 100) + "}")));
  }
  check_folder(folder);
  {
    const auto environment = storage::open_or_throw(storage::on_disk(folder.path()));
    const auto transaction = storage::unwrap(storage::WriteTransaction::begin(*environment));
    const auto met = storage::unwrap(transaction->seek(storage::Database::Expiries, {}));
    REQUIRE(met);
    std::string key(met->key);
    key.back() = 'b';
    storage::unwrap(transaction->put(storage::Database::Expiries, key, {}));
    key.front() = '\x7F';
    storage::unwrap(transaction->put(storage::Database::Expiries, key, {}));
    storage::unwrap(transaction->commit());
  }
  const auto report = check_data_folder(folder.path());
  REQUIRE(report);
  CHECK(report->findings.size() == 2);
  {
    // The entry without an item is not met again and again.
    EngineHarness engine(in_folder(folder));
    engine.clock().advance(std::chrono::seconds(200));
    maintain_all(engine);
    CHECK(content(engine).empty());
    CHECK_FALSE(engine.maintain().next_due);
  }
  CHECK(expiry_entries(folder) == 1);
}

TEST_CASE("expiry: whoever asks has all expired items deleted, whatever the settings say",
          "[engine]") {
  struct Patient final : StopCondition {
    bool should_stop() noexcept override { return !(questions-- > 0); }
    int questions = 1'000;
  };
  Settings settings;
  settings.ttl_delay = std::chrono::hours(1);
  settings.ttl_sweep_interval = {};
  EngineHarness engine(settings);
  for (const char* table : {"Things", "Others"}) {
    must(engine.call("CreateTable", hash_table(table)));
    for (int i = 0; i < 300; ++i) {
      must(engine.call("PutItem", R"({"TableName":")" + std::string(table) +
                                      R"(","Item":{"pk":{"S":")" + std::to_string(i) + R"("})" +
                                      number_of(engine, "t", i % 3 == 0 ? 100 : -1) + "}}"));
    }
  }
  Patient stop_condition;
  CHECK(delete_expired_items(engine.engine(), stop_condition).deleted == 0);
  must(engine.call("UpdateTimeToLive", time_to_live("t", true)));
  must(engine.call("UpdateTimeToLive", R"({"TableName":"Others","TimeToLiveSpecification":)"
                                       R"({"AttributeName":"t","Enabled":true}})"));
  Patient impatient;
  impatient.questions = 3;
  const ExpiredItems some = delete_expired_items(engine.engine(), impatient);
  CHECK(some.end == ExpiredItems::End::Cancelled);
  CHECK(some.deleted < 400);
  const ExpiredItems rest = delete_expired_items(engine.engine(), stop_condition);
  CHECK(rest.end == ExpiredItems::End::AllDeleted);
  CHECK(some.deleted + rest.deleted == 400);
  CHECK(content(engine).size() == 100);
  CHECK(delete_expired_items(engine.engine(), stop_condition).deleted == 0);
}
