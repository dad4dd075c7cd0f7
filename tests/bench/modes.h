// What the load of the bench can ask for: the tables, and the requests of each mode with what their
// answers must contain.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bench/item.h"

namespace bench {

// ------------------------------------------------------------------------------------------------
// Tables
//
//   bench    10,000 items by pk
//   sorted   10 items in each of 1,000 partitions
//   pages    2,000 items, 1.4 MB, in each of 16 partitions
//   indexed  as `sorted`, with a global index by email and age
//   streamed as `sorted`, with a stream of both images
//   small    small items, as many as told, ten in each partition
//   tiny     140,000 items of nothing but a key, two full pages of a scan and a bit
//   fresh    empty; every request of its modes puts another item, by pk

inline constexpr int kSortedPartitions = 1'000;
inline constexpr int kItemsInPartition = 10;
inline constexpr int kPagePartitions = 16;
inline constexpr int kItemsInPagePartition = 2'000;
inline constexpr int kTinyItems = 140'000;

// Bodies of CreateTable.
inline std::string create_table(std::string_view name) {
  std::string attributes = R"({"AttributeName":"pk","AttributeType":"S"})";
  std::string keys = R"({"AttributeName":"pk","KeyType":"HASH"})";
  std::string more;
  if (name != "bench" && name != "fresh") {
    attributes += R"(,{"AttributeName":"sk","AttributeType":"S"})";
    keys += R"(,{"AttributeName":"sk","KeyType":"RANGE"})";
  }
  if (name == "indexed") {
    attributes +=
        R"(,{"AttributeName":"email","AttributeType":"S"},{"AttributeName":"age","AttributeType":"N"})";
    more =
        R"(,"GlobalSecondaryIndexes":[{"IndexName":"by-email","KeySchema":[)"
        R"({"AttributeName":"email","KeyType":"HASH"},{"AttributeName":"age","KeyType":"RANGE"}],)"
        R"("Projection":{"ProjectionType":"ALL"}}])";
  }
  if (name == "streamed")
    more = R"(,"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"})";
  return R"({"TableName":")" + std::string(name) + R"(","BillingMode":"PAY_PER_REQUEST",)" +
         R"("AttributeDefinitions":[)" + attributes + R"(],"KeySchema":[)" + keys + "]" + more +
         "}";
}

inline std::string put_body(std::string_view table, const std::string& item) {
  return R"({"TableName":")" + std::string(table) + R"(","Item":)" + item + "}";
}

// ------------------------------------------------------------------------------------------------
// Modes

struct Body {
  std::string_view operation;
  std::string text;
  std::string_view expected;  // occurs in every answer
};

inline Body get_item(int n) {
  return {"GetItem", R"({"TableName":"bench","Key":{)" + string_attribute("pk", item_key(n)) + "}}",
          R"({"Item":{)"};
}

// The bare server answers with an item.
inline Body put_item(int n) { return {"PutItem", put_body("bench", item_json(n)), "{"}; }

inline Body update_item(int n) {
  return {"UpdateItem",
          R"({"TableName":"bench","Key":{)" + string_attribute("pk", item_key(n)) +
              R"(},"UpdateExpression":"SET age = age + :one, joined = :now",)"
              R"("ConditionExpression":"attribute_exists(pk) AND age >= :zero",)"
              R"("ExpressionAttributeValues":{":one":{"N":"1"},":zero":{"N":"0"},)"
              R"(":now":{"S":"2026-11-21T09:31:00.000Z"}}})",
          "{}"};
}

inline std::string query_of(std::string_view table, const std::string& partition) {
  return R"({"TableName":")" + std::string(table) +
         R"(","KeyConditionExpression":"pk = :pk","ExpressionAttributeValues":{)" +
         string_attribute(":pk", partition) + "}}";
}

inline Body query(int n) {
  return {"Query", query_of("sorted", item_key(n % kSortedPartitions)), R"("Count":10)"};
}

inline Body query_page(int n) {
  return {"Query", query_of("pages", item_key(n % kPagePartitions)), R"("LastEvaluatedKey")"};
}

// `start` is an ExclusiveStartKey, or empty.
inline std::string starting_at(const std::string& start) {
  return start.empty() ? "}" : R"(,"ExclusiveStartKey":)" + start + "}";
}

inline Body scan_page(const std::string& start) {
  const std::string text = R"({"TableName":"pages","FilterExpression":"age > :age",)"
                           R"("ExpressionAttributeValues":{":age":{"N":"99"}})";
  return {"Scan", text + starting_at(start), R"("Count":0)"};
}

inline Body scan_tiny(const std::string& start) {
  return {"Scan", R"({"TableName":"tiny")" + starting_at(start), R"("Items":[{)"};
}

template <int kCount>
Body batch_get_of(int n) {
  std::string keys;
  for (int i = 0; i < kCount; ++i) {
    keys += (i == 0 ? "{" : ",{") + string_attribute("pk", item_key(n + i * 97)) + "}";
  }
  return {"BatchGetItem", R"({"RequestItems":{"bench":{"Keys":[)" + keys + "]}}}",
          R"("UnprocessedKeys":{})"};
}

inline Body batch_get(int n) { return batch_get_of<100>(n); }

template <int kCount>
Body transact_get_of(int n) {
  std::string gets;
  for (int i = 0; i < kCount; ++i) {
    gets += (i == 0 ? "" : ",") + (R"({"Get":{"TableName":"bench","Key":{)" +
                                   string_attribute("pk", item_key(n + i * 97)) + "}}}");
  }
  return {"TransactGetItems", R"({"TransactItems":[)" + gets + "]}", R"("Responses":[{"Item":)"};
}

template <int kCount>
Body transact_write_of(int n) {
  std::string puts;
  for (int i = 0; i < kCount; ++i) {
    puts += (i == 0 ? "" : ",") +
            (R"({"Put":{"TableName":"bench","Item":)" + item_json(n + i * 97) + "}}");
  }
  return {"TransactWriteItems", R"({"TransactItems":[)" + puts + "]}", "{}"};
}

// As large as a transaction can be.
inline Body transact_write_large(int n) {
  std::string puts;
  for (int i = 0; i < 100; ++i) {
    puts += (i == 0 ? "" : ",") + (R"({"Put":{"TableName":"bench","Item":{)" +
                                   string_attribute("pk", "large#" + digits(n * 100 + i, 6)) +
                                   R"(,"fill":{"S":")" + std::string(40'000, 'f') + R"("}}}})");
  }
  return {"TransactWriteItems", R"({"TransactItems":[)" + puts + "]}", "{}"};
}

// Conditions that search the items of the one above for many texts which are not there.
inline Body transact_search(int n) {
  std::string terms, values, checks;
  for (int i = 0; i < 150; ++i) {
    const std::string name = ":" + digits(i, 3);
    terms += (i == 0 ? "(contains(fill," : " OR contains(fill,") + name + ")";
    values += (i == 0 ? "" : ",") + string_attribute(name, std::string(20, 'f') + digits(i, 3));
  }
  terms += ")";
  for (int i = 0; i < 100; ++i) {
    checks += (i == 0 ? "" : ",") + (R"({"ConditionCheck":{"TableName":"bench","Key":{)" +
                                     string_attribute("pk", "large#" + digits(n * 100 + i, 6)) +
                                     R"(},"ConditionExpression":"NOT )" + terms +
                                     R"(","ExpressionAttributeValues":{)" + values + "}}}");
  }
  return {"TransactWriteItems", R"({"TransactItems":[)" + checks + "]}", "{}"};
}

// BatchWriteItem of 25 puts.
template <class ItemOf>
Body batch_write_of(std::string_view table, ItemOf item_of) {
  std::string puts;
  for (int i = 0; i < 25; ++i) {
    puts += (i == 0 ? "" : ",") + (R"({"PutRequest":{"Item":)" + item_of(i) + "}}");
  }
  return {"BatchWriteItem", R"({"RequestItems":{")" + std::string(table) + "\":[" + puts + "]}}",
          R"("UnprocessedItems":{})"};
}

inline Body batch_write(int n) {
  return batch_write_of("bench", [n](int i) { return item_json(n + i * 97); });
}

// With ages that change, so that entries of the index move, and streams have something to tell.
inline Body put_changed(std::string_view table, int n) {
  constexpr std::string_view kAge = R"("age":{"N":"37"})";
  std::string item = item_json(n % kSortedPartitions, n % kItemsInPartition);
  item.replace(item.find(kAge), kAge.size(),
               R"("age":{"N":")" + digits(10 + n / kSortedPartitions, 2) + R"("})");
  return {"PutItem", put_body(table, item), "{}"};
}
inline Body put_indexed(int n) { return put_changed("indexed", n); }
inline Body put_streamed(int n) { return put_changed("streamed", n); }

inline Body delete_indexed(int n) {
  return {"DeleteItem",
          R"({"TableName":"indexed","Key":{)" +
              string_attribute("pk", item_key(n % kSortedPartitions)) + "," +
              string_attribute("sk", sort_key(n % kItemsInPartition)) + "}}",
          "{}"};
}

inline Body query_index(int n) {
  return {"Query",
          R"({"TableName":"indexed","IndexName":"by-email","Limit":10,"ScanIndexForward":)" +
              std::string(n % 2 == 0 ? "true" : "false") +
              R"(,"KeyConditionExpression":"email = :e AND age > :age",)"
              R"("ExpressionAttributeValues":{":age":{"N":"7"},)" +
              string_attribute(":e", "aurelia.winterbourne@example.com") + "}}",
          R"("Items":[)"};
}

// ------------------------------------------------------------------------------------------------
// Statements, with their values as parameters

inline Body statement(std::string_view text, std::string_view parameters,
                      std::string_view expected) {
  return {"ExecuteStatement",
          R"({"Statement":")" + std::string(text) + R"(","Parameters":[)" +
              std::string(parameters) + "]}",
          expected};
}

inline Body select_item(int n) {
  return statement("SELECT * FROM bench WHERE pk = ?", R"({"S":")" + item_key(n) + R"("})",
                   R"({"Items":[{")");
}

inline Body select_page(int n) {
  return statement("SELECT * FROM pages WHERE pk = ?",
                   R"({"S":")" + item_key(n % kPagePartitions) + R"("})", R"("LastEvaluatedKey")");
}

// The number of an item that is new to the table, with its mark, where the load writes the next.
inline constexpr std::string_view kFreshMark = "new#";
inline constexpr int kFreshDigits = 10;

inline Body put_fresh(int n) {
  const std::string key = std::string(kFreshMark) + digits(n, kFreshDigits);
  return {"PutItem", put_body("fresh", item_json(string_attribute("pk", key), 2 + key.size())),
          "{}"};
}

// The same item.
inline Body insert_fresh(int n) {
  const std::string key = std::string(kFreshMark) + digits(n, kFreshDigits);
  const std::string bio(451 - 2 - key.size(), 'b');
  return statement(
      "INSERT INTO fresh VALUE {'pk': ?, 'name': ?, 'email': ?, 'age': ?, 'balance': ?, "
      "'active': ?, 'joined': ?, 'address': ?, 'roles': ?, 'scores': ?, 'bio': ?}",
      R"({"S":")" + key +
          R"("},{"S":"Aurelia Winterbourne-Castellanos"},)"
          R"({"S":"aurelia.winterbourne@example.com"},{"N":"37"},{"N":"10482.75"},)"
          R"({"BOOL":true},{"S":"2026-11-20T08:30:00.000Z"},)"
          R"({"M":{"street":{"S":"1024 Harbour Lane"},"city":{"S":"Port Meridian"},)"
          R"("zip":{"S":"04-217"},"floor":{"N":"3"}}},{"SS":["auditor","editor","owner"]},)"
          R"({"L":[{"N":"12"},{"N":"7.5"},{"N":"-3"},{"S":"void"},{"NULL":true}]},)"
          R"({"S":")" +
          bio + R"("})",
      R"({"Items":[]})");
}

inline Body small_get(int n) {
  return {"GetItem", R"({"TableName":"small","Key":)" + small_key_json(n) + "}", R"({"Item":{)"};
}
inline Body small_put(int n) { return {"PutItem", put_body("small", small_item_json(n)), "{}"}; }
inline Body small_query(int n) {
  return {"Query", query_of("small", small_partition(n)), R"("Count":10)"};
}
// The n-th batch of 25 when the table is filled.
inline Body small_batch(int n) {
  return batch_write_of("small", [n](int i) { return small_item_json(n * 25 + i); });
}
inline Body tiny_batch(int n) {
  return batch_write_of("tiny", [n](int i) { return small_key_json(n * 25 + i); });
}

// A mode's requests differ in a number: `variants` of them are made beforehand. The small ones take
// numbers below the count of items; one that puts fresh items is given another number each time.
struct Mode {
  std::string_view name;
  Body (*body)(int number);
  int variants;
};

inline constexpr int kSmallVariants = 200'000;

inline constexpr Mode kModes[] = {
    {"getitem", get_item, kKeys},
    {"putitem", put_item, kKeys},
    {"updateitem", update_item, kKeys},
    {"query", query, kSortedPartitions},
    {"querypage", query_page, kPagePartitions},
    {"batchget", batch_get, 500},
    {"batchget25", batch_get_of<25>, 500},
    {"batchwrite", batch_write, 500},
    {"transactget25", transact_get_of<25>, 500},
    {"transactwrite4", transact_write_of<4>, 500},
    {"transactwrite25", transact_write_of<25>, 500},
    {"transactwritelarge", transact_write_large, 8},
    {"transactsearch", transact_search, 8},
    {"putindexed", put_indexed, kKeys},
    {"putstreamed", put_streamed, kKeys},
    {"queryindex", query_index, 2},
    {"selectitem", select_item, kKeys},
    {"selectpage", select_page, kPagePartitions},
    {"putfresh", put_fresh, 1},
    {"insert", insert_fresh, 1},
    {"smallget", small_get, kSmallVariants},
    {"smallput", small_put, kSmallVariants},
    {"smallquery", small_query, kSmallVariants},
};

// A bit of everything, in this proportion.
struct Share {
  Body (*body)(int number);
  int count;
};
inline constexpr Share kMix[] = {{get_item, 300},   {put_item, 150},    {update_item, 150},
                                 {query, 150},      {put_indexed, 150}, {delete_indexed, 50},
                                 {query_index, 50}, {batch_get, 20},    {batch_write, 20},
                                 {query_page, 2}};

}  // namespace bench
