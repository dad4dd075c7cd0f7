// Who shares a TableRuntime: versions of one table or index, and nobody else.
#include "engine/schema/runtime.h"

#include <memory>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

#include "engine/state/snapshot.h"
#include "tests/unit/engine/harness/engine_harness.h"
#include "tests/unit/engine/indexes/index_life.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

using namespace stator;
using namespace stator::test;

namespace {

struct Seen {
  std::shared_ptr<TableRuntime> table;
  std::shared_ptr<TableRuntime> index;  // by_g
};

// An operation that looks at the catalog's table instead of answering.
Seen look(EngineHarness& engine) {
  static Seen seen;
  static const auto parse = [](const JsonNode&, Call&) -> Result<ParsedRequest> {
    return ParsedRequest{nullptr, Access::Read};
  };
  static const auto read = [](const void*, const Snapshot& snapshot, Call& call) -> Result<void> {
    const Table* table = snapshot.find_table(call, "Things");
    REQUIRE(table != nullptr);
    const GlobalIndex* index = table->find_global_index("by_g");
    seen = {table->runtime, index == nullptr ? nullptr : index->runtime};
    return {};
  };
  const Operation operation{"Look", Layer::Classic, parse,
                            read,   nullptr,        [](const void*, Resources&) {}};
  Call call;
  call.operation = &operation;
  call.caller = {"us-east-1", "key", "localhost:8000"};
  std::string body = "{}";
  const auto root = read_json(body, call.arena);
  REQUIRE(root);
  REQUIRE(engine.engine().parse(*root, call));
  Engine::Reader reader(engine.engine());
  REQUIRE(engine.engine().read(call, reader));
  return std::exchange(seen, {});
}

}  // namespace

TEST_CASE("runtime: kept over every change of a table, made anew with it", "[engine]") {
  const storage::TemporaryFolder folder;
  Settings settings;
  settings.storage.folder = folder.path();
  EngineHarness engine(settings);
  engine.call("CreateTable", hash_table("Things"));
  engine.call("PutItem", put_things(R"({"pk":{"S":"a"},"g":{"S":"x"}})"));
  const Seen first = look(engine);
  REQUIRE(first.table != nullptr);
  CHECK(first.index == nullptr);

  REQUIRE(engine.call("UpdateTable", named("Things", R"(,"TableClass":"STANDARD")")).ok);
  REQUIRE(engine
              .call("TagResource",
                    R"({"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Things",)"
                    R"("Tags":[{"Key":"k","Value":"v"}]})")
              .ok);
  CHECK(look(engine).table == first.table);

  REQUIRE(engine.call("UpdateTable", create_index("by_g")).ok);
  const Seen indexed = look(engine);
  CHECK(indexed.table == first.table);
  REQUIRE(indexed.index != nullptr);
  REQUIRE(engine.call("UpdateTable", named("Things", R"(,"DeletionProtectionEnabled":true)")).ok);
  REQUIRE(engine.call("UpdateTable", named("Things", R"(,"DeletionProtectionEnabled":false)")).ok);
  CHECK(look(engine).index == indexed.index);

  // An index of the same name is another one.
  REQUIRE(engine.call("UpdateTable", delete_index("by_g")).ok);
  CHECK(look(engine).table == first.table);
  REQUIRE(engine.call("UpdateTable", create_index("by_g")).ok);
  const Seen again = look(engine);
  REQUIRE(again.index != nullptr);
  CHECK(again.index != indexed.index);
  CHECK(again.table == first.table);

  // A table of the same name too, and what a restart reads.
  REQUIRE(engine.call("DeleteTable", named("Things")).ok);
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  const Seen recreated = look(engine);
  REQUIRE(recreated.table != nullptr);
  CHECK(recreated.table != first.table);
  REQUIRE(engine.call("UpdateTable", create_index("by_g")).ok);
  const Seen before = look(engine);
  engine.reopen();
  const Seen reopened = look(engine);
  REQUIRE(reopened.table != nullptr);
  REQUIRE(reopened.index != nullptr);
  CHECK(reopened.table != before.table);
  CHECK(reopened.index != before.index);
}
