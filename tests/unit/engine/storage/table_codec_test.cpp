#include "engine/storage/table_codec.h"

#include <catch2/catch.hpp>

#include "engine/schema/table.h"

using namespace stator;

namespace {

Table full_table() {
  Table table;
  table.scope = "key\"/eu-west-1";
  table.name = "Music";
  table.region = "eu-west-1";
  table.account_id = "123456789012";
  table.id = "00000000-0000-4000-8000-000000000000";
  table.space = storage::SpaceId{7};
  table.created = {1'790'000'000'123'456};
  table.attribute_definitions = {{"pk", Type::S}, {"sk", Type::N}, {"b", Type::B}};
  table.partition_key = {"pk", Type::S};
  table.sort_key = KeyAttribute{"sk", Type::N};
  LocalIndex local;
  local.name = "by_b";
  local.space = storage::SpaceId{8};
  local.partition_keys = {{"pk", Type::S}};
  local.sort_keys = {{"b", Type::B}};
  local.projection = {ProjectionType::Include, {"x", "y"}};
  table.local_indexes.push_back(local);
  GlobalIndex global;
  global.name = "by_sk";
  global.space = storage::SpaceId{9};
  global.partition_keys = {{"sk", Type::N}, {"b", Type::B}};
  global.throughput = {3, 4};
  global.throughput_before = Throughput{1, 2};
  global.history = {Timestamp{5}, Timestamp{6}, 2};
  global.updating_until = {77};
  global.on_demand = {10, std::nullopt};
  global.warm = {30, 40};
  global.warm_to = Throughput{50, 60};
  global.warm_updating_until = {16};
  global.build = IndexBuild{{11}, std::string("p\0\xFF", 3), "s"};
  global.deleting_until = Timestamp{12};
  global.insights =
      ContributorInsights{true, ContributorInsightsMode::ThrottledKeys, Timestamp{13}, {}};
  table.global_indexes.push_back(global);
  table.settings.billing_mode = BillingMode::PayPerRequest;
  table.settings.shows_billing_mode = true;
  table.settings.last_on_demand = Timestamp{99};
  table.settings_before = ThroughputSettings{};
  table.settings_before->throughput = {5, 6};
  table.settings_before->table_class = TableClass::StandardInfrequentAccess;
  table.on_demand = {std::nullopt, 20};
  table.warm = {12000, 4000};
  table.warm_to = Throughput{13000, 4000};
  table.warm_updating_until = {3};
  table.deletion_protection = true;
  table.stream = StreamSettings{StreamViewType::NewAndOldImages, "2026-11-20T00:00:00.000", false,
                                12, Timestamp{34}};
  table.encryption = Encryption{"arn:aws:kms:eu-west-1:123456789012:key/k", {4}};
  table.time_to_live = TimeToLive{.is_enabled = true,
                                  .attribute_name = "a.\"b",
                                  .changed = {8},
                                  .changing_until = {9},
                                  .space = storage::SpaceId{10},
                                  .build = ExpiryBuild{std::string("p\0\xFF", 3), "s"}};
  table.insights = ContributorInsights{false, ContributorInsightsMode::ThrottledKeys, {14}, {15}};
  table.tags = {{"owner", "me"}, {"empty", ""}};
  table.creating_until = {1};
  table.updating_until = {2};
  table.deleting_until = Timestamp{3};
  return table;
}

}  // namespace

TEST_CASE("table codec: what is written is read again", "[engine]") {
  const std::string text = encode_table(full_table());
  const auto decoded = decode_table(text);
  REQUIRE(decoded);
  CHECK(encode_table(*decoded) == text);
  CHECK(decoded->global_indexes[0].partition_keys[1].type == Type::B);
  CHECK(decoded->global_indexes[0].build->done_partition == std::string("p\0\xFF", 3));
  CHECK(decoded->global_indexes[0].deleting_until == Timestamp{12});
  CHECK(decoded->global_indexes[0].insights->is_enabled);
  REQUIRE(decoded->global_indexes[0].insights);
  CHECK(decoded->global_indexes[0].insights->mode == ContributorInsightsMode::ThrottledKeys);
  CHECK_FALSE(decoded->insights->is_enabled);
  CHECK(decoded->insights->changing_until == Timestamp{15});
  CHECK(decoded->global_indexes[0].warm_to == Throughput{50, 60});
  CHECK(decoded->global_indexes[0].warm_updating_until == Timestamp{16});
  CHECK(decoded->warm_to == Throughput{13000, 4000});
  CHECK(decoded->settings_before->throughput == Throughput{5, 6});
  CHECK(decoded->tags[1].second.empty());
  REQUIRE(decoded->expiry() != nullptr);
  CHECK(decoded->expiry()->attribute_name == "a.\"b");
  CHECK(decoded->expiry()->changing_until == Timestamp{9});
  CHECK(decoded->expiry()->space == storage::SpaceId{10});
  CHECK(decoded->expiry()->build->done_partition == std::string("p\0\xFF", 3));
}

TEST_CASE("table codec: damaged text is refused", "[engine]") {
  const std::string text = encode_table(full_table());
  CHECK_FALSE(decode_table(""));
  CHECK_FALSE(decode_table("{}"));
  CHECK_FALSE(decode_table(text.substr(0, text.size() / 2)));
  std::string other_type = text;
  other_type.replace(other_type.find("\"type\":\"S\""), 10, "\"type\":\"X\"");
  CHECK_FALSE(decode_table(other_type));
}

TEST_CASE("table: status follows the clock", "[engine]") {
  Table table;
  table.creating_until = {10};
  CHECK(table.status({9}) == TableStatus::Creating);
  CHECK(table.status({10}) == TableStatus::Active);
  table.updating_until = {20};
  CHECK(table.status({19}) == TableStatus::Updating);
  CHECK(table.status({20}) == TableStatus::Active);
  table.deleting_until = Timestamp{30};
  CHECK(table.status({29}) == TableStatus::Deleting);
  CHECK(table.status({30}) == TableStatus::Gone);
}

TEST_CASE("table: status follows its indexes, and theirs the clock", "[engine]") {
  Table table;
  GlobalIndex& index = table.global_indexes.emplace_back();
  CHECK(index.status({1}) == TableStatus::Active);
  index.build = IndexBuild{{10}, {}, {}};
  CHECK(index.status({9}) == TableStatus::Creating);
  CHECK(index.is_allocating({9}));
  CHECK_FALSE(index.is_backfilling({9}));
  CHECK(table.status({9}) == TableStatus::Updating);
  CHECK(index.status({10}) == TableStatus::Creating);
  CHECK(index.is_backfilling({10}));
  CHECK(table.status({10}) == TableStatus::Active);
  index.build.reset();
  index.deleting_until = Timestamp{20};
  CHECK_FALSE(index.is_active());
  CHECK(index.status({19}) == TableStatus::Deleting);
  CHECK(table.status({19}) == TableStatus::Updating);
  CHECK(index.status({20}) == TableStatus::Gone);
  CHECK(table.status({20}) == TableStatus::Active);
  CHECK(table.find_global_index("", {19}) == &index);
  CHECK(table.find_global_index("", {20}) == nullptr);
}
