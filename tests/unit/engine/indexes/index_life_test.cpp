// Adding and removing global indexes with UpdateTable: phases, what each admits, the backfill.
#include "tests/unit/engine/indexes/index_life.h"

#include <map>

#include "engine/seams/random.h"
#include "tests/unit/engine/storage/storage_fixture.h"

using namespace stator;
using namespace stator::test;

namespace {

const std::string kUse = "Attempt to change a resource which is still in use: ";
const std::string kMicro = R"({"ReadCapacityUnits":3,"WriteCapacityUnits":4})";

std::string limit_exceeded(std::string_view message) {
  return R"({"__type":"com.amazonaws.dynamodb.v20120810#LimitExceededException","message":")" +
         std::string(message) + "\"}";
}

std::string update_index(std::string_view name, std::string_view throughput) {
  return index_updates(R"({"Update":{"IndexName":")" + std::string(name) +
                       R"(","ProvisionedThroughput":)" + std::string(throughput) + "}}");
}

std::string provisioned_table() {
  return R"({"TableName":"Things",)" + definitions({"pk"}) +
         R"(,"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"ProvisionedThroughput":)" +
         kMicro + "}";
}

std::string create_provisioned(std::string_view name, std::string_view key = "g") {
  std::string entry = create_entry(name, key);
  entry.insert(entry.size() - 2, R"(,"ProvisionedThroughput":)" + kMicro);
  return index_updates(entry, "," + definitions({std::string(key)}));
}

// A table with 20 items, an index that has just been asked for, phases of kPhase.
EngineHarness& with_new_index(EngineHarness& engine) {
  REQUIRE(engine.call("CreateTable", provisioned_table()).ok);
  engine.clock().advance(kPhase);
  for (int i = 0; i < 20; ++i) {
    const std::string key = std::to_string(i);
    const std::string g = i % 2 == 0 ? R"("},"g":{"S":"x)" : "";
    REQUIRE(engine.call("PutItem", put_things(R"({"pk":{"S":"p)" + key + g + R"("}})")).ok);
  }
  const Answer answer = engine.call("UpdateTable", create_provisioned("by_g"));
  INFO(answer.json);
  REQUIRE(answer.ok);
  return engine;
}

}  // namespace

TEST_CASE("index life: without delay the next call sees the whole index", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", hash_table("Things"));
  engine.call("PutItem", put_things(R"({"pk":{"S":"a"},"g":{"S":"x"},"v":{"N":"1"}})"));
  engine.call("PutItem", put_things(R"({"pk":{"S":"b"},"g":{"N":"1"}})"));
  engine.call("PutItem", put_things(R"({"pk":{"S":"c"},"g":{"S":""}})"));
  engine.call("PutItem",
              put_things(R"({"pk":{"S":"d"},"g":{"S":")" + std::string(2049, 'g') + R"("}})"));
  engine.call("PutItem", put_things(R"({"pk":{"S":"e"}})"));
  const Answer created = engine.call("UpdateTable", create_index("by_g"));
  CHECK(states_in(created) == "UPDATING by_g:CREATING:false");
  CHECK(states(engine) == "ACTIVE by_g:ACTIVE");
  CHECK(content(engine, "by_g") ==
        std::vector<std::string>{R"({"g":{"S":"x"},"pk":{"S":"a"},"v":{"N":"1"}})"});
  const Answer described = engine.call("DescribeTable", named("Things"));
  const Answer index{true, elements_of(described.member("GlobalSecondaryIndexes"))[0], 0};
  CHECK(index.member("ItemCount") == "1");
  CHECK(index.member("IndexSizeBytes") == "8");
  CHECK_FALSE(engine.maintain().is_due);

  const Answer deleted = engine.call("UpdateTable", delete_index("by_g"));
  CHECK(states_in(deleted) == "UPDATING by_g:DELETING");
  CHECK(states(engine) == "ACTIVE");
  CHECK(engine.call("UpdateTable", create_index("by_g")).ok);
  CHECK(content(engine, "by_g").size() == 1);
}

TEST_CASE("index life: a new index refuses what violates its keys once it is active", "[engine]") {
  EngineHarness engine(with_phases());
  with_new_index(engine);
  const std::string bad = put_things(R"({"pk":{"S":"bad"},"g":{"N":"1"}})");
  CHECK(engine.call("PutItem", bad).ok);
  engine.clock().advance(kPhase);
  CHECK(engine.call("PutItem", bad).ok);
  maintain_all(engine);
  CHECK(engine.call("PutItem", bad).json ==
        validation("One or more parameter values were invalid: Type mismatch for Index Key g "
                   "Expected: S Actual: N IndexName: by_g"));
  CHECK(content(engine, "by_g").size() == 10);
  CHECK(content(engine).size() == 21);
}

TEST_CASE("index life: phases", "[engine]") {
  EngineHarness engine(with_phases());
  with_new_index(engine);
  CHECK(states(engine) == "UPDATING by_g:CREATING:false");
  const MaintenanceState waiting = engine.maintain();
  CHECK_FALSE(waiting.is_due);
  REQUIRE(waiting.next_due);
  CHECK(*waiting.next_due == engine.clock().now().plus(kPhase));
  const std::string scan = R"({"TableName":"Things","IndexName":"by_g"})";
  const std::string unreadable =
      validation("Cannot read from backfilling global secondary index: by_g");
  CHECK(engine.call("Scan", scan).json == unreadable);

  engine.clock().advance(kPhase);
  CHECK(states(engine) == "ACTIVE by_g:CREATING:true");
  CHECK(engine.maintain({.records_max = 7}).is_due);
  CHECK(states(engine) == "ACTIVE by_g:CREATING:true");
  CHECK(engine.call("Scan", scan).json == unreadable);
}

TEST_CASE("index life: an index goes through DELETING, and is gone in time", "[engine]") {
  EngineHarness engine(with_phases());
  with_new_index(engine);
  engine.clock().advance(kPhase);
  maintain_all(engine);
  CHECK(states(engine) == "ACTIVE by_g:ACTIVE");
  CHECK(states_in(engine.call("UpdateTable", delete_index("by_g"))) == "UPDATING by_g:DELETING");
  CHECK(states(engine) == "UPDATING by_g:DELETING");
  CHECK_FALSE(engine.call("Scan", R"({"TableName":"Things","IndexName":"by_g"})").ok);
  const std::string deleted = in_use(kUse + "Index is being deleted. Table: Things Index: by_g");
  CHECK(engine.call("UpdateTable", delete_index("by_g")).json == deleted);
  CHECK(engine.call("UpdateTable", update_index("by_g", kMicro)).json == deleted);
  CHECK(engine.call("UpdateTable", create_provisioned("by_h", "h")).json ==
        limit_exceeded("Subscriber limit exceeded: Only 1 online index can be created or deleted "
                       "simultaneously per table"));
  CHECK(engine.call("UpdateTable", create_provisioned("by_g")).json ==
        validation("Attempting to create an index which already exists"));
  CHECK(
      engine
          .call("UpdateTable",
                named("Things",
                      R"(,"ProvisionedThroughput":{"ReadCapacityUnits":9,"WriteCapacityUnits":9})"))
          .json ==
      in_use(kUse + "Can't change table IOPS when an index is being deleted. Table: Things "
                    "Indexes: [by_g]"));
  CHECK(engine.call("DeleteTable", named("Things")).json ==
        in_use(kUse + "Cannot delete table while indexes are being created, updated, or deleted."));
  // Neither kept up to date nor checked any more.
  CHECK(engine.call("PutItem", put_things(R"({"pk":{"S":"p0"},"g":{"N":"1"}})")).ok);
  CHECK(engine.call("UpdateTable", named("Things", R"(,"DeletionProtectionEnabled":true)")).ok);
  CHECK(engine.call("UpdateTable", named("Things", R"(,"DeletionProtectionEnabled":false)")).ok);

  engine.clock().advance(kPhase);
  CHECK(states(engine) == "ACTIVE");
  const auto defined = [&] {
    return engine.call("DescribeTable", named("Things")).member("AttributeDefinitions");
  };
  CHECK(defined() == R"([{"AttributeName":"pk","AttributeType":"S"}])");
  CHECK(engine.call("UpdateTable", delete_index("by_g")).json ==
        not_found("Requested resource not found: Index by_g for table Things"));
  maintain_all(engine);
  CHECK_FALSE(engine.maintain().next_due);
  CHECK(defined() == R"([{"AttributeName":"pk","AttributeType":"S"}])");
  CHECK(engine.call("DeleteTable", named("Things")).ok);
}

TEST_CASE("index life: an index that is gone but not removed can be made again", "[engine]") {
  EngineHarness engine(with_phases());
  with_new_index(engine);
  engine.clock().advance(kPhase);
  maintain_all(engine);
  engine.call("UpdateTable", delete_index("by_g"));
  engine.clock().advance(kPhase);
  // Another type of the same attribute: the definition went with the index.
  std::string number = create_provisioned("by_g");
  number.replace(number.rfind(R"("S")"), 3, R"("N")");
  const Answer created = engine.call("UpdateTable", number);
  CHECK(states_in(created) == "UPDATING by_g:CREATING:false");
  engine.clock().advance(kPhase);
  CHECK(engine.call("PutItem", put_things(R"({"pk":{"S":"p1"},"g":{"N":"1"}})")).ok);
  maintain_all(engine);
  CHECK(content(engine, "by_g") == std::vector<std::string>{R"({"g":{"N":"1"},"pk":{"S":"p1"}})"});
}

TEST_CASE("index life: what resource allocation refuses", "[engine]") {
  EngineHarness engine(with_phases());
  with_new_index(engine);
  CHECK(engine.call("UpdateTable", delete_index("by_g")).json ==
        in_use(kUse + "Index creation is in resource allocation phase. Retry deletion during "
                      "backfilling phase or when the index is active. Table: Things Index: by_g"));
  CHECK(engine.call("UpdateTable", update_index("by_g", kMicro)).json ==
        in_use(kUse + "Index is being created but is not backfilling yet. Table: Things Index: "
                      "by_g"));
  CHECK(engine.call("UpdateTable", create_provisioned("by_h", "h")).json ==
        limit_exceeded("Subscriber limit exceeded: Only 1 online index can be created or deleted "
                       "simultaneously per table"));
  const std::string iops =
      in_use(kUse +
             "Can't change table IOPS when an index is being created. Table: Things Indexes: "
             "[by_g]");
  CHECK(engine.call("UpdateTable", named("Things", R"(,"BillingMode":"PAY_PER_REQUEST")")).json ==
        iops);
  CHECK(engine
            .call("UpdateTable", named("Things", R"(,"StreamSpecification":{"StreamEnabled":true,)"
                                                 R"("StreamViewType":"NEW_IMAGE"})"))
            .json ==
        in_use(kUse + "Can't change stream status when an index is being created. Table: "
                      "Things Indexes: [by_g]"));
  CHECK(engine.call("UpdateTable", named("Things", R"(,"DeletionProtectionEnabled":true)")).json ==
        in_use("Table needs to be in ACTIVE status to modify deletion protection setting."));
  CHECK(engine.call("DeleteTable", named("Things")).json ==
        in_use(kUse + "Cannot delete table while indexes are being created, updated, or deleted."));
  // Items come and go.
  CHECK(engine.call("PutItem", put_things(R"({"pk":{"S":"new"},"g":{"S":"x"}})")).ok);
}

TEST_CASE("index life: what backfilling refuses, and what it admits", "[engine]") {
  EngineHarness engine(with_phases());
  with_new_index(engine);
  engine.clock().advance(kPhase);
  engine.maintain({.records_max = 3});
  CHECK(engine.call("UpdateTable", create_provisioned("by_h", "h")).json ==
        limit_exceeded("Subscriber limit exceeded: Only 1 online index can be created or deleted "
                       "simultaneously per table"));
  CHECK(engine.call("DeleteTable", named("Things")).json ==
        in_use(kUse + "Cannot delete table while indexes are being created, updated, or deleted."));
  const std::string more = R"({"ReadCapacityUnits":9,"WriteCapacityUnits":9})";
  CHECK(engine.call("UpdateTable", update_index("by_g", more)).ok);
  CHECK(engine.call("UpdateTable", named("Things", R"(,"ProvisionedThroughput":)" + more)).ok);
  CHECK(states(engine) == "UPDATING by_g:CREATING:true");
  CHECK(engine.call("UpdateTable", delete_index("by_g")).ok);
  CHECK(states(engine) == "UPDATING by_g:DELETING");
  engine.clock().advance(kPhase);
  maintain_all(engine);
  CHECK(states(engine) == "ACTIVE");
  CHECK(engine.call("UpdateTable", create_provisioned("by_g")).ok);
  engine.clock().advance(kPhase);
  maintain_all(engine);
  CHECK(content(engine, "by_g").size() == 10);
}

TEST_CASE("index life: attribute definitions are merged", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", hash_table("Things"));
  const auto defined = [&] {
    return engine.call("DescribeTable", named("Things")).member("AttributeDefinitions");
  };
  // Only new ones are needed, others are ignored.
  const std::string two_keys =
      R"({"Create":{"IndexName":"by_g","KeySchema":[{"AttributeName":"g","KeyType":"HASH"},)"
      R"({"AttributeName":"pk","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}})";
  CHECK(engine.call("UpdateTable", index_updates(two_keys, "," + definitions({"unused", "g"}))).ok);
  CHECK(defined() == R"([{"AttributeName":"pk","AttributeType":"S"},)"
                     R"({"AttributeName":"g","AttributeType":"S"}])");
  CHECK(engine
            .call("UpdateTable",
                  index_updates(create_entry("by_h", "h"), "," + definitions({"other"})))
            .json ==
        validation("One or more parameter values were invalid: Some index key attributes are not "
                   "defined in AttributeDefinitions. Keys: [h], AttributeDefinitions: [other, pk, "
                   "g]"));
  // A type that was defined before stays, and cannot be another one for the new index.
  CHECK(engine
            .call("UpdateTable",
                  index_updates(create_entry("by_pk", "g"), "," + definitions({"g"}, "N")))
            .json ==
        validation("One or more parameter values were invalid: Attributes cannot be redefined. "
                   "Please check that your attribute has the same type as previously defined. "
                   "Existing schema: Schema:[SchemaElement: key{g:S:HASH}] New schema: "
                   "Schema:[SchemaElement: key{g:N:HASH}]"));
  const std::string mixed =
      R"(,"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"N"},)"
      R"({"AttributeName":"h","AttributeType":"N"}])";
  CHECK(engine.call("UpdateTable", index_updates(create_entry("by_h", "h"), mixed)).ok);
  CHECK(defined() == R"([{"AttributeName":"pk","AttributeType":"S"},)"
                     R"({"AttributeName":"g","AttributeType":"S"},)"
                     R"({"AttributeName":"h","AttributeType":"N"}])");
  CHECK(engine.call("UpdateTable", delete_index("by_g")).ok);
  CHECK(defined() == R"([{"AttributeName":"pk","AttributeType":"S"},)"
                     R"({"AttributeName":"h","AttributeType":"N"}])");
}

TEST_CASE("index life: the table's billing mode decides about throughput", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", hash_table("Things"));
  CHECK(engine.call("UpdateTable", create_provisioned("by_g")).json ==
        validation("One or more parameter values were invalid: ProvisionedThroughput should not be "
                   "specified for index: by_g when BillingMode is PAY_PER_REQUEST"));
  EngineHarness provisioned;
  provisioned.call("CreateTable", provisioned_table());
  CHECK(provisioned.call("UpdateTable", create_index("by_g")).json ==
        validation("One or more parameter values were invalid: ProvisionedThroughput is not "
                   "specified for index: by_g"));
  const std::string both = index_updates(
      create_entry("by_g"), "," + definitions({"g"}) + R"(,"BillingMode":"PAY_PER_REQUEST")");
  CHECK(provisioned.call("UpdateTable", both).ok);
  CHECK(states(provisioned) == "ACTIVE by_g:ACTIVE");
}

TEST_CASE("index life: at most twenty, one at a time", "[engine]") {
  EngineHarness engine;
  engine.call("CreateTable", hash_table("Things"));
  for (int i = 0; i < 20; ++i) {
    REQUIRE(engine.call("UpdateTable", create_index("by_" + std::to_string(i) + "_g")).ok);
  }
  CHECK(engine.call("UpdateTable", create_index("by_21")).json ==
        limit_exceeded("Subscriber limit exceeded: Number of global secondary indexes exceeds "
                       "per-table limit of 20"));
  CHECK(engine.call("UpdateTable", delete_index("by_7_g")).ok);
  CHECK(engine.call("UpdateTable", create_index("by_21")).ok);
}

TEST_CASE("index life: several tables are filled in turns", "[engine]") {
  EngineHarness engine(with_phases());
  for (const std::string name : {"Things", "Others"}) {
    engine.call("CreateTable", hash_table(name));
    engine.clock().advance(kPhase);
    for (int i = 0; i < 30; ++i) {
      const std::string item = R"({"g":{"S":"x"},"pk":{"S":")" + std::to_string(i) + R"("}})";
      engine.call("PutItem", R"({"TableName":")" + name + R"(","Item":)" + item + "}");
    }
    std::string create = create_index("by_g");
    create.replace(create.find("Things"), 6, name);
    REQUIRE(engine.call("UpdateTable", create).ok);
  }
  engine.clock().advance(kPhase);
  // 30 items in pieces of 10: the one begun last must not wait for the end of the other.
  for (int i = 0; i < 4; ++i) engine.maintain({.records_max = 10});
  CHECK(states(engine) == "ACTIVE by_g:CREATING:true");
  CHECK(states_in(engine.call("DescribeTable", named("Others"))) == "ACTIVE by_g:CREATING:true");
  maintain_all(engine, {.records_max = 10});
  CHECK(states(engine) == "ACTIVE by_g:ACTIVE");
  CHECK(states_in(engine.call("DescribeTable", named("Others"))) == "ACTIVE by_g:ACTIVE");
}

TEST_CASE("index life: commits tell when maintenance is due", "[engine]") {
  EngineHarness engine(with_phases());
  std::vector<Timestamp> told;
  engine.engine().on_maintenance_due([&](Timestamp due) { told.push_back(due); });
  engine.call("CreateTable", provisioned_table());
  engine.clock().advance(kPhase);
  engine.call("PutItem", put_things(R"({"pk":{"S":"a"},"g":{"S":"x"}})"));
  CHECK(told.empty());
  engine.call("UpdateTable", create_provisioned("by_g"));
  REQUIRE(told.size() == 1);
  CHECK(told[0] == engine.clock().now().plus(kPhase));
  engine.clock().advance(kPhase);
  maintain_all(engine);
  told.clear();
  engine.call("DeleteTable", named("Things"));
  REQUIRE(told.size() == 1);
  CHECK(told[0] == engine.clock().now().plus(kPhase));
}

namespace {

// A table whose items come and go while an index is built: what the index must be at the end.
class BuildModel {
 public:
  BuildModel(EngineHarness& engine, SeededRandom& random) : engine_(engine), random_(random) {}

  bool chance(int percent) { return random_.next() % 100 < static_cast<unsigned>(percent); }

  void write() {
    const std::string key = some_key();
    const std::string lookup =
        R"("pk":{"S":")" + key + R"("},"sk":{"S":")" + some_sort_key() + R"("})";
    if (chance(35)) {
      const std::string request = R"({"TableName":"Things","Key":{)" + lookup + "}}";
      REQUIRE(engine_.call("DeleteItem", request).ok);
      items_.erase(lookup);
      return;
    }
    const std::string g = some_index_key();
    const std::string v = R"("v":{"N":")" + std::to_string(random_.next() % 10) + R"("})";
    const std::string item = "{" + g + lookup + "," + v + "}";
    const Answer answer = engine_.call("PutItem", put_things(item));
    if (answer.ok) items_[lookup] = item;
    CHECK((answer.ok || answer.json.find("ValidationException") != std::string::npos));
  }

  void check() {
    std::vector<std::string> all;
    std::vector<std::string> indexed;
    for (const auto& [key, item] : items_) {
      all.push_back(item);
      if (item.starts_with(R"({"g":{"S":"k)") && item.size() < 2000) indexed.push_back(item);
    }
    std::sort(all.begin(), all.end());
    std::sort(indexed.begin(), indexed.end());
    REQUIRE(content(engine_) == all);
    REQUIRE(content(engine_, "by_g") == indexed);
    const Answer described = engine_.call("DescribeTable", named("Things"));
    const Answer index{true, elements_of(described.member("GlobalSecondaryIndexes"))[0], 0};
    CHECK(index.member("ItemCount") == std::to_string(indexed.size()));
    if (indexed.empty()) CHECK(index.member("IndexSizeBytes") == "0");
  }

 private:
  // Few, so that items are written again; some longer than a key of the store.
  std::string some_key() {
    const std::string number = std::to_string(random_.next() % 12);
    return random_.next() % 12 < 2 ? std::string(700, 'k') + number : number;
  }
  std::string some_sort_key() {
    const std::string number = std::to_string(random_.next() % 4);
    return chance(20) ? std::string(900, 's') + number : number;
  }
  // With a comma behind; most of them fit the index.
  std::string some_index_key() {
    const std::string number = std::to_string(random_.next() % 3);
    switch (random_.next() % 8) {
      case 0:
        return "";
      case 1:
        return R"("g":{"N":")" + number + R"("},)";
      case 2:
        return R"("g":{"S":""},)";
      case 3:
        return R"("g":{"S":"k)" + std::string(2100, 'g') + R"("},)";
      default:
        return R"("g":{"S":"k)" + number + R"("},)";
    }
  }

  EngineHarness& engine_;
  SeededRandom& random_;
  std::map<std::string, std::string> items_;
};

void build_under_writes(EngineHarness& engine, std::uint64_t seed, bool reopens) {
  INFO("seed " << seed);
  SeededRandom random(seed);
  BuildModel model(engine, random);
  const std::string table =
      R"({"TableName":"Things",)" + definitions({"pk", "sk"}) +
      R"(,"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},)"
      R"({"AttributeName":"sk","KeyType":"RANGE"}],"BillingMode":"PAY_PER_REQUEST"})";
  REQUIRE(engine.call("CreateTable", table).ok);
  engine.clock().advance(kPhase);
  for (int round = 0; round < 4; ++round) {
    for (auto count = random.next() % 60; count > 0; --count) model.write();
    REQUIRE(engine.call("UpdateTable", create_index("by_g")).ok);
    for (auto count = random.next() % 10; count > 0; --count) model.write();
    engine.clock().advance(kPhase);
    while (states(engine) != "ACTIVE by_g:ACTIVE") {
      for (auto count = random.next() % 6; count > 0; --count) model.write();
      if (reopens && model.chance(15)) engine.reopen();
      engine.maintain({.records_max = 1 + random.next() % 5});
      if (model.chance(3)) {
        // Thinks better of it, and begins again.
        REQUIRE(engine.call("UpdateTable", delete_index("by_g")).ok);
        engine.clock().advance(kPhase);
        if (model.chance(50)) engine.maintain({.records_max = 3});
        REQUIRE(engine.call("UpdateTable", create_index("by_g")).ok);
        engine.clock().advance(kPhase);
      }
    }
    model.check();
    for (int i = 0; i < 20; ++i) model.write();
    model.check();
    REQUIRE(engine.call("UpdateTable", delete_index("by_g")).ok);
    engine.clock().advance(kPhase);
  }
}

}  // namespace

TEST_CASE("index life: what is written during the backfill is in the index", "[engine]") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    EngineHarness engine(with_phases());
    build_under_writes(engine, seed, /*reopens=*/false);
  }
}

TEST_CASE("index life: the backfill goes on after a restart", "[engine]") {
  for (std::uint64_t seed = 101; seed <= 106; ++seed) {
    const storage::TemporaryFolder folder;
    Settings settings = with_phases();
    settings.storage.folder = folder.path();
    EngineHarness engine(settings);
    build_under_writes(engine, seed, /*reopens=*/true);
  }
}
