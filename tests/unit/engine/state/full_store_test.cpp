// A store without room: what makes room goes on, what was deleted can be written again, and the log
// tells of the state once.
#include <algorithm>
#include <iterator>

#include <catch2/catch.hpp>

#include "engine/api/control.h"
#include "tests/unit/engine/indexes/index_life.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

using namespace stator;
using namespace stator::test;

namespace {

constexpr std::size_t kBytesMax = std::size_t{10} << 20;

Settings small(const storage::TemporaryFolder& folder, int kind) {
  Settings settings;
  settings.storage.map_bytes_max = kBytesMax;
  if (kind > 0) settings.storage.folder = folder.path();
  return settings;
}

std::string key(int number) { return R"({"pk":{"S":"k)" + std::to_string(number) + R"("}})"; }

// `more` are members of the item behind the others.
bool put(EngineHarness& engine, int number, std::size_t size, char fill,
         const std::string& more = {}) {
  return engine
      .call("PutItem", put_things(R"({"pk":{"S":"k)" + std::to_string(number) +
                                  R"("},"g":{"S":"x"},"fill":{"S":")" + std::string(size, fill) +
                                  R"("})" + more + "}"))
      .ok;
}

struct Tireless final : StopCondition {
  bool should_stop() noexcept override { return false; }
};

constexpr std::string_view kDisablesStream = R"(,"StreamSpecification":{"StreamEnabled":false})";

bool erase(EngineHarness& engine, int number) {
  return engine.call("DeleteItem", R"({"TableName":"Things","Key":)" + key(number) + "}").ok;
}

// Puts until one is refused; how many were stored.
int fill_up(EngineHarness& engine, std::size_t size, const std::string& more = {}) {
  int stored = 0;
  while (put(engine, stored, size, 'a', more)) ++stored;
  return stored;
}

// A request that deletes several items: one element for each, between others.
struct EraseForm {
  const char* operation;
  const char* before;
  std::string (*element)(int number);
  const char* after;
};

std::string transacted(int number) {
  return R"({"Delete":{"TableName":"Things","Key":)" + key(number) + "}}";
}
std::string stated(int number) {
  return R"({"Statement":"DELETE FROM Things WHERE pk = 'k)" + std::to_string(number) + R"('"})";
}

const EraseForm kEraseForms[] = {
    {"BatchWriteItem", R"({"RequestItems":{"Things":[)",
     [](int number) { return R"({"DeleteRequest":{"Key":)" + key(number) + "}}"; }, "]}}"},
    {"TransactWriteItems", R"({"TransactItems":[)", transacted, "]}"},
    {"TransactWriteItems",
     R"({"TransactItems":[{"ConditionCheck":{"TableName":"Things","Key":{"pk":{"S":"none"}},)"
     R"x("ConditionExpression":"attribute_not_exists(pk)"}},)x",
     transacted, R"(],"ClientRequestToken":"t%"})"},
    {"BatchExecuteStatement", R"({"Statements":[)", stated, "]}"},
    {"ExecuteTransaction", R"({"TransactStatements":[)", stated, R"(],"ClientRequestToken":"t%"})"},
};

constexpr int kErasedAtOnce = 10;

// Of the items `first` to `end`, which is not one of them; % is the first.
std::string erase_request(const EraseForm& form, int first, int end) {
  std::string text = form.before;
  for (int i = first; i < end; ++i) text += (i == first ? "" : ",") + form.element(i);
  text += form.after;
  if (const std::size_t place = text.find('%'); place != std::string::npos)
    text.replace(place, 1, std::to_string(first));
  return text;
}

}  // namespace

TEST_CASE("full store: it can be emptied, and filled again", "[engine][slow]") {
  const int kind = GENERATE(0, 1);  // in memory, in a folder
  const std::size_t size = GENERATE(std::size_t{200}, std::size_t{3000}, std::size_t{40'000});
  INFO("kind " << kind << ", size " << size);
  const storage::TemporaryFolder folder;
  EngineHarness engine(small(folder, kind));
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  REQUIRE(engine.call("UpdateTable", create_index("by_g")).ok);
  while (engine.sweep()) {
  }
  const int stored = fill_up(engine, size);
  CHECK(static_cast<std::size_t>(stored) * size > kBytesMax / 5);
  REQUIRE(engine.warnings.size() == 1);
  CHECK(
      engine.warnings[0].starts_with("there is no room for writes, each gets status 500; "
                                     "deleting goes on"));
  // Overwritten as far as it goes.
  for (int i = 0; i < stored; ++i) put(engine, i, size, 'b');
  int refused = 0;
  for (int i = 0; i < stored / 2; ++i) refused += !erase(engine, i);
  CHECK(refused == 0);
  for (int i = 0; i < stored / 2 - stored / 20; ++i) refused += !put(engine, i, size, 'c');
  CHECK(refused == 0);
  for (int i = 0; i < stored; ++i) refused += !erase(engine, i);
  CHECK(refused == 0);
  CHECK(put(engine, 0, size, 'd'));
  CHECK(engine.warnings.back() == "disk space is available again: writes are accepted");
  CHECK(engine.warnings.size() <= 6);
}

TEST_CASE("full store: requests that only delete are served, however they say it",
          "[engine][slow]") {
  const int kind = GENERATE(0, 1);  // in memory, in a folder
  const EraseForm form = GENERATE(from_range(std::begin(kEraseForms), std::end(kEraseForms)));
  INFO("kind " << kind << ", " << form.operation << form.before);
  const storage::TemporaryFolder folder;
  EngineHarness engine(small(folder, kind));
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  const int stored = fill_up(engine, 3000);
  for (int i = 0; i < stored; ++i) put(engine, i, 3000, 'b');
  if (kind == 0) {  // a folder has room again behind its next sync
    REQUIRE_FALSE(put(engine, stored, 3000, 'b'));
    // One that also writes is as much refused as it was.
    const std::string write = R"({"PutRequest":{"Item":{"pk":{"S":"k0"},"fill":{"S":")" +
                              std::string(3000, 'c') + R"("}}}})";
    REQUIRE_FALSE(engine
                      .call("BatchWriteItem", R"({"RequestItems":{"Things":[)" + write +
                                                  R"(,{"DeleteRequest":{"Key":)" + key(1) + "}}]}}")
                      .ok);
  }
  int refused = 0;
  for (int i = 0; i < stored; i += kErasedAtOnce) {
    const int end = std::min(i + kErasedAtOnce, stored);
    refused += !engine.call(form.operation, erase_request(form, i, end)).ok;
  }
  CHECK(refused == 0);
  CHECK(content(engine).empty());
  CHECK(put(engine, 0, 3000, 'd'));
}

TEST_CASE("full store: a table with a stream is emptied, too", "[engine]") {
  const int kind = GENERATE(0, 1);  // in memory, in a folder
  INFO("kind " << kind);
  const storage::TemporaryFolder folder;
  EngineHarness engine(small(folder, kind));
  REQUIRE(engine
              .call("CreateTable",
                    create_table_request(R"(Things (pk) {"StreamSpecification":{"StreamEnabled":)"
                                         R"(true,"StreamViewType":"NEW_AND_OLD_IMAGES"}})"))
              .ok);
  const int stored = fill_up(engine, 3000);
  int refused = 0;
  for (int i = 0; i < stored; ++i) refused += !erase(engine, i);
  CHECK(refused == 0);
  CHECK(content(engine).empty());
}

TEST_CASE("full store: records of streams go before their time, so that space comes back",
          "[engine][slow]") {
  const int kind = GENERATE(0, 1);  // in memory, in a folder
  const std::string way = GENERATE("delete items", "delete the table", "disable the stream",
                                   "reset the tables", "reset the streams too");
  INFO("kind " << kind << ", " << way);
  const storage::TemporaryFolder folder;
  EngineHarness engine(small(folder, kind));
  const std::string with_stream =
      create_table_request(R"(Things (pk) {"StreamSpecification":{"StreamEnabled":)"
                           R"(true,"StreamViewType":"NEW_AND_OLD_IMAGES"}})");
  REQUIRE(engine.call("CreateTable", with_stream).ok);
  // An item and its record take twice its size, and what is overwritten more.
  int stored = fill_up(engine, 3000);
  maintain_all(engine);
  while (put(engine, stored, 3000, 'a')) ++stored;
  maintain_all(engine);
  if (way == "delete the table") {
    REQUIRE(engine.call("DeleteTable", named("Things")).ok);
    maintain_all(engine);
    REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  } else if (way.starts_with("reset")) {
    const ClosedStreams streams =
        way == "reset the tables" ? ClosedStreams::Stay : ClosedStreams::Go;
    Tireless stop_condition;
    const auto is_any = [](std::string_view) { return true; };
    CHECK(reset_tables(engine.engine(), is_any, stop_condition, streams).is_whole);
    maintain_all(engine);
    REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  } else {
    if (way == "disable the stream")
      REQUIRE(engine.call("UpdateTable", named("Things", kDisablesStream)).ok);
    int refused = 0;
    for (int i = 0; i < stored; ++i) refused += !erase(engine, i);
    CHECK(refused == 0);
  }
  CHECK(content(engine).empty());
  // As in a server: what found no room is tried again behind the maintenance that it caused.
  const int kept_half = stored / 2;
  int again = 0;
  for (int tries = 0; again < kept_half && tries < 4; ++tries) {
    while (again < kept_half && put(engine, again, 3000, 'b')) ++again;
    maintain_all(engine);
  }
  CHECK(again == kept_half);
  CHECK(std::count(engine.warnings.begin(), engine.warnings.end(),
                   "the store is full: the oldest records of streams are removed early") == 1);
}

TEST_CASE("full store: what makes room or lets a table go is served", "[engine]") {
  const int kind = GENERATE(0, 1);  // in memory, in a folder
  INFO("kind " << kind);
  const storage::TemporaryFolder folder;
  EngineHarness engine(small(folder, kind));
  REQUIRE(engine
              .call("CreateTable",
                    create_table_request(R"(Things (pk) {"StreamSpecification":{"StreamEnabled":)"
                                         R"(true,"StreamViewType":"NEW_AND_OLD_IMAGES"},)"
                                         R"("DeletionProtectionEnabled":true})"))
              .ok);
  REQUIRE(engine.call("UpdateTable", create_index("by_g")).ok);
  const std::string ttl = R"(,"TimeToLiveSpecification":{"AttributeName":"t","Enabled":)";
  REQUIRE(engine.call("UpdateTimeToLive", named("Things", ttl + "true}")).ok);
  const std::string tagged =
      R"({"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Things",)";
  REQUIRE(engine.call("TagResource", tagged + R"("Tags":[{"Key":"a","Value":"b"}]})").ok);
  const std::string policy =
      R"({\"Statement\":{\"Effect\":\"Deny\",\"Principal\":\"*\",\"Action\":\"*\",)"
      R"(\"Resource\":\"*\"}})";
  REQUIRE(engine.call("PutResourcePolicy", tagged + R"("Policy":")" + policy + "\"}").ok);
  maintain_all(engine);
  for (const std::size_t size : {std::size_t{40'000}, std::size_t{3000}, std::size_t{1}})
    fill_up(engine, size, R"(,"t":{"N":"1790000100"})");
  REQUIRE(engine.warnings.size() >= 1);
  REQUIRE(engine.warnings.back().starts_with("there is no room for writes"));
  const std::pair<std::string, std::string> shrinking[] = {
      {"UpdateTable", named("Things", kDisablesStream)},
      {"UpdateTable", delete_index("by_g")},
      {"UpdateTable", named("Things", R"(,"DeletionProtectionEnabled":false)")},
      {"UpdateTimeToLive", named("Things", ttl + "false}")},
      {"UntagResource", tagged + R"("TagKeys":["a"]})"},
      {"DeleteResourcePolicy", tagged.substr(0, tagged.size() - 1) + "}"},
      {"DeleteTable", named("Things")},
  };
  for (const auto& [operation, body] : shrinking) {
    const Answer answer = engine.call(operation, body);
    INFO(operation << " " << body << ": " << answer.json);
    CHECK(answer.ok);
  }
  maintain_all(engine);
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  CHECK(put(engine, 0, 3000, 'a'));
}

TEST_CASE("full store: what expired goes", "[engine][slow]") {
  const int kind = GENERATE(0, 1);  // in memory, in a folder
  const std::size_t size = GENERATE(std::size_t{200}, std::size_t{3000}, std::size_t{40'000});
  INFO("kind " << kind << ", size " << size);
  const storage::TemporaryFolder folder;
  EngineHarness engine(small(folder, kind));
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  REQUIRE(engine
              .call("UpdateTimeToLive", named("Things", R"(,"TimeToLiveSpecification":{)"
                                                        R"("Enabled":true,"AttributeName":"t"})"))
              .ok);
  maintain_all(engine);
  const int stored = fill_up(engine, size, R"(,"t":{"N":"1790000100"})");
  for (int i = 0; i < stored; ++i) put(engine, i, size, 'b', R"(,"t":{"N":"1790000100"})");
  engine.clock().advance(std::chrono::seconds(200));
  MaintenanceState left = engine.maintain();
  while (left.is_due) left = engine.maintain();
  CHECK_FALSE(left.could_not_store);
  CHECK(content(engine).empty());
  CHECK(put(engine, 0, size, 'c'));
}

TEST_CASE("full store: tables can be deleted, and their space is used again", "[engine]") {
  const int kind = GENERATE(0, 1);  // in memory, in a folder
  INFO("kind " << kind);
  const storage::TemporaryFolder folder;
  EngineHarness engine(small(folder, kind));
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  const int stored = fill_up(engine, 3000);
  for (int round = 0; round < 2; ++round) {
    REQUIRE(engine.call("DeleteTable", named("Things")).ok);
    while (engine.sweep()) {
    }
    REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
    int again = 0;
    while (again < stored && put(engine, again, 3000, 'b')) ++again;
    CHECK(again > stored * 9 / 10);
  }
}

TEST_CASE("full store: a restart finds it full and usable", "[engine]") {
  const storage::TemporaryFolder folder;
  Settings settings = small(folder, 1);
  int stored = 0;
  {
    EngineHarness engine(settings);
    REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
    stored = fill_up(engine, 3000);
  }
  settings.storage.map_bytes_max = kBytesMax / 2;  // less than there is
  EngineHarness engine(settings);
  CHECK_FALSE(put(engine, stored, 3000, 'a'));
  int refused = 0;
  for (int i = 0; i < stored; ++i) refused += !erase(engine, i);
  CHECK(refused == 0);
  CHECK(put(engine, 0, 3000, 'a'));
}

TEST_CASE("full store: what could not be done is done when room came back, while time stands",
          "[engine]") {
  const int kind = GENERATE(0, 1);  // in memory, in a folder
  INFO("kind " << kind);
  const storage::TemporaryFolder folder;
  EngineHarness engine(small(folder, kind));
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  constexpr int kItems = 1400;  // with the index they do not fit
  int stored = 0;
  while (stored < kItems && put(engine, stored, 3000, 'a')) ++stored;
  REQUIRE(stored == kItems);
  REQUIRE(engine.call("UpdateTable", create_index("by_g")).ok);
  MaintenanceState left = engine.maintain();
  while (left.is_due) left = engine.maintain();
  REQUIRE(left.could_not_store);
  REQUIRE(states(engine) == "ACTIVE by_g:CREATING:true");
  REQUIRE_FALSE(engine.maintain().is_due);  // but when time moves

  int told = 0;
  engine.engine().on_maintenance_due([&](Timestamp due) {
    if (due <= engine.clock().now()) ++told;
  });
  int erased = 0;
  while (told == 0 && erased < kItems) REQUIRE(erase(engine, erased++));
  REQUIRE(erased < kItems);
  CHECK(engine.warnings.back() == "disk space is available again: writes are accepted");
  while (told > 0 && erased < kItems / 2) REQUIRE(erase(engine, erased++));
  maintain_all(engine);
  CHECK(states(engine) == "ACTIVE by_g:ACTIVE");
  CHECK(content(engine, "by_g") == content(engine));
  engine.engine().on_maintenance_due(nullptr);
}
