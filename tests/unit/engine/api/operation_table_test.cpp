#include "engine/api/operation_table.h"

#include <string>

#include <catch2/catch.hpp>

#include "engine/api/families.h"
#include "tests/unit/engine/harness/all_operations.h"

using namespace stator;

TEST_CASE("operations: rows are found by target, and by nothing else", "[engine]") {
  const OperationTable table = test::all_operations();
  for (const OperationFamily& family : engine_families()) {
    for (const Operation& row : family.rows) {
      INFO(row.name);
      const Operation* const found = table.find("DynamoDB_20120810." + std::string(row.name));
      REQUIRE(found != nullptr);
      CHECK(found->name == row.name);
      CHECK(found->parse == row.parse);
      CHECK(&table.rows()[table.number_of(*found)] == found);
      CHECK((row.read != nullptr || row.write != nullptr));
    }
  }
  CHECK(table.find("DynamoDB_20120810.getitem") == nullptr);
  CHECK(table.find("DynamoDB_20120810.GetItems") == nullptr);
  CHECK(table.find("DynamoDB_20120810.") == nullptr);
  CHECK(table.find("DynamoDB_20111205.GetItem") == nullptr);
  CHECK(table.find("GetItem") == nullptr);
  CHECK(table.find("") == nullptr);
}
