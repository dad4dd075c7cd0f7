// The order of hashes, segments, the ends of pages and what a scan of partitions costs; the rest is
// in tests/cases/engine/scan.cases.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/schema/partitions.h"
#include "engine/storage/keys/partition_hash.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/records/packed_size.h"
#include "tests/unit/engine/harness/read_pages.h"
#include "tests/unit/engine/harness/table_text.h"

using namespace stator;
using namespace stator::test;

namespace {

constexpr std::string_view kScan = R"({"TableName":"Things")";

std::string range_table(const std::string& sort_type) {
  return create_table_request("Things (pk, sk:" + sort_type +
                              ") {ProvisionedThroughput: {ReadCapacityUnits: 5, "
                              "WriteCapacityUnits: 5}}");
}

void put(EngineHarness& engine, const std::string& item) {
  const Answer answer = engine.call("PutItem", R"({"TableName":"Things","Item":)" + item + "}");
  INFO(answer.json);
  REQUIRE(answer.ok);
}

std::string hash_item(std::string_view pk) { return R"({"pk":{"S":")" + std::string(pk) + "\"}}"; }

std::string segment(std::uint64_t number, std::uint64_t total) {
  return R"(,"Segment":)" + std::to_string(number) + R"(,"TotalSegments":)" + std::to_string(total);
}

// The keys pk0 … pkN-1 in the order of a scan.
std::vector<std::string> in_hash_order(int count) {
  std::vector<std::pair<std::uint32_t, std::string>> keys;
  for (int i = 0; i < count; ++i) {
    const std::string pk = "pk" + std::to_string(i);
    keys.emplace_back(storage::partition_hash(pk), hash_item(pk));
  }
  std::sort(keys.begin(), keys.end());
  std::vector<std::string> items;
  for (auto& [hash, item] : keys) items.push_back(std::move(item));
  return items;
}

}  // namespace

TEST_CASE("scan: hash order, pages of every size", "[engine]") {
  EngineHarness engine;
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  for (int i = 0; i < 40; ++i) put(engine, hash_item("pk" + std::to_string(i)));
  const auto expected = in_hash_order(40);
  const std::string body(kScan);
  CHECK(items_of(engine.call("Scan", body + "}")) == expected);
  for (std::size_t limit = 1; limit <= 42; ++limit) {
    INFO(limit);
    const Pages pages = read_pages(engine, "Scan", body, limit);
    CHECK(pages.items == expected);
    CHECK(pages.count == 40 / limit + 1);
  }
  // A start key need not be there.
  const std::string from = R"(,"ExclusiveStartKey":)" + expected[7];
  REQUIRE(engine.call("DeleteItem", R"({"TableName":"Things","Key":)" + expected[7] + "}").ok);
  CHECK(items_of(engine.call("Scan", body + from + "}")) ==
        std::vector<std::string>(expected.begin() + 8, expected.end()));
}

TEST_CASE("scan: segments are disjoint and complete", "[engine]") {
  EngineHarness engine;
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  constexpr int kItems = 300;
  for (int i = 0; i < kItems; ++i) put(engine, hash_item("pk" + std::to_string(i)));
  const auto expected = in_hash_order(kItems);
  const std::string body(kScan);
  for (std::uint64_t total = 1; total <= 17; ++total) {
    INFO(total);
    std::vector<std::string> parts;
    for (std::uint64_t number = 0; number < total; ++number) {
      for (auto& item : read_pages(engine, "Scan", body + segment(number, total), 7).items) {
        parts.push_back(std::move(item));
      }
    }
    CHECK(parts == expected);
  }
  // The border between segments lies on a multiple of a 4096th: of three, the second begins at
  // 1366/4096.
  for (const std::string& item : items_of(engine.call("Scan", body + segment(1, 3) + "}"))) {
    const std::string pk = item.substr(12, item.size() - 15);
    INFO(pk);
    const std::uint32_t place = storage::partition_hash(pk) >> 12;
    CHECK((place >= 1366 && place < 2731));
  }
}

TEST_CASE("scan: very many segments", "[engine]") {
  EngineHarness engine;
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  constexpr int kItems = 60;
  for (int i = 0; i < kItems; ++i) put(engine, hash_item("pk" + std::to_string(i)));
  for (const std::uint64_t total : {4095ULL, 4096ULL, 4097ULL, 65'537ULL, 1'000'000ULL}) {
    for (int i = 0; i < kItems; ++i) {
      const std::string pk = "pk" + std::to_string(i);
      // Around where it must be: exactly one of these has it.
      const std::uint64_t near = storage::partition_hash(pk) * total >> 24;
      int found = 0;
      for (std::uint64_t number = near == 0 ? 0 : near - 1; number < std::min(near + 2, total);
           ++number) {
        const auto items =
            items_of(engine.call("Scan", std::string(kScan) + segment(number, total) + "}"));
        found += static_cast<int>(std::count(items.begin(), items.end(), hash_item(pk)));
      }
      INFO(total << " " << pk);
      CHECK(found == 1);
    }
  }
}

// Pages recorded from the live service: 25 items, of which the last but one decides.
TEST_CASE("scan: a page ends at 1 MB of packed items", "[engine]") {
  const std::string small = R"(,"c":{"N":"12.3456"},"d":{"B":"AQI="},"e":{"SS":["a","bc"]},)"
                            R"("f":{"NS":["1.23","12.3"]},"g":{"BS":["AQI=","Ag==","AQ=="]})";
  // Which item is the last but one depends on the hashes.
  const auto scanned = [&](const std::string& table, bool has_sort_key, std::size_t length,
                           std::size_t length_23) {
    EngineHarness engine;
    REQUIRE(engine.call("CreateTable", table).ok);
    std::vector<std::pair<std::uint32_t, std::string>> keys;
    for (int i = 10; i < 35; ++i) {
      const std::string pk = std::to_string(i);
      keys.emplace_back(storage::partition_hash(pk), pk);
    }
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::string& pk = keys[i].second;
      std::string item = R"({"pk":{"S":")" + pk + "\"}";
      if (has_sort_key) item += R"(,"sk":{"S":")" + pk + "\"}";
      item += R"(,"b":{"S":")" +
              std::string(i == 23   ? length_23
                          : i == 24 ? 1
                                    : length,
                          'b') +
              "\"}";
      put(engine, item + (i == 23 ? small : "") + "}");
    }
    const Answer answer = engine.call("Scan", std::string(kScan) + R"(,"Select":"COUNT"})");
    // The last item brings even the longer page over the limit.
    CHECK(!answer.member("LastEvaluatedKey").empty());
    return answer.member("ScannedCount");
  };
  const std::string hash = hash_table("Things");
  CHECK(scanned(hash, false, 43411, 43366) == "25");
  CHECK(scanned(hash, false, 43411, 43367) == "24");
  CHECK(scanned(range_table("S"), true, 43380, 43359) == "25");
  CHECK(scanned(range_table("S"), true, 43380, 43360) == "24");
}

TEST_CASE("scan: 25 items in a page or one byte too many", "[engine]") {
  struct Recorded {
    std::string sort_type;
    std::size_t digits;  // of the sort key
    std::size_t length, last_length;
    bool has_long_name;
    std::string units;
    bool is_cut;
  };
  const std::vector<Recorded> pages{
      {"S", 6, 41582, 41582, true, "128.0", false},
      {"S", 5, 41596, 41597, false, "127.5", true},
      {"N", 2, 41638, 41652, true, "128.0", false},
      {"N", 2, 41638, 41653, false, "127.5", true},
  };
  for (const Recorded& page : pages) {
    EngineHarness engine;
    REQUIRE(engine.call("CreateTable", range_table(page.sort_type)).ok);
    for (int i = 0; i < 25; ++i) {
      std::string number = std::to_string(i);
      number.insert(0, page.digits - number.size(), '0');
      put(engine, R"({"pk":{"S":"0123456789"},"sk":{")" + page.sort_type + R"(":")" + number +
                      R"("},"c":{"S":"abcde"},")" + std::string(page.has_long_name ? 255 : 1, 'e') +
                      R"(":{"S":")" + std::string(i == 24 ? page.last_length : page.length, 'e') +
                      "\"}}");
    }
    const Answer answer =
        engine.call("Scan", std::string(kScan) + R"(,"ReturnConsumedCapacity":"INDEXES"})");
    INFO(answer.member("ConsumedCapacity") << answer.member("LastEvaluatedKey"));
    CHECK(answer.member("Count") == "25");
    CHECK(answer.member("LastEvaluatedKey").empty() != page.is_cut);
    CHECK(answer.member("Table") == R"({"CapacityUnits":)" + page.units + "}");
  }
}

TEST_CASE("scan: packed sizes of every type", "[engine]") {
  const auto packed = [](Item item) {
    std::string record;
    storage::encode_item(item, record);
    return storage::packed_size_bytes(record, "sk");
  };
  // 2 for the item, 18 for its only piece.
  constexpr std::size_t kItem = 20;
  char number[Number::kOrderedBytesMax];
  Number twelve;
  twelve.digits = 12;
  const std::string_view bytes(number, encode_number(twelve, number));
  const auto of = [&](const Value& value) {
    const std::vector<Member> members{{"a_name", value}};
    return packed(members) - kItem;
  };
  CHECK(of(Value::string("abc")) == 1 + 3 + 1);
  CHECK(of(Value::string(std::string(128, 'x'))) == 1 + 128 + 2);
  CHECK(of(Value::binary("abc")) == 1 + 3 + 1);
  CHECK(of(Value::number(bytes)) == 1 + 2 + 1);
  CHECK(of(Value::boolean(true)) == 1 + 1);
  CHECK(of(Value::null()) == 1);
  const std::vector<std::string_view> strings{"a", "bc"};
  CHECK(of(Value::set(Type::SS, strings)) == 1 + 3 + 3);
  CHECK(of(Value::set(Type::BS, strings)) == 1 + 3 + 3);
  const std::vector<Value> elements{Value::null(), Value::string("x")};
  CHECK(of(Value::list(elements)) == 1 + 3 + 1 + (1 + 2));
  const std::vector<Member> members{{"long_name", Value::string("x")}};
  CHECK(of(Value::map(members)) == 1 + 3 + (2 + 2));
  // The sort key counts once for every started 3 KB.
  const std::string large(3072, 'x');
  const std::vector<Member> sorted{{"a", Value::string(large)}, {"sk", Value::string("12345")}};
  CHECK(packed(sorted) == 2 + (1 + 3072 + 2) + 2 * (18 + 5));
}

TEST_CASE("scan: every partition on the way is charged", "[engine]") {
  EngineHarness engine;
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  constexpr std::string_view kWithUnits = R"(,"ReturnConsumedCapacity":"TOTAL")";
  const auto units = [&](std::string_view more) {
    return engine
        .call("Scan", std::string(kScan) + std::string(kWithUnits) + std::string(more) + "}")
        .member("CapacityUnits");
  };
  // An on-demand table begins with four.
  CHECK(units("") == "2.0");
  CHECK(units(R"(,"ConsistentRead":true)") == "4.0");
  CHECK(units(segment(1, 4)) == "0.5");
  CHECK(units(segment(0, 3)) == "1.0");
  for (int i = 0; i < 40; ++i) put(engine, hash_item("pk" + std::to_string(i)));
  CHECK(units("") == "2.0");
  // Limited pages stop in the partition of their last item.
  const auto ordered = in_hash_order(40);
  CHECK(units(R"(,"Limit":1)") == "0.5");
  std::map<std::uint32_t, int> items_before;
  for (int i = 0; i < 40; ++i) {
    const std::string& item = ordered[static_cast<std::size_t>(i)];
    const std::string pk = item.substr(12, item.size() - 15);
    const std::uint32_t partition = partition_of(storage::partition_hash(pk), 4);
    if (items_before.emplace(partition, i).second && i > 0) {
      INFO(partition);
      CHECK(units(R"(,"Limit":)" + std::to_string(i)) ==
            std::to_string(partition / 2) + (partition % 2 == 0 ? ".0" : ".5"));
      CHECK(units(R"(,"ExclusiveStartKey":)" + item) ==
            std::to_string((4 - partition) / 2) + (partition % 2 == 0 ? ".0" : ".5"));
    }
  }
  CHECK(items_before.size() == 4);
}

TEST_CASE("scan: partitions follow the throughput", "[engine]") {
  Table table;
  const auto count = [&](std::int64_t reads, std::int64_t writes) {
    table.warm = {reads, writes};
    return partition_count(table, nullptr);
  };
  CHECK(count(1, 1) == 1);
  CHECK(count(3000, 0) == 1);
  CHECK(count(1500, 500) == 1);
  CHECK(count(1501, 500) == 2);
  CHECK(count(5000, 500) == 3);
  CHECK(count(1, 3200) == 4);
  table.settings.billing_mode = BillingMode::PayPerRequest;
  CHECK(count(12'000, 4'000) == 4);
  CHECK(count(40'000, 4'000) == 14);
  GlobalIndex index;
  index.warm = {12'000, 40'000};
  CHECK(partition_count(table, &index) == 40);
}
