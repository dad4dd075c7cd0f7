// UpdateItem: what it does to items, what it answers and refuses, and what it costs. Expected of
// the other writes is here too. The grammar and meaning of expressions have tests of their own.
#include "protocol/limits.h"
#include "tests/unit/engine/engine_harness.h"

using namespace stator;
using namespace stator::test;

namespace {

constexpr std::string_view kFailed =
    R"({"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",)"
    R"("message":"The conditional request failed")";

std::string one(std::string_view message) {
  return validation(std::string(kOneValidationError).append(message));
}

// A table `Things` with keys pk and sk, a local index on la (S), a global one on gh (N), and one of
// several attributes on x, y (S) and z1, z2 (B).
std::string indexed_table() {
  return R"({"TableName":"Things","AttributeDefinitions":[)"
         R"({"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"},)"
         R"({"AttributeName":"la","AttributeType":"S"},{"AttributeName":"gh","AttributeType":"N"},)"
         R"({"AttributeName":"x","AttributeType":"S"},{"AttributeName":"y","AttributeType":"S"},)"
         R"({"AttributeName":"z1","AttributeType":"B"},{"AttributeName":"z2","AttributeType":"B"}],)"
         R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],)"
         R"("BillingMode":"PAY_PER_REQUEST",)"
         R"("LocalSecondaryIndexes":[{"IndexName":"by_la","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},)"
         R"({"AttributeName":"la","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}],)"
         R"("GlobalSecondaryIndexes":[{"IndexName":"by_gh","KeySchema":[{"AttributeName":"gh","KeyType":"HASH"}],)"
         R"("Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["note"]}},)"
         R"({"IndexName":"by_many","KeySchema":[{"AttributeName":"x","KeyType":"HASH"},{"AttributeName":"y","KeyType":"HASH"},)"
         R"({"AttributeName":"z1","KeyType":"RANGE"},{"AttributeName":"z2","KeyType":"RANGE"}],)"
         R"("Projection":{"ProjectionType":"KEYS_ONLY"}}]})";
}

// An engine with a table `Things`, whose key is pk alone.
struct Things : EngineHarness {
  explicit Things(Settings settings = {}) : EngineHarness(std::move(settings)) {
    REQUIRE(call("CreateTable", hash_table("Things")).ok);
  }

  void put(std::string_view item) {
    const Answer answer =
        call("PutItem", R"({"TableName":"Things","Item":)" + std::string(item) + "}");
    if (!answer.ok) FAIL(answer.json);
  }
  Answer update(std::string_view more) {
    return call("UpdateItem",
                R"({"TableName":"Things","Key":{"pk":{"S":"a"}})" + std::string(more) + "}");
  }
  Answer update(std::string_view expression, std::string_view values, std::string_view more = {}) {
    std::string body = R"(,"UpdateExpression":")" + std::string(expression) + "\"";
    if (!values.empty()) body += R"(,"ExpressionAttributeValues":)" + std::string(values);
    return update(body + std::string(more));
  }
  std::string item() {
    return call("GetItem", R"({"TableName":"Things","Key":{"pk":{"S":"a"}},"ConsistentRead":true})")
        .member("Item");
  }
};

// The same with indexes.
struct Indexed : EngineHarness {
  Indexed() { REQUIRE(call("CreateTable", indexed_table()).ok); }

  Answer update(std::string_view more) {
    return call("UpdateItem", R"({"TableName":"Things","Key":{"pk":{"S":"a"},"sk":{"S":"1"}})" +
                                  std::string(more) + "}");
  }
  Answer update(std::string_view expression, std::string_view values, std::string_view more = {}) {
    std::string body = R"(,"UpdateExpression":")" + std::string(expression) + "\"";
    if (!values.empty()) body += R"(,"ExpressionAttributeValues":)" + std::string(values);
    return update(body + std::string(more));
  }
  std::string item() {
    return call("GetItem", R"({"TableName":"Things","Key":{"pk":{"S":"a"},"sk":{"S":"1"}}})")
        .member("Item");
  }
};

}  // namespace

TEST_CASE("update: an item that is not there is created", "[engine]") {
  struct Case {
    const char* more;
    const char* item;
  };
  constexpr Case kCases[] = {
      {"", R"({"pk":{"S":"a"}})"},
      {R"(,"AttributeUpdates":{})", R"({"pk":{"S":"a"}})"},
      {R"(,"UpdateExpression":"ADD n :n SET s = pk","ExpressionAttributeValues":{":n":{"N":"2"}})",
       R"({"n":{"N":"2"},"pk":{"S":"a"},"s":{"S":"a"}})"},
      {R"(,"AttributeUpdates":{"q":{"Action":"DELETE"},"zz":{"Value":{"N":"1.0"}}})",
       R"({"pk":{"S":"a"},"zz":{"N":"1"}})"},
      {R"x(,"ConditionExpression":"attribute_not_exists(pk)")x", R"({"pk":{"S":"a"}})"},
  };
  for (const Case& each : kCases) {
    CAPTURE(each.more);
    Things things;
    CHECK(things.update(each.more).json == "{}");
    CHECK(things.item() == each.item);
    CHECK(things.call("DescribeTable", named("Things")).member("ItemCount") == "1");
  }
}

TEST_CASE("update: taking away creates no item", "[engine]") {
  for (const char* more :
       {R"(,"UpdateExpression":"REMOVE q, m.x")",
        R"(,"UpdateExpression":"DELETE q :s","ExpressionAttributeValues":{":s":{"SS":["x"]}})",
        R"(,"AttributeUpdates":{"q":{"Action":"DELETE"}})",
        R"(,"AttributeUpdates":{"q":{"Action":"DELETE","Value":{"NS":["1"]}}})"}) {
    CAPTURE(more);
    Things things;
    const Answer answer = things.update(std::string(more) + R"(,"ReturnValues":"ALL_NEW")");
    CHECK(answer.json == "{}");
    CHECK(answer.units_milli == 1000);
    CHECK(things.item().empty());
    CHECK(things.call("DescribeTable", named("Things")).member("ItemCount") == "0");
  }
}

TEST_CASE("update: an item that is there is changed", "[engine]") {
  Things things;
  things.put(
      R"({"pk":{"S":"a"},"n":{"N":"5"},"m":{"M":{"x":{"S":"1"},"y":{"S":"2"}}},"l":{"L":[{"S":"0"},{"S":"1"},{"S":"2"}]}})");
  CHECK(things
            .update("SET m.z = n, n = n + :one, l[7] = :one REMOVE m.x, l[0]",
                    R"({":one":{"N":"1"}})")
            .json == "{}");
  CHECK(
      things.item() ==
      R"({"l":{"L":[{"S":"1"},{"S":"2"},{"N":"1"}]},"m":{"M":{"y":{"S":"2"},"z":{"N":"5"}}},"n":{"N":"6"},"pk":{"S":"a"}})");
  // Nothing to do is fine, and keeps what is there.
  CHECK(things.update("").json == "{}");
  CHECK(things.item().find(R"("n":{"N":"6"})") != std::string::npos);
  CHECK(things.call("DescribeTable", named("Things")).member("ItemCount") == "1");
}

TEST_CASE("update: ReturnValues", "[engine]") {
  const auto returned = [](std::string_view wanted, bool exists, std::string_view update) {
    Things things;
    if (exists) {
      things.put(
          R"({"pk":{"S":"a"},"n":{"N":"5"},"keep":{"S":"k"},"m":{"M":{"x":{"S":"1"},"y":{"S":"2"}}},"l":{"L":[{"S":"0"},{"S":"1"}]}})");
    }
    const Answer answer =
        things.update(std::string(update) + R"(,"ReturnValues":")" + std::string(wanted) + "\"");
    if (!answer.ok) FAIL(answer.json);
    return answer.json;
  };
  const std::string update =
      R"(,"UpdateExpression":"SET m.x = :v, n = :v, fresh = :v REMOVE l[0]","ExpressionAttributeValues":{":v":{"N":"9"}})";
  CHECK(returned("NONE", true, update) == "{}");
  CHECK(
      returned("ALL_OLD", true, update) ==
      R"({"Attributes":{"keep":{"S":"k"},"l":{"L":[{"S":"0"},{"S":"1"}]},"m":{"M":{"x":{"S":"1"},"y":{"S":"2"}}},"n":{"N":"5"},"pk":{"S":"a"}}})");
  CHECK(
      returned("ALL_NEW", true, update) ==
      R"({"Attributes":{"fresh":{"N":"9"},"keep":{"S":"k"},"l":{"L":[{"S":"1"}]},"m":{"M":{"x":{"N":"9"},"y":{"S":"2"}}},"n":{"N":"9"},"pk":{"S":"a"}}})");
  CHECK(returned("UPDATED_OLD", true, update) ==
        R"({"Attributes":{"l":{"L":[{"S":"0"}]},"m":{"M":{"x":{"S":"1"}}},"n":{"N":"5"}}})");
  CHECK(
      returned("UPDATED_NEW", true, update) ==
      R"({"Attributes":{"fresh":{"N":"9"},"l":{"L":[{"S":"1"}]},"m":{"M":{"x":{"N":"9"}}},"n":{"N":"9"}}})");

  const std::string set =
      R"(,"UpdateExpression":"SET n = :v","ExpressionAttributeValues":{":v":{"N":"9"}})";
  CHECK(returned("ALL_OLD", false, set) == "{}");
  CHECK(returned("UPDATED_OLD", false, set) == "{}");
  CHECK(returned("UPDATED_NEW", false, set) == R"({"Attributes":{"n":{"N":"9"}}})");
  CHECK(returned("ALL_NEW", false, set) == R"({"Attributes":{"n":{"N":"9"},"pk":{"S":"a"}}})");

  // Nothing remains to be shown.
  const std::string remove = R"(,"UpdateExpression":"REMOVE n, q")";
  CHECK(returned("UPDATED_NEW", true, remove) == "{}");
  CHECK(returned("UPDATED_OLD", true, remove) == R"({"Attributes":{"n":{"N":"5"}}})");
  for (const char* wanted : {"UPDATED_OLD", "UPDATED_NEW"}) {
    CHECK(returned(wanted, true, "") == "{}");
  }
  CHECK(returned("ALL_NEW", false, "") == R"({"Attributes":{"pk":{"S":"a"}}})");

  const std::string legacy =
      R"(,"AttributeUpdates":{"n":{"Action":"ADD","Value":{"N":"1"}},"keep":{"Action":"DELETE"}})";
  CHECK(returned("UPDATED_OLD", true, legacy) ==
        R"({"Attributes":{"keep":{"S":"k"},"n":{"N":"5"}}})");
  CHECK(returned("UPDATED_NEW", true, legacy) == R"({"Attributes":{"n":{"N":"6"}}})");
}

TEST_CASE("update: conditions", "[engine]") {
  Things things;
  const std::string failed = std::string(kFailed) + "}";
  // Without a stored item there is none to return.
  const std::string wants = R"(,"ReturnValuesOnConditionCheckFailure":"ALL_OLD")";
  CHECK(things
            .update("SET n = :n", R"({":n":{"N":"1"}})",
                    R"x(,"ConditionExpression":"attribute_exists(pk)")x" + wants)
            .json == failed);
  CHECK(things.item().empty());
  things.put(R"({"pk":{"S":"a"},"n":{"N":"5"}})");
  const std::string_view larger = R"(,"ConditionExpression":"n > :n")";
  CHECK(things.update("SET q = :n", R"({":n":{"N":"5"}})", larger).json == failed);
  CHECK(things.update("SET q = :n", R"({":n":{"N":"5"}})", std::string(larger) + wants).json ==
        std::string(kFailed) + R"(,"Item":{"n":{"N":"5"},"pk":{"S":"a"}}})");
  CHECK(things.update("SET q = :n", R"({":n":{"N":"4"}})", larger).json == "{}");
  CHECK(things.item() == R"({"n":{"N":"5"},"pk":{"S":"a"},"q":{"N":"4"}})");
  // A condition alone, and legacy ones.
  CHECK(things.update(R"x(,"ConditionExpression":"attribute_not_exists(pk)")x").json == failed);
  CHECK(
      things
          .update(
              R"(,"Expected":{"n":{"Value":{"N":"4"}}},"AttributeUpdates":{"n":{"Value":{"N":"0"}}})" +
              wants)
          .json ==
      std::string(kFailed) + R"(,"Item":{"n":{"N":"5"},"pk":{"S":"a"},"q":{"N":"4"}}})");
  CHECK(
      things
          .update(
              R"(,"Expected":{"n":{"Value":{"N":"5"}}},"AttributeUpdates":{"n":{"Value":{"N":"0"}}})")
          .json == "{}");
  CHECK(things.item() == R"({"n":{"N":"0"},"pk":{"S":"a"},"q":{"N":"4"}})");
  // The condition comes before what goes wrong in the update.
  CHECK(things.update("SET q = lost", "", R"x(,"ConditionExpression":"attribute_not_exists(pk)")x")
            .json == failed);
  CHECK(
      things.update("SET q = lost", "", R"x(,"ConditionExpression":"attribute_exists(pk)")x")
          .json ==
      validation("The provided expression refers to an attribute that does not exist in the item"));
}

TEST_CASE("update: Expected of PutItem and DeleteItem", "[engine]") {
  Things things;
  const std::string failed = std::string(kFailed) + "}";
  const std::string put =
      R"({"TableName":"Things","Item":{"pk":{"S":"a"},"n":{"N":"1"}},"Expected":)";
  CHECK(things.call("PutItem", put + R"({"pk":{"Exists":false}}})").json == "{}");
  CHECK(things.call("PutItem", put + R"({"pk":{"Exists":false}}})").json == failed);
  CHECK(
      things
          .call(
              "PutItem",
              put +
                  R"({"pk":{"Exists":false},"n":{"Value":{"N":"1"}}},"ConditionalOperator":"OR"})")
          .json == "{}");
  const std::string erase = R"({"TableName":"Things","Key":{"pk":{"S":"a"}},"Expected":)";
  CHECK(
      things
          .call(
              "DeleteItem",
              erase +
                  R"({"n":{"ComparisonOperator":"GT","AttributeValueList":[{"N":"1"}]}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"})")
          .json == std::string(kFailed) + R"(,"Item":{"n":{"N":"1"},"pk":{"S":"a"}}})");
  CHECK(things
            .call("DeleteItem",
                  erase + R"({"n":{"ComparisonOperator":"GE","AttributeValueList":[{"N":"1"}]}}})")
            .json == "{}");
  CHECK(things.item().empty());
  CHECK(things.call("DeleteItem", erase + R"({"n":{}}})").json ==
        one("One or more parameter values were invalid: Value must be provided when Exists is "
            "null for Attribute: n"));
  // ReturnValues comes before Expected, placeholders behind it cannot be.
  CHECK(things.call("DeleteItem", erase + R"({"n":{}},"ReturnValues":"ALL_NEW"})").json ==
        one("ReturnValues can only be ALL_OLD or NONE"));
}

TEST_CASE("update: the order of checks", "[engine]") {
  struct Case {
    const char* more;
    const char* enveloped;  // both wordings, but for the prefix
  };
  // Each request is wrong in two ways at least; the first one is reported.
  constexpr Case kCases[] = {
      {R"(,"AttributeUpdates":{"a":{}},"UpdateExpression":"SET","Expected":{"b":{}},"ConditionalOperator":"OR","ConditionExpression":"")",
       "Can not use both expression and non-expression parameters in the same request: "
       "Non-expression parameters: {AttributeUpdates, Expected, ConditionalOperator} Expression "
       "parameters: {UpdateExpression, ConditionExpression}"},
      {R"(,"AttributeUpdates":{"a":{}},"ExpressionAttributeNames":{"#a":"b"})",
       "ExpressionAttributeNames can only be specified when using expressions"},
      {R"(,"AttributeUpdates":{"a":{}},"Expected":{"b":{}})",
       "One or more parameter values were invalid: Only DELETE action is allowed when no "
       "attribute value is specified"},
      {R"(,"AttributeUpdates":{"pk":{"Value":{"S":"b"}}},"Expected":{"b":{}})",
       "One or more parameter values were invalid: Value must be provided when Exists is null "
       "for Attribute: b"},
      {R"(,"UpdateExpression":"SET","ConditionExpression":"","ExpressionAttributeNames":{})",
       "ExpressionAttributeNames must not be empty"},
      {R"(,"UpdateExpression":"SET a = :v","ConditionExpression":"","ExpressionAttributeValues":{":v":{"SS":[]}})",
       "One or more parameter values were invalid: An string set  may not be empty"},
      {R"(,"UpdateExpression":"SET","ConditionExpression":"","ExpressionAttributeNames":{"#a":"b"})",
       R"(Invalid UpdateExpression: Syntax error; token: \"<EOF>\", near: \"SET\")"},
      {R"(,"UpdateExpression":"SET a = :v","ConditionExpression":"","ExpressionAttributeValues":{":v":{"N":"1"},":w":{"N":"1"}})",
       "Invalid ConditionExpression: The expression can not be empty;"},
      {R"(,"UpdateExpression":"SET pk = :v","ExpressionAttributeNames":{"#a":"b"},"ExpressionAttributeValues":{":v":{"N":"1"},":w":{"N":"1"}})",
       "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}"},
      {R"(,"UpdateExpression":"SET pk = :v","ExpressionAttributeValues":{":v":{"N":"1"},":w":{"N":"1"}})",
       "Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}"},
  };
  Things current;
  Settings settings;
  settings.error_wording = Profile::Classic;
  Things classic(settings);
  for (const Case& each : kCases) {
    CAPTURE(each.more);
    CHECK(current.update(each.more).json == one(each.enveloped));
    const std::string text = each.enveloped;
    const bool has_wrapper = text.find("string set") != std::string::npos;
    CHECK(classic.update(each.more).json ==
          validation(has_wrapper ? "ExpressionAttributeValues contains invalid value: " + text +
                                       " for key :v"
                                 : text));
  }
  const std::string_view values = R"(,"ExpressionAttributeValues":{":v":{"S":"x"}})";
  CHECK(current.update(values).json ==
        one("ExpressionAttributeValues can only be specified when using expressions"));
  CHECK(classic.update(values).json ==
        validation("ExpressionAttributeValues can only be specified when using expressions: "
                   "UpdateExpression and ConditionExpression are null"));
}

TEST_CASE("update: constraints", "[engine]") {
  Things things;
  const auto answer = [&](std::string_view body) {
    return things.call("UpdateItem", std::string(body)).json;
  };
  const std::string key = R"("TableName":"Things","Key":{"pk":{"S":"a"}},)";
  // A wrong ReturnValues is reported alone.
  CHECK(
      answer(
          "{" + key +
          R"("ReturnConsumedCapacity":"X","ReturnValues":"X","ReturnItemCollectionMetrics":"X"})") ==
      one("Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, "
          "UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"));
  CHECK(
      answer("{" + key + R"("AttributeUpdates":{"a":{"Action":"INC"}}})") ==
      one("Value 'INC' at 'attributeUpdates.a.member.action' failed to satisfy constraint: Member "
          "must satisfy enum value set: [ADD, PUT, DELETE]"));
  // Without a key the texts are the classic ones, and all of them.
  CHECK(
      answer(
          R"({"TableName":"","UpdateExpression":"SET a = b","ReturnConsumedCapacity":"X","ReturnValues":"X"})") ==
      validation("4 validation errors detected: Value 'X' at 'returnConsumedCapacity' failed to "
                 "satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]; "
                 "Value '' at 'tableName' failed to satisfy constraint: Member must have length "
                 "greater than or equal to 1; Value 'X' at 'returnValues' failed to satisfy "
                 "constraint: Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, "
                 "NONE, UPDATED_NEW]; Value null at 'key' failed to satisfy constraint: Member "
                 "must not be null"));
  CHECK(
      answer(R"({"TableName":"Things","ConditionalOperator":"XOR"})") ==
      validation("2 validation errors detected: Value 'XOR' at 'conditionalOperator' failed to "
                 "satisfy constraint: Member must satisfy enum value set: [OR, AND]; Value null at "
                 "'key' failed to satisfy constraint: Member must not be null"));
}

TEST_CASE("update: key attributes stay as they are", "[engine]") {
  Indexed things;
  const auto part = [](std::string_view name) {
    return validation("One or more parameter values were invalid: Cannot update attribute " +
                      std::string(name) + ". This attribute is part of the key");
  };
  const std::string_view value = R"({":v":{"NS":["1"]}})";
  CHECK(things.update("SET la = :v, sk = :v", value).json == part("sk"));
  CHECK(things.update("DELETE sk :v REMOVE pk", value).json == part("pk"));
  CHECK(things.update("SET pk = pk.b + pk[1]", "").json == part("pk"));
  CHECK(things.update("ADD sk.x :v", value).json == part("sk"));
  CHECK(things.update(R"(,"AttributeUpdates":{"la":{"Value":{"N":"1"}},"sk":{"Action":"DELETE"}})")
            .json == part("sk"));
  CHECK(things.item().empty());
}

TEST_CASE("update: index keys keep their type", "[engine]") {
  Indexed things;
  const auto mismatch = [](std::string_view text) {
    return validation("One or more parameter values were invalid: Type mismatch for Index Key " +
                      std::string(text));
  };
  // What the request alone tells comes before the condition.
  const std::string_view never = R"x(,"ConditionExpression":"attribute_exists(pk)")x";
  CHECK(things.update("SET la = :v", R"({":v":{"N":"1"}})", never).json ==
        mismatch("la Expected: S Actual: N IndexName: by_la"));
  CHECK(things.update("ADD la :v SET x.a = :v", R"({":v":{"N":"1"}})", never).json ==
        mismatch("la Expected: S Actual: N IndexName: by_la"));
  CHECK(things.update("SET z1 = gh - :v", R"({":v":{"N":"1"}})").json ==
        mismatch("z1 Expected: B Actual: N IndexName: by_many"));
  CHECK(things.update("SET gh = list_append(q, q)", "").json ==
        mismatch("gh Expected: N Actual: L IndexName: by_gh"));
  CHECK(things.update(R"(,"AttributeUpdates":{"gh":{"Value":{"S":"1"}}})").json ==
        mismatch("gh Expected: N Actual: S IndexName: by_gh"));
  const auto scalar = [](std::string_view text) {
    return validation(
        "Key attributes must be scalars; list random access '[]' and map lookup '.' "
        "are not allowed: " +
        std::string(text));
  };
  CHECK(things.update("SET la[1] = :v", R"({":v":{"N":"1"}})").json == scalar("IndexKey: la"));
  CHECK(things.update("SET q = if_not_exists(r, x.y)", "").json == scalar("IndexKey: x"));
  CHECK(things.update("SET q = sk.r", "").json == scalar("Key: sk"));
  const auto empty = [](std::string_view kind) {
    return validation(
        "One or more parameter values are not valid. The update expression attempted "
        "to update a secondary index key to a value that is not supported. The "
        "AttributeValue for a key attribute cannot contain an empty " +
        std::string(kind) + " value.");
  };
  CHECK(things.update("SET la = :v", R"({":v":{"S":""}})").json == empty("string"));
  CHECK(things.update("SET z2 = :v", R"({":v":{"B":""}})").json == empty("binary"));

  // What the item tells comes behind it.
  REQUIRE(things.update("SET n = :n, t = :t", R"({":n":{"N":"1"},":t":{"S":""}})").ok);
  const std::string before = things.item();
  const std::string unsupported = validation(
      "The update expression attempted to update the secondary index key to unsupported type");
  CHECK(things.update("SET la = n", "", R"x(,"ConditionExpression":"attribute_not_exists(pk)")x")
            .json == std::string(kFailed) + "}");
  CHECK(things.update("SET la = n", "").json == unsupported);
  CHECK(things.update("SET gh = if_not_exists(q, t)", "").json == unsupported);
  CHECK(things.update("SET la = t", "").json == empty("string"));
  CHECK(things.update("SET la = :v", R"({":v":{"S":")" + std::string(1025, 'k') + "\"}}").json ==
        validation("The update expression attempted to update the secondary index key beyond "
                   "allowed size limits"));
  // Sort keys of one index share their limit.
  const std::string half = R"({":v":{"B":")" + std::string(684, 'A') + "\"}}";  // 513 bytes
  CHECK(things.update("SET z1 = :v", half).json == "{}");
  CHECK(things.update("SET z2 = :v", half).json ==
        validation("The update expression attempted to update the secondary index key beyond "
                   "allowed size limits"));
  CHECK(things.update("REMOVE z1", "").json == "{}");
  CHECK(things.item() == before);
}

TEST_CASE("update: an index made later asks nothing of attributes that stay", "[engine]") {
  Things things;
  things.put(R"({"pk":{"S":"a"},"g":{"S":"no number"}})");
  REQUIRE(
      things
          .call(
              "UpdateTable",
              R"({"TableName":"Things","AttributeDefinitions":[{"AttributeName":"g","AttributeType":"N"}],)"
              R"("GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"by_g","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],)"
              R"("Projection":{"ProjectionType":"ALL"}}}]})")
          .ok);
  CHECK(things.update("SET n = :n", R"({":n":{"N":"1"}})").json == "{}");
  CHECK(things.item() == R"({"g":{"S":"no number"},"n":{"N":"1"},"pk":{"S":"a"}})");
  CHECK(things.update("SET g = if_not_exists(g, n)", "").json ==
        validation("The update expression attempted to update the secondary index key to "
                   "unsupported type"));
}

TEST_CASE("update: a refused update changes nothing", "[engine]") {
  Things things;
  constexpr std::string_view kItem =
      R"({"l":{"L":[]},"m":{"M":{"d":{"N":"1"}}},"pk":{"S":"a"},"w":{"S":"x"}})";
  things.put(kItem);
  struct Case {
    const char* expression;
    const char* message;
  };
  constexpr Case kCases[] = {
      {"SET n = :n, q = lost",
       "The provided expression refers to an attribute that does not exist in the item"},
      {"SET n = :n, q = w + :n", "An operand in the update expression has an incorrect data type"},
      {"SET n = :n, w.x = :n",
       "The document path provided in the update expression is invalid for update"},
      {"ADD n :n, w :n", "An operand in the update expression has an incorrect data type"},
  };
  for (const Case& each : kCases) {
    CAPTURE(each.expression);
    CHECK(things.update(each.expression, R"({":n":{"N":"1"}})").json == validation(each.message));
    CHECK(things.item() == kItem);
  }
  CHECK(
      things
          .update(
              R"(,"AttributeUpdates":{"n":{"Value":{"N":"1"}},"w":{"Action":"ADD","Value":{"N":"1"}}})")
          .json == validation("Type mismatch for attribute to update"));
  CHECK(things.item() == kItem);
  // A value fits the limit where it was, but not where it goes.
  std::string deep = R"({"S":"x"})";
  for (int level = 0; level < 31; ++level) deep = R"({"M":{"k":)" + deep + "}}";
  CHECK(things.update("SET deep = :v", R"({":v":)" + deep + "}").json == "{}");
  CHECK(things.update("SET m.d = deep", "").json ==
        validation("Nesting Levels have exceeded supported limits: Attributes in the item have "
                   "nested levels beyond supported limit"));
  CHECK(things.update("SET m.d = deep.k REMOVE deep", "").json == "{}");
}

TEST_CASE("update: the size of an item to update", "[engine]") {
  // pk: 3 bytes. The update counts 3 bytes and 19 for each value written, 2 for each cleared.
  const auto is_accepted = [](std::size_t item_bytes, std::string_view expression,
                              std::size_t rest_bytes) {
    Things things;
    const std::string text(item_bytes - rest_bytes, 'x');
    const Answer answer = things.update(expression, R"({":v":{"S":")" + text + "\"}}");
    if (answer.ok) return true;
    CHECK(answer.json == validation("Item size to update has exceeded the maximum allowed size"));
    CHECK(things.item().empty());
    return false;
  };
  constexpr std::size_t kMax = limits::kItemBytesMax;
  // pk, b: 4 bytes beside the text.
  CHECK(is_accepted(kMax + 3 - 22, "SET b = :v", 4));
  CHECK_FALSE(is_accepted(kMax + 3 - 22 + 1, "SET b = :v", 4));
  CHECK(is_accepted(kMax + 3 - 24, "SET b = :v REMOVE c", 4));
  CHECK_FALSE(is_accepted(kMax + 3 - 24 + 1, "SET b = :v REMOVE c", 4));
  // pk, b, c: 7 bytes beside the text, with the a of pk copied into c.
  CHECK(is_accepted(kMax + 3 - 41, "SET b = :v, c = pk", 6));
  CHECK_FALSE(is_accepted(kMax + 3 - 41 + 1, "SET b = :v, c = pk", 6));

  // A long key outweighs the cost of the update: the item itself is measured.
  EngineHarness engine;
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  const std::string key(1000, 'k');
  const auto update = [&](std::size_t item_bytes) {
    const std::string text(item_bytes - 1003, 'x');
    return engine
        .call(
            "UpdateItem",
            R"({"TableName":"Things","Key":{"pk":{"S":")" + key +
                R"("}},"UpdateExpression":"SET b = :v","ExpressionAttributeValues":{":v":{"S":")" +
                text + "\"}}}")
        .ok;
  };
  CHECK_FALSE(update(kMax + 1));
  CHECK(update(kMax));
}

TEST_CASE("update: entries of local indexes count with the item", "[engine]") {
  // The entry has pk, sk and la, 1032 bytes; the item pk, sk, b and la.
  const auto update = [](std::size_t item_bytes) {
    Indexed things;
    const std::string text(item_bytes - 3 - 3 - 1 - 1026, 'x');
    REQUIRE(things.update("SET b = :v", R"({":v":{"S":")" + text + "\"}}").ok);
    return things.update("SET la = :v", R"({":v":{"S":")" + std::string(1024, 'l') + "\"}}").json;
  };
  CHECK(update(limits::kItemBytesMax - 1032) == "{}");
  CHECK(update(limits::kItemBytesMax - 1032 + 1) ==
        validation("Item size to update has exceeded the maximum allowed size"));
}

TEST_CASE("update: units", "[engine]") {
  Things things;
  const std::string_view total = R"(,"ReturnConsumedCapacity":"TOTAL")";
  const auto text = [](std::size_t size_bytes) {
    return R"({":v":{"S":")" + std::string(size_bytes, 'x') + "\"}}";
  };
  CHECK(things.update("SET v = :v", text(3000), total).json ==
        R"({"ConsumedCapacity":{"TableName":"Things","CapacityUnits":3.0}})");
  CHECK(things.update("SET v = :v", text(1), total).member("CapacityUnits") == "3.0");
  CHECK(
      things.update("SET v = :v", text(5000), R"(,"ReturnConsumedCapacity":"INDEXES")").json ==
      R"({"ConsumedCapacity":{"TableName":"Things","CapacityUnits":5.0,"Table":{"CapacityUnits":5.0}}})");
  CHECK(things.update("").units_milli == 5000);
  CHECK(things.update("REMOVE v", "").units_milli == 5000);
  CHECK(things.update("REMOVE v", "").units_milli == 1000);
}

TEST_CASE("update: a failed condition costs what the larger item would", "[engine]") {
  Things things;
  const auto failing = [&](std::string_view expression, std::size_t size_bytes) {
    const std::string values = R"({":v":{"S":")" + std::string(size_bytes, 'x') + "\"}}";
    const Answer answer =
        things.update(expression, values, R"(,"ConditionExpression":"lost = :v")");
    CHECK(answer.json == std::string(kFailed) + "}");
    return answer.units_milli;
  };
  // Without an item it is one unit.
  CHECK(failing("SET v = :v", 3000) == 1000);
  REQUIRE(things.update("SET v = :v", R"({":v":{"S":")" + std::string(2000, 'x') + "\"}}").ok);
  CHECK(failing("SET v = :v", 3000) == 3000);
  CHECK(failing("SET v = :v", 10) == 2000);
  // An update that fails itself proposes nothing.
  CHECK(failing("SET w = :v, q = gone", 3000) == 2000);
}

TEST_CASE("update: index entries follow", "[engine]") {
  Indexed things;
  const std::string_view indexes = R"(,"ReturnConsumedCapacity":"INDEXES")";
  const auto consumed = [&](std::string_view expression, std::string_view values) {
    const Answer answer = things.update(expression, values, indexes);
    if (!answer.ok) FAIL(answer.json);
    return answer.member("ConsumedCapacity");
  };
  const std::string table = R"({"TableName":"Things","CapacityUnits":)";
  CHECK(
      consumed("SET la = :l, gh = :g", R"({":l":{"S":"x"},":g":{"N":"1"}})") ==
      table +
          R"(3.0,"Table":{"CapacityUnits":1.0},"LocalSecondaryIndexes":{"by_la":{"CapacityUnits":1.0}},)"
          R"("GlobalSecondaryIndexes":{"by_gh":{"CapacityUnits":1.0}}})");
  CHECK(consumed("SET misc = :l", R"({":l":{"S":"x"}})") ==
        table + R"(1.0,"Table":{"CapacityUnits":1.0}})");
  CHECK(
      consumed("SET la = :l, note = :l", R"({":l":{"S":"y"}})") ==
      table +
          R"(4.0,"Table":{"CapacityUnits":1.0},"LocalSecondaryIndexes":{"by_la":{"CapacityUnits":2.0}},)"
          R"("GlobalSecondaryIndexes":{"by_gh":{"CapacityUnits":1.0}}})");
  CHECK(
      consumed("REMOVE gh", "") ==
      table +
          R"(2.0,"Table":{"CapacityUnits":1.0},"GlobalSecondaryIndexes":{"by_gh":{"CapacityUnits":1.0}}})");
  const Answer metrics =
      things.update(R"(,"ReturnItemCollectionMetrics":"SIZE","ReturnValues":"UPDATED_NEW")");
  CHECK(
      metrics.json ==
      R"({"ItemCollectionMetrics":{"ItemCollectionKey":{"pk":{"S":"a"}},"SizeEstimateRangeGB":[0.0,1.0]}})");
}
