// Bodies as long as they may be.
#include <string>
#include <string_view>

#include "tests/model/request_costs/cases.h"

namespace stator::costs {
namespace {

// `piece` as often as the body has room for it.
std::string full(const Scale& scale, const std::string& piece) {
  return repeated(piece, scale.body() / (piece.size() + 1));
}

// Members whose names differ, each with the value; each twice over with `twice`, the second with
// `then`.
std::string named(const Scale& scale, const std::string& mark, const std::string& value,
                  const std::string& then = "") {
  std::string text;
  const std::size_t count =
      scale.body() / (2 * (mark.size() + 12) + value.size() + then.size()) * (then.empty() ? 2 : 1);
  for (int round = 0; round < (then.empty() ? 1 : 2); ++round) {
    for (std::size_t i = 0; i < count && text.size() < scale.body(); ++i) {
      text.append(text.empty() ? "\"" : ",\"").append(mark).append(digits(i, 7)).append("\":");
      text.append(round == 0 ? value : then);
    }
  }
  return text;
}

// Members with the value whose names are as short as so many can be, in no order.
std::string named_shortly(const Scale& scale, const std::string& value) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  constexpr std::size_t kNames =
      kLetters.size() * kLetters.size() * kLetters.size() * kLetters.size();
  std::string text;
  for (std::size_t i = 0; i < kNames && text.size() < scale.body(); ++i) {
    text.append(text.empty() ? "\"" : ",\"");
    for (std::size_t name = i * 7'368'787 % kNames, j = 0; j < 4; ++j, name /= kLetters.size())
      text.push_back(kLetters[name % kLetters.size()]);
    text.append("\":").append(value);
  }
  return text;
}

// Strings of seven digits, in no order.
std::string shuffled(const Scale& scale, std::size_t bytes, Random& random) {
  std::string text;
  const std::size_t start = random() % 1'000'000;
  for (std::size_t i = 0; text.size() < scale.item(bytes); ++i) {
    text.append(text.empty() ? "\"" : ",\"");
    text.append(digits((start + i * 7'368'787) % 10'000'000, 7)).append("\"");
  }
  return text;
}

const std::string kKey = R"("Key":{"pk":{"S":"text"},"sk":{"S":"1"}})";

}  // namespace

std::string table_of_indexes() {
  std::string attributes = R"({"AttributeName":"pk","AttributeType":"S"})";
  std::string indexes;
  for (int index = 0; index < 20; ++index) {
    std::string keys;
    for (int key = 0; key < 8; ++key) {
      const std::string name =
          R"({"AttributeName":"k)" + std::to_string(index) + "_" + std::to_string(key) + "\"";
      attributes += "," + name + R"(,"AttributeType":"S"})";
      keys +=
          (key == 0 ? "" : ",") + name + R"(,"KeyType":")" + (key < 4 ? "HASH" : "RANGE") + "\"}";
    }
    indexes += (index == 0 ? "" : ",") + (R"({"IndexName":"index)" + std::to_string(index)) +
               R"(","KeySchema":[)" + keys + R"(],"Projection":{"ProjectionType":"ALL"}})";
  }
  return R"({"TableName":"iii","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[)" +
         attributes + R"(],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],)" +
         R"("GlobalSecondaryIndexes":[)" + indexes + "]}";
}

std::vector<Case> bodies(const Scale& scale, Random& random) {
  std::vector<Case> cases;
  const auto add = [&](const std::string& name, const std::string& operation,
                       const std::string& members) {
    cases.push_back({"body: " + name, operation, R"({"TableName":"ttt",)" + members + "}"});
  };
  for (const std::string piece :
       {"1", "12345678901234567890", "1e999", "-1.5e10", "\"\"", "\"a\"", "null", "true", "{}",
        "[]", "[[]]", R"({"":1})", R"("\u0061")", R"("\n")", R"({"a":{"b":[]}})"}) {
    add("unknown member of " + piece, "GetItem", kKey + R"(,"x":[)" + full(scale, piece) + "]");
    add("list of " + piece, "PutItem", R"("Item":{"pk":{"L":[)" + full(scale, piece) + "]}}");
    add("strings of " + piece, "GetItem",
        kKey + R"(,"AttributesToGet":[)" + full(scale, piece) + "]");
  }
  for (const std::string piece :
       {R"({"S":""})", R"({"N":"1"})", R"({"M":{}})", R"({"L":[]})", R"({"B":""})",
        R"({"NULL":true})", R"({"SS":["a"]})", R"({"S":"","x":1})", "{}",
        R"({"N":"12345678901234567890123456789012345678e-20"})"}) {
    add("values " + piece, "PutItem", R"("Item":{"pk":{"L":[)" + full(scale, piece) + "]}}");
    add("compared values " + piece, "DeleteItem",
        kKey + R"(,"ConditionExpression":"a = :v","ExpressionAttributeValues":{":v":{"L":[)" +
            full(scale, piece) + "]}}");
  }
  add("unknown members", "GetItem", kKey + "," + named(scale, "", "1"));
  add("attributes", "PutItem", R"("Item":{)" + named(scale, "", R"({"S":""})") + "}");
  add("attributes replaced", "PutItem",
      R"("Item":{)" + named(scale, "", "{}", R"({"S":""})") + "}");
  add("members replaced", "PutItem",
      R"("Item":{"pk":{"M":{)" + named(scale, "", "{}", R"({"S":""})") + "}}}");
  add("names", "GetItem",
      kKey + R"(,"ProjectionExpression":"a","ExpressionAttributeNames":{)" +
          named(scale, "#", "\"\"") + "}");
  add("values", "DeleteItem",
      kKey + R"(,"ConditionExpression":"a = :0000001","ExpressionAttributeValues":{)" +
          named(scale, ":", R"({"S":""})") + "}");
  for (const std::string type : {"SS", "NS", "BS"}) {
    const std::string set = "{\"" + type + "\":[" + shuffled(scale, 15'900'000, random) + "]}";
    const std::string same = "{\"" + type + "\":[" + full(scale, "\"1234567\"") + "]}";
    add(type + " of many", "PutItem",
        R"("Item":{"pk":)" + (type == "BS" ? "{\"BS\":[" + full(scale, "\"YWFh\"") + "]}" : set) +
            "}");
    add(type + " of the same", "PutItem", R"("Item":{"pk":)" + same + "}");
  }
  add("number of digits", "PutItem",
      R"("Item":{"pk":{"N":")" + std::string(scale.body(), '1') + R"("}})");
  add("number of zeros", "PutItem",
      R"("Item":{"pk":{"N":"1)" + std::string(scale.body(), '0') + R"("}})");
  add("escapes", "PutItem",
      R"("Item":{"pk":{"S":")" + repeated("\\u00e9", scale.body() / 6, "") + R"("}})");
  add("quotes", "PutItem",
      R"("Item":{"pk":{"S":")" + repeated("\\\"", scale.body() / 2, "") + R"("}})");
  add("binary", "PutItem",
      R"("Item":{"pk":{"B":")" + std::string(scale.body() / 4 * 4, 'Y') + R"("}})");
  add("attributes to get", "GetItem",
      kKey + R"(,"AttributesToGet":[)" + shuffled(scale, 15'900'000, random) + "]");
  add("Expected", "PutItem",
      R"("Item":{"pk":{"S":"x"},"sk":{"S":"x"}},"Expected":{)" +
          named(scale, "", R"({"Exists":false})") + "}");
  add("AttributeUpdates", "UpdateItem",
      kKey + R"(,"AttributeUpdates":{)" + named(scale, "", R"({"Action":"DELETE"})") + "}");
  for (const std::string update : {R"({"Action":"DELETE"})", R"({"Value":{"S":""}})"})
    cases.push_back({"body: AttributeUpdates beside index keys " + update, "UpdateItem",
                     R"({"TableName":"iii","Key":{"pk":{"S":"x"}},"AttributeUpdates":{)" +
                         named(scale, "", update) + "}}"});
  add("attributes with short names", "PutItem",
      R"("Item":{)" + named_shortly(scale, R"({"S":""})") + "}");
  add("Expected with short names", "PutItem",
      R"("Item":{"pk":{"S":"x"},"sk":{"S":"x"}},"Expected":{)" +
          named_shortly(scale, R"({"Exists":false})") + "}");
  add("Expected values with short names", "PutItem",
      R"("Item":{"pk":{"S":"x"},"sk":{"S":"x"}},"Expected":{)" +
          named_shortly(scale, R"({"Value":{"S":""}})") + "}");
  for (const std::string update : {"{}", R"({"Action":"DELETE"})", R"({"Value":{"S":""}})"})
    add("AttributeUpdates with short names " + update, "UpdateItem",
        kKey + R"(,"AttributeUpdates":{)" + named_shortly(scale, update) + "}");
  add("ScanFilter", "Scan",
      R"("ScanFilter":{)" + named(scale, "", R"({"ComparisonOperator":"NULL"})") + "}");
  add("Contains list", "Scan",
      R"("ScanFilter":{"a":{"ComparisonOperator":"IN","AttributeValueList":[)" +
          full(scale, R"({"S":""})") + "]}}");
  const std::string lookup = R"({"pk":{"S":"a"},"sk":{"S":"b"}})";
  cases.push_back({"body: many keys", "BatchGetItem",
                   R"({"RequestItems":{"ttt":{"Keys":[)" + full(scale, lookup) + "]}}}"});
  cases.push_back({"body: many tables", "BatchGetItem",
                   R"({"RequestItems":{)" + named(scale, "ttt", R"({"Keys":[{}]})") + "}}"});
  cases.push_back({"body: many tables in no order", "BatchGetItem",
                   R"({"RequestItems":{)" + named_shortly(scale, R"({"Keys":[{}]})") + "}}"});
  cases.push_back(
      {"body: many writes", "BatchWriteItem",
       R"({"RequestItems":{"ttt":[)" + full(scale, R"({"DeleteRequest":{"Key":{}}})") + "]}}"});
  cases.push_back({"body: empty writes of a table with a wrong name", "BatchWriteItem",
                   R"({"RequestItems":{"t!":[)" + full(scale, "{}") + "]}}"});
  cases.push_back({"body: nested", "PutItem",
                   R"({"x":)" + repeated(std::string(990, '[') + std::string(990, ']'), 1) +
                       R"(,"y":[)" + full(scale, std::string(900, '[') + std::string(900, ']')) +
                       "]}"});
  return cases;
}

}  // namespace stator::costs
