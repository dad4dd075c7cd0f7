// The partition keys that conditions of policies see: of which item, table or index, in which form.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/engine/operations/access/condition_keys.h"

using namespace stator;
using namespace stator::test;

namespace {

// A Query of Songs or its index with this key condition on strings.
std::string query_of(const std::string& index, const std::string& condition) {
  std::string body = R"({"TableName":"Songs",)";
  if (!index.empty()) body.append(R"("IndexName":")").append(index).append("\",");
  body.append(R"("KeyConditionExpression":")").append(condition).append("\",");
  body.append(R"("ExpressionAttributeValues":{)");
  const char* separator = "";
  for (const std::string_view name : {":a", ":b"}) {
    if (condition.find(name) == std::string::npos) continue;
    body.append(separator).append("\"").append(name).append(R"(":{"S":")");
    body.append(name.substr(1)).append("\"}");
    separator = ",";
  }
  return body.append("}}");
}

std::string statement_of(const std::string& text, const std::string& more = {}) {
  return R"({"Statement":")" + text + "\"" + more + "}";
}

}  // namespace

TEST_CASE("access: the partition keys of single items", "[engine]") {
  const std::string key = R"("Key":{"sk":{"S":"s"},"pk":{"S":"a"}})";
  check_condition_keys({
      {"GetItem", named("Songs", "," + key), "LeadingKeys=a SecondPartitionKeyValues=-"},
      {"UpdateItem", named("Songs", "," + key), "LeadingKeys=a"},
      {"DeleteItem", named("Songs", "," + key), "LeadingKeys=a"},
      // Only the table's own key counts, never those of its indexes.
      {"PutItem", named("Songs", R"(,"Item":{"pk":{"S":"a"},"sk":{"S":"s"},"band":{"S":"b"}})"),
       "LeadingKeys=a"},
      {"GetItem", named("Plays", R"(,"Key":{"n":{"N":"1.0"}})"), "LeadingKeys=1"},
      {"GetItem", named("Plays", R"(,"Key":{"n":{"N":"-12e2"}})"), "LeadingKeys=-1200"},
      {"GetItem", named("Blobs", R"(,"Key":{"b":{"B":"AP8="}})"), "LeadingKeys=AP8="},
      // Unknowable: the key is not there, or has no key's type, or there is no table.
      {"GetItem", named("Songs", R"(,"Key":{"sk":{"S":"s"}})"), "LeadingKeys=?"},
      {"GetItem", named("Songs", R"(,"Key":{"pk":{"BOOL":true}})"), "LeadingKeys=?"},
      {"GetItem", named("Nothing", "," + key),
       "LeadingKeys=? SecondPartitionKeyValues=- Attributes=pk,sk"},
      {"GetItem",
       R"({"TableName":"arn:aws:dynamodb:us-east-1:999999999999:table/Songs",)" + key + "}",
       "LeadingKeys=?"},
  });
}

TEST_CASE("access: the partition keys of batches and transactions, once for each table",
          "[engine]") {
  const std::string other = R"({"TableName":"Songs","Key":{"pk":{"S":"b"},"sk":{"S":"s"}}})";
  check_condition_keys({
      {"BatchGetItem",
       R"({"RequestItems":{"Songs":{"Keys":[{"pk":{"S":"a"}},{"pk":{"S":"b"}},)"
       R"({"pk":{"S":"a"},"sk":{"S":"s"}}]},)"
       R"("Plays":{"Keys":[{"n":{"N":"07"}}]},"Nothing":{"Keys":[{"pk":{"S":"c"}}]}}})",
       "LeadingKeys=a,b;LeadingKeys=7;LeadingKeys=?"},
      {"BatchWriteItem",
       R"({"RequestItems":{"Songs":[{"PutRequest":{"Item":{"pk":{"S":"a"},"x":{"S":"y"}}}},)"
       R"({"DeleteRequest":{"Key":{"pk":{"S":"b"}}}}]}})",
       "LeadingKeys=a,b"},
      // One member without a key spoils the whole list.
      {"BatchWriteItem",
       R"({"RequestItems":{"Songs":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}},)"
       R"({"DeleteRequest":{"Key":{"sk":{"S":"b"}}}}]}})",
       "LeadingKeys=?"},
      {"TransactGetItems", R"({"TransactItems":[{"Get":)" + other + R"(},{"Get":)" + other + "}]}",
       "LeadingKeys=b"},
      {"TransactWriteItems",
       R"({"TransactItems":[{"Put":{"TableName":"Songs","Item":{"pk":{"S":"a"}}}},{"Delete":)" +
           other + R"(},{"Put":{"TableName":"Songs","Item":{"pk":{"S":"c"}}}},{"ConditionCheck":)" +
           other.substr(0, other.size() - 1) +
           R"(,"ConditionExpression":"attribute_exists(x) "}}]})",
       "LeadingKeys=a,c;LeadingKeys=b;LeadingKeys=b"},
  });
}

TEST_CASE("access: the partition keys of a Query are those of what it reads", "[engine]") {
  check_condition_keys({
      {"Query", query_of("", "pk = :a"), "LeadingKeys=a SecondPartitionKeyValues=-"},
      {"Query", query_of("", "pk = :a AND begins_with(sk, :b)"), "LeadingKeys=a"},
      {"Query", query_of("by_year", "pk = :a"), "LeadingKeys=a"},
      {"Query", query_of("by_band", "band = :a"), "LeadingKeys=a SecondPartitionKeyValues=-"},
      {"Query", query_of("by_band", "pk = :a"), "LeadingKeys=?"},
      {"Query", query_of("by_many", "city = :b AND band = :a"),
       "LeadingKeys=a SecondPartitionKeyValues=b ThirdPartitionKeyValues=-"},
      {"Query", query_of("by_many", "band = :a"), "LeadingKeys=a SecondPartitionKeyValues=?"},
      {"Query", query_of("by_none", "pk = :a"),
       "LeadingKeys=? SecondPartitionKeyValues=? FourthPartitionKeyValues=?"},
      {"Query", query_of("", "pk > :a"), "LeadingKeys=?"},
      {"Query",
       R"({"TableName":"Plays","IndexName":"by_count","KeyConditions":{"count":)"
       R"({"ComparisonOperator":"EQ","AttributeValueList":[{"N":"10.50"}]}}})",
       "LeadingKeys=10.5 Attributes=count"},
      {"Query",
       R"({"TableName":"Blobs","IndexName":"by_hash","KeyConditionExpression":"#h = :h",)"
       R"("ExpressionAttributeNames":{"#h":"hash"},"ExpressionAttributeValues":{":h":{"B":"/w=="}}})",
       "LeadingKeys=/w== Attributes=hash"},
      // Where the last page ended does not count.
      {"Query",
       R"({"TableName":"Songs","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":)"
       R"({":p":{"S":"a"}},"ExclusiveStartKey":{"pk":{"S":"other"},"sk":{"S":"s"}}})",
       "LeadingKeys=a Attributes=pk"},
      {"Scan", named("Songs"), "LeadingKeys=- SecondPartitionKeyValues=- FullTableScan=-"},
      {"Scan", named("Songs", R"(,"IndexName":"by_many")"), "LeadingKeys=-"},
  });
}

TEST_CASE("access: the partition keys of statements, and whether one reads all", "[engine]") {
  check_condition_keys({
      {"ExecuteStatement", statement_of("SELECT * FROM Songs WHERE pk = 'a'"),
       "LeadingKeys=a FullTableScan=false"},
      {"ExecuteStatement",
       statement_of("SELECT * FROM Songs WHERE pk = ? AND x = 1", R"(,"Parameters":[{"S":"a"}])"),
       "LeadingKeys=a FullTableScan=false"},
      {"ExecuteStatement",
       statement_of("SELECT * FROM Songs WHERE pk IN ['a', ?]", R"(,"Parameters":[{"S":"b"}])"),
       "LeadingKeys=a,b FullTableScan=false"},
      {"ExecuteStatement", statement_of("SELECT * FROM Songs WHERE pk = 'a' OR pk = 'b'"),
       "LeadingKeys=a,b FullTableScan=false"},
      {"ExecuteStatement", statement_of("SELECT * FROM Songs WHERE pk = 'a' OR x = 1"),
       "LeadingKeys=? FullTableScan=true"},
      {"ExecuteStatement", statement_of("SELECT * FROM Songs WHERE NOT (pk = 'a')"),
       "LeadingKeys=? FullTableScan=true"},
      {"ExecuteStatement", statement_of("SELECT * FROM Songs"), "LeadingKeys=? FullTableScan=true"},
      {"ExecuteStatement", statement_of(R"(SELECT * FROM \"Songs\".\"by_band\" WHERE band = 'a')"),
       "LeadingKeys=a FullTableScan=false"},
      {"ExecuteStatement", statement_of(R"(SELECT * FROM \"Songs\".\"by_band\" WHERE pk = 'a')"),
       "LeadingKeys=? FullTableScan=true"},
      {"ExecuteStatement", statement_of("SELECT * FROM Plays WHERE n = 1.00"), "LeadingKeys=1"},
      {"ExecuteStatement", statement_of("SELECT * FROM Nothing WHERE pk = 'a'"),
       "LeadingKeys=? FullTableScan=?"},
      {"ExecuteStatement", statement_of("SELECT * FROM Nothing"),
       "LeadingKeys=? FullTableScan=true"},
      {"ExecuteStatement", statement_of("INSERT INTO Songs VALUE {'pk': 'a', 'sk': 's'}"),
       "LeadingKeys=a FullTableScan=-"},
      {"ExecuteStatement", statement_of("UPDATE Songs SET x = 1 WHERE pk = 'a' AND sk = 's'"),
       "LeadingKeys=a FullTableScan=-"},
      {"ExecuteStatement", statement_of("DELETE FROM Songs WHERE sk = 's'"), "LeadingKeys=?"},
      {"BatchExecuteStatement",
       R"({"Statements":[{"Statement":"SELECT * FROM Songs WHERE pk = 'a' AND sk = 's'"},)"
       R"({"Statement":"SELECT * FROM Songs WHERE pk = 'b' AND sk = 's'"}]})",
       "LeadingKeys=a;LeadingKeys=b"},
      {"ExecuteTransaction",
       R"({"TransactStatements":[{"Statement":"SELECT * FROM Songs WHERE pk = 'a' AND sk = 's'"},)"
       R"({"Statement":"SELECT * FROM Songs WHERE pk = 'b' AND sk = 's'"}]})",
       "LeadingKeys=a,b FullTableScan=false"},
  });
}

TEST_CASE("access: the statements of a batch are told apart by their places", "[engine]") {
  EngineHarness harness;
  make_tables(harness);
  const OperationTable operations(engine_families());
  const auto accesses = accesses_of(
      harness, operation_of(operations, "BatchExecuteStatement"),
      R"({"Statements":[{"Statement":"SELECT * FROM Songs WHERE pk = 'a'"},{"Statement":"?"},)"
      R"({"Statement":"SELECT * FROM Songs WHERE pk = 'b'"}]})");
  REQUIRE(accesses.size() == 2);
  CHECK(accesses[0].member == 0);
  CHECK(accesses[1].member == 2);
}
