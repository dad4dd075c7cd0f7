// The condition keys that follow from a request's parameters: the attributes that it names, what it
// wants returned, tags.
#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/engine/operations/access/condition_keys.h"

using namespace stator;
using namespace stator::test;

namespace {

const std::string kKey = R"(,"Key":{"pk":{"S":"a"},"sk":{"S":"s"}})";

std::string statement_of_text(const std::string& text, const std::string& more = {}) {
  return R"({"Statement":")" + text + "\"" + more + "}";
}

}  // namespace

TEST_CASE("access: the attributes that a read names", "[engine]") {
  check_condition_keys({
      {"GetItem", named("Songs", kKey), "Attributes=pk,sk"},
      {"GetItem",
       named("Songs", kKey + R"(,"ProjectionExpression":"a.b[0].c, #n.x, a.d",)"
                             R"("ExpressionAttributeNames":{"#n":"na.me"})"),
       "Attributes=pk,sk,a,na.me"},
      {"GetItem", named("Songs", kKey + R"(,"AttributesToGet":["x","y"])"), "Attributes=pk,sk,x,y"},
      {"BatchGetItem",
       R"({"RequestItems":{"Plays":{"Keys":[{"n":{"N":"1"}}],"ProjectionExpression":"x"},)"
       R"("Blobs":{"Keys":[{"b":{"B":"AA=="}}],"ProjectionExpression":"y.z"}}})",
       "Attributes=n,x;Attributes=b,y"},
      {"Query",
       named("Songs",
             R"(,"KeyConditionExpression":"pk = :p","FilterExpression":"size(f.g) > :n AND )"
             R"(contains(h, i) ","ExpressionAttributeValues":{":p":{"S":"a"},":n":{"N":"1"}},)"
             R"("ProjectionExpression":"j")"),
       "Attributes=pk,f,h,i,j"},
      {"Query",
       named("Songs", R"(,"KeyConditions":{"pk":{"ComparisonOperator":"EQ","AttributeValueList":)"
                      R"([{"S":"a"}]}},"QueryFilter":{"f":{"ComparisonOperator":"NULL"}},)"
                      R"("AttributesToGet":["x"])"),
       "Attributes=pk,f,x"},
      {"Scan", named("Songs"), "Attributes=-"},
      {"Scan", named("Songs", R"(,"FilterExpression":"attribute_exists(f.g) ")"), "Attributes=f"},
      {"Scan", named("Songs", R"(,"ScanFilter":{"f":{"ComparisonOperator":"NOT_NULL"}})"),
       "Attributes=f"},
      {"Scan", named("Nothing", R"(,"ProjectionExpression":"x")"), "Attributes=x"},
      {"TransactGetItems",
       R"({"TransactItems":[{"Get":{"TableName":"Plays","Key":{"n":{"N":"1"}},)"
       R"("ProjectionExpression":"x"}},{"Get":{"TableName":"Plays","Key":{"n":{"N":"2"}},)"
       R"("ProjectionExpression":"y"}}]})",
       "Attributes=n,x,y"},
  });
}

TEST_CASE("access: the attributes that a write names", "[engine]") {
  const std::string values = R"(,"ExpressionAttributeValues":{":v":{"N":"1"}})";
  check_condition_keys({
      {"PutItem",
       named("Plays", R"(,"Item":{"n":{"N":"1"},"m":{"M":{"in":{"S":"x"}}}},)"
                      R"("ConditionExpression":"attribute_not_exists(c.d) ")"),
       "Attributes=m,n,c"},
      {"PutItem", named("Plays", R"(,"Item":{"n":{"N":"1"}},"Expected":{"e":{"Exists":false}})"),
       "Attributes=n,e"},
      {"UpdateItem",
       named("Songs", kKey +
                          R"(,"UpdateExpression":"SET a.b = c + :v, d = if_not_exists(e, f), )"
                          R"(g = list_append(h, i) REMOVE j[0] ADD k :v",)"
                          R"("ConditionExpression":"l = :v")" +
                          values),
       "Attributes=pk,sk,l,a,d,g,j,k,c,e,f,h,i"},
      {"UpdateItem",
       named("Songs", kKey + R"(,"AttributeUpdates":{"x":{"Action":"DELETE"}},)"
                             R"("Expected":{"e":{"Exists":false}})"),
       "Attributes=pk,sk,e,x"},
      {"DeleteItem", named("Songs", kKey + R"(,"ConditionExpression":"x = :v")" + values),
       "Attributes=pk,sk,x"},
      {"BatchWriteItem",
       R"({"RequestItems":{"Plays":[{"PutRequest":{"Item":{"n":{"N":"1"},"x":{"S":"y"}}}},)"
       R"({"DeleteRequest":{"Key":{"n":{"N":"2"}}}}]}})",
       "Attributes=n,x"},
      {"TransactWriteItems",
       R"({"TransactItems":[{"ConditionCheck":{"TableName":"Plays","Key":{"n":{"N":"1"}},)"
       R"("ConditionExpression":"attribute_exists(x.y) "}}]})",
       "Attributes=n,x"},
  });
}

TEST_CASE("access: the attributes that a statement names", "[engine]") {
  check_condition_keys({
      {"ExecuteStatement", statement_of_text("SELECT * FROM Songs WHERE pk = 'a' AND x.y = 1"),
       "Attributes=pk,x"},
      {"ExecuteStatement", statement_of_text("SELECT a, b.c FROM Songs WHERE pk = 'a' ORDER BY sk"),
       "Attributes=pk,a,b,sk"},
      {"ExecuteStatement", statement_of_text("SELECT * FROM Songs"), "Attributes=-"},
      {"ExecuteStatement",
       statement_of_text("INSERT INTO Plays VALUE {'n': 1, 'x': ?}",
                         R"(,"Parameters":[{"S":"b"}])"),
       "Attributes=n,x"},
      {"ExecuteStatement",
       statement_of_text("UPDATE Plays SET a.b = c REMOVE d WHERE n = 1 AND e = 2"),
       "Attributes=n,e,a,d,c"},
      {"ExecuteStatement", statement_of_text("DELETE FROM Plays WHERE n = 1 AND e = 2"),
       "Attributes=n,e"},
      // Its shape is rejected only once the index was found.
      {"ExecuteStatement",
       statement_of_text(R"(SELECT a, a FROM \"Songs\".\"by_band\" WHERE band = 'a')"),
       "Attributes=? LeadingKeys=? FullTableScan=?"},
      {"ExecuteTransaction",
       R"({"TransactStatements":[{"Statement":"SELECT * FROM \"Songs\".\"by_band\""}]})",
       "Attributes=? LeadingKeys=? FullTableScan=?"},
  });
}

TEST_CASE("access: Select has a value on every read", "[engine]") {
  const std::string query =
      R"(,"KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"a"}})";
  check_condition_keys({
      {"GetItem", named("Songs", kKey), "Select=ALL_ATTRIBUTES"},
      {"GetItem", named("Songs", kKey + R"(,"ProjectionExpression":"x")"),
       "Select=SPECIFIC_ATTRIBUTES"},
      {"GetItem", named("Songs", kKey + R"(,"AttributesToGet":["x"])"),
       "Select=SPECIFIC_ATTRIBUTES"},
      {"BatchGetItem", R"({"RequestItems":{"Plays":{"Keys":[{"n":{"N":"1"}}]}}})",
       "Select=ALL_ATTRIBUTES"},
      {"Query", named("Songs", query), "Select=ALL_ATTRIBUTES ReturnValues=-"},
      {"Query", named("Songs", query + R"(,"IndexName":"by_year")"),
       "Select=ALL_PROJECTED_ATTRIBUTES"},
      {"Query", named("Songs", query + R"(,"Select":"COUNT")"), "Select=COUNT"},
      {"Query", named("Songs", query + R"(,"IndexName":"by_year","Select":"ALL_ATTRIBUTES")"),
       "Select=ALL_ATTRIBUTES"},
      {"Scan", named("Songs", R"(,"AttributesToGet":["x"])"), "Select=SPECIFIC_ATTRIBUTES"},
      {"Scan", named("Songs", R"(,"IndexName":"by_band")"), "Select=ALL_PROJECTED_ATTRIBUTES"},
      {"ExecuteStatement", statement_of_text("SELECT x FROM Songs"), "Select=SPECIFIC_ATTRIBUTES"},
      {"ExecuteStatement", statement_of_text("SELECT * FROM Songs"), "Select=ALL_ATTRIBUTES"},
      {"ExecuteStatement", statement_of_text(R"(SELECT * FROM \"Songs\".\"by_band\")"),
       "Select=ALL_PROJECTED_ATTRIBUTES"},
      // Several report the widest.
      {"TransactGetItems",
       R"({"TransactItems":[{"Get":{"TableName":"Plays","Key":{"n":{"N":"1"}}}},)"
       R"({"Get":{"TableName":"Plays","Key":{"n":{"N":"2"}},"ProjectionExpression":"y"}}]})",
       "Select=ALL_ATTRIBUTES"},
      {"PutItem", named("Plays", R"(,"Item":{"n":{"N":"1"}})"), "Select=-"},
      {"ExecuteStatement", statement_of_text("DELETE FROM Plays WHERE n = 1"), "Select=-"},
  });
}

TEST_CASE("access: what a write returns", "[engine]") {
  const std::string on_failure = R"(,"ReturnValuesOnConditionCheckFailure":"ALL_OLD")";
  const std::string item = R"(,"Item":{"n":{"N":"1"}})";
  const std::string check = R"({"TransactItems":[{"ConditionCheck":{"TableName":"Plays",)"
                            R"("Key":{"n":{"N":"1"}},"ConditionExpression":"x = y")";
  const std::string update = "UPDATE Plays SET x = 1 WHERE n = 1";
  check_condition_keys({
      {"PutItem", named("Plays", item), "ReturnValues=NONE"},
      {"PutItem", named("Plays", item + R"(,"ReturnValues":"ALL_OLD")"), "ReturnValues=ALL_OLD"},
      {"PutItem", named("Plays", item + on_failure), "ReturnValues=ALL_OLD"},
      {"UpdateItem", named("Songs", kKey), "ReturnValues=NONE"},
      {"UpdateItem", named("Songs", kKey + R"(,"ReturnValues":"UPDATED_NEW")"),
       "ReturnValues=UPDATED_NEW"},
      {"UpdateItem", named("Songs", kKey + R"(,"ReturnValues":"ALL_NEW")" + on_failure),
       "ReturnValues=ALL_NEW"},
      {"DeleteItem", named("Songs", kKey + R"(,"ReturnValues":"ALL_OLD")"), "ReturnValues=ALL_OLD"},
      {"GetItem", named("Songs", kKey), "ReturnValues=-"},
      {"BatchWriteItem", R"({"RequestItems":{"Plays":[{"PutRequest":{"Item":{"n":{"N":"1"}}}}]}})",
       "ReturnValues=-"},
      {"TransactWriteItems", check + "}}]}", "ReturnValues=NONE"},
      {"TransactWriteItems", check + on_failure + "}}]}", "ReturnValues=ALL_OLD"},
      {"ExecuteStatement", statement_of_text(update), "ReturnValues=NONE"},
      {"ExecuteStatement", statement_of_text(update + " RETURNING MODIFIED NEW *"),
       "ReturnValues=UPDATED_NEW"},
      {"ExecuteStatement", statement_of_text(update + " RETURNING ALL NEW *"),
       "ReturnValues=ALL_NEW"},
      {"ExecuteStatement", statement_of_text(update, on_failure), "ReturnValues=ALL_OLD"},
      {"ExecuteStatement", statement_of_text("DELETE FROM Plays WHERE n = 1 RETURNING ALL OLD *"),
       "ReturnValues=ALL_OLD"},
      {"ExecuteStatement", statement_of_text("INSERT INTO Plays VALUE {'n': 1}"), "ReturnValues=-"},
      {"ExecuteStatement", statement_of_text("SELECT * FROM Plays"), "ReturnValues=-"},
  });
}

TEST_CASE("access: capacity, and the operation around the members of a transaction", "[engine]") {
  const std::string get =
      R"({"TransactItems":[{"Get":{"TableName":"Plays","Key":{"n":{"N":"1"}}}}])";
  const std::string put =
      R"({"TransactItems":[{"Put":{"TableName":"Plays","Item":{"n":{"N":"1"}}}}])";
  const std::string total = R"(,"ReturnConsumedCapacity":"TOTAL")";
  check_condition_keys({
      {"GetItem", named("Songs", kKey), "ReturnConsumedCapacity=NONE EnclosingOperation=-"},
      {"PutItem", named("Plays", R"(,"Item":{"n":{"N":"1"}})" + total),
       "ReturnConsumedCapacity=TOTAL EnclosingOperation=-"},
      {"Scan", named("Plays", R"(,"ReturnConsumedCapacity":"INDEXES")"),
       "ReturnConsumedCapacity=INDEXES"},
      {"BatchGetItem", R"({"RequestItems":{"Plays":{"Keys":[{"n":{"N":"1"}}]}})" + total + "}",
       "ReturnConsumedCapacity=TOTAL EnclosingOperation=-"},
      {"TransactGetItems", get + total + "}",
       "ReturnConsumedCapacity=TOTAL EnclosingOperation=TransactGetItems"},
      {"TransactWriteItems", put + "}",
       "ReturnConsumedCapacity=NONE EnclosingOperation=TransactWriteItems"},
      {"ExecuteStatement", statement_of_text("SELECT * FROM Plays", total),
       "ReturnConsumedCapacity=- EnclosingOperation=-"},
      {"ExecuteTransaction",
       R"({"TransactStatements":[{"Statement":"DELETE FROM Plays WHERE n = 1"}]})",
       "ReturnConsumedCapacity=- EnclosingOperation=ExecuteTransaction"},
      {"DescribeTable", named("Plays"),
       "LeadingKeys=- Attributes=- Select=- ReturnValues=- ReturnConsumedCapacity=- "
       "EnclosingOperation=- FullTableScan=-"},
  });
}

TEST_CASE("access: tags of the request, and of the table", "[engine]") {
  const std::string arn = std::string(kHomeArn).append("table/Songs");
  const std::string tags = R"("Tags":[{"Key":"team","Value":"x"},{"Key":"b","Value":""}])";
  const std::string created = hash_table("New");
  check_condition_keys({
      {"TagResource", R"({"ResourceArn":")" + arn + "\"," + tags + "}",
       "aws:RequestTag/team=x aws:RequestTag/b= aws:TagKeys=team,b"},
      {"UntagResource", R"({"ResourceArn":")" + arn + R"(","TagKeys":["team"]})",
       "aws:RequestTag/team=- aws:TagKeys=team"},
      {"CreateTable", created.substr(0, created.size() - 1) + "," + tags + "}",
       "aws:RequestTag/team=x aws:TagKeys=team,b;aws:RequestTag/team=x aws:TagKeys=team,b"},
      {"CreateTable", created, "aws:TagKeys=-"},
  });
  EngineHarness harness;
  make_tables(harness);
  REQUIRE(harness.call("TagResource", R"({"ResourceArn":")" + arn + "\"," + tags + "}").ok);
  const OperationTable operations(engine_families());
  for (const std::string_view more : {"", R"(,"IndexName":"by_band")"}) {
    const auto accesses =
        accesses_of(harness, operation_of(operations, "Scan"), named("Songs", more));
    REQUIRE(accesses.size() == 1);
    CHECK(accesses.front().table_arn == arn);
    CHECK(accesses.front().resource_tags.size() == 2);
  }
  const auto missing =
      accesses_of(harness, operation_of(operations, "Scan"), named("Nothing")).front();
  CHECK(missing.resource == std::string(kHomeArn).append("table/Nothing"));
  CHECK(missing.resource_tags.empty());
}
