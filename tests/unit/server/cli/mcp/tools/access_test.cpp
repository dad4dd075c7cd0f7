// Which requests only read.
#include "server/cli/mcp/tools/access.h"

#include <string>

#include <catch2/catch.hpp>

#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"

namespace stator::mcp {
namespace {

bool reads(std::string_view operation, std::string request = "{}") {
  Arena arena;
  const auto node = read_json(request, arena);
  REQUIRE(node);
  return is_reading_call(operation, *node);
}

TEST_CASE("mcp access: statements", "[server]") {
  for (const char* const text : {"SELECT * FROM t", " \n\tselect a from t", "Select\"a\" from t",
                                 "select", "SELECT(a) FROM t"})
    CHECK(is_reading_statement(text));
  for (const char* const text :
       {"", " ", "INSERT INTO t VALUE {'a':1}", "DELETE FROM t", "selection", "select_ x",
        "-- x\nDELETE FROM t", "EXISTS(SELECT * FROM t)", "; SELECT"})
    CHECK_FALSE(is_reading_statement(text));
}

TEST_CASE("mcp access: operations", "[server]") {
  for (const char* const name : {"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems",
                                 "DescribeTable", "ListTables", "GetRecords", "GetShardIterator"})
    CHECK(reads(name));
  for (const char* const name :
       {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems",
        "CreateTable", "DeleteTable", "UpdateTable", "TagResource", "ImportTable",
        "ExportTableToPointInTime", "getItem", "queryAndDelete", "", "NewOperation"})
    CHECK_FALSE(reads(name));
}

TEST_CASE("mcp access: a batch of statements with one that writes is a write", "[server]") {
  const std::string select = R"({"Statement":"SELECT * FROM t"})";
  const std::string write = R"({"Statement":"DELETE FROM t WHERE pk='a'"})";
  CHECK(reads("ExecuteStatement", select));
  CHECK_FALSE(reads("ExecuteStatement", write));
  CHECK_FALSE(reads("ExecuteStatement", "{}"));
  CHECK_FALSE(reads("ExecuteStatement", R"({"Statement":7})"));
  CHECK(reads("BatchExecuteStatement", "{\"Statements\":[" + select + "," + select + "]}"));
  CHECK_FALSE(reads("BatchExecuteStatement", "{\"Statements\":[" + select + "," + write + "]}"));
  CHECK_FALSE(reads("BatchExecuteStatement", "{\"Statements\":" + select + "}"));
  CHECK(reads("ExecuteTransaction", "{\"TransactStatements\":[" + select + "]}"));
  CHECK_FALSE(reads("ExecuteTransaction", "{\"TransactStatements\":[" + write + "]}"));
  CHECK_FALSE(reads("ExecuteTransaction", "{\"Statements\":[" + select + "]}"));
}

TEST_CASE("mcp access: of a repeated member each one counts", "[server]") {
  CHECK_FALSE(
      reads("ExecuteStatement", R"({"Statement":"DELETE FROM t","Statement":"SELECT * FROM t"})"));
  CHECK_FALSE(reads("BatchExecuteStatement", R"({"Statements":[{"Statement":"DELETE FROM t"}],)"
                                             R"("Statements":[{"Statement":"SELECT * FROM t"}]})"));
}

}  // namespace
}  // namespace stator::mcp
