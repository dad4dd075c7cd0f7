// MappingStore: mappings, positions and results, as stored and after changes.
#include "server/triggers/mapping_store.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/api/control.h"
#include "server/triggers/mapping_codec.h"
#include "tests/unit/engine/harness/engine_harness.h"

namespace stator::triggers {
namespace {

Mapping sample(const std::string& uuid, std::int64_t created_us) {
  Mapping mapping;
  mapping.uuid = uuid;
  mapping.scope = "key/us-east-1";
  mapping.region = "us-east-1";
  mapping.account_id = "000000000000";
  mapping.stream_arn = "arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/l";
  mapping.table_name = "t";
  mapping.stream_label = "l";
  mapping.created = mapping.last_modified = {created_us};
  mapping.settings.function_arn = "arn:aws:lambda:us-east-1:000000000000:function:f:live";
  return mapping;
}

struct StoreUnderTest {
  test::EngineDriver driver;
  MappingStore store{driver.engine()};
};

TEST_CASE("mappings: every value survives being stored", "[triggers]") {
  Mapping mapping = sample("u", 1);
  mapping.starting_position = StartingPosition::Latest;
  mapping.first_number = ~std::uint64_t{0};
  mapping.change = MappingState::Disabling;
  mapping.changing_until = {5};
  mapping.is_deleted = true;
  mapping.tags = {{"a", "é\""}, {"b", ""}};
  MappingSettings& settings = mapping.settings;
  settings.is_enabled = false;
  settings.batch_size = 1;
  settings.batching_window_s = 2;
  settings.parallelization_factor = 3;
  settings.retry_attempts_max = 4;
  settings.record_age_max_s = 60;
  settings.tumbling_window_s = 5;
  settings.bisects_on_error = settings.reports_item_failures = true;
  settings.filters = {R"({"a":["b"]})", ""};
  settings.on_failure = "arn:aws:sqs:::q";
  settings.kms_key_arn = "arn:aws:kms:::k";
  settings.metrics.emplace();
  mapping.before = MappingSettings();
  const std::string text = encode_mapping(mapping);
  const auto read = decode_mapping(text);
  REQUIRE(read);
  CHECK(read->settings == settings);
  CHECK(read->before == mapping.before);
  CHECK(read->first_number == mapping.first_number);
  CHECK(read->change == MappingState::Disabling);
  CHECK(read->is_deleted);
  CHECK(read->tags == mapping.tags);
  CHECK(encode_mapping(*read) == text);
  CHECK(encode_mapping(*decode_mapping(encode_mapping(sample("u", 1)))) ==
        encode_mapping(sample("u", 1)));
  // A damaged one is none.
  for (const char* const damaged : {"", "[]", "{}", R"({"uuid":1})"})
    CHECK_FALSE(decode_mapping(damaged));
  CHECK_FALSE(decode_mapping(text.substr(0, text.size() - 1)));
}

TEST_CASE("mappings: they are listed by creation, and removed with what belongs to them",
          "[triggers]") {
  StoreUnderTest at;
  int changes = 0;
  at.store.on_change([&] { ++changes; });
  REQUIRE(at.store.put(sample("b", 1)));
  REQUIRE(at.store.put(sample("a", 2)));
  REQUIRE(at.store.put(sample("c", 1)));
  std::string order;
  const auto listed = *at.store.list();
  for (const Mapping& mapping : listed) order += mapping.uuid;
  CHECK(order == "bca");
  const std::vector<PositionChange> positions = {{"s", 0, {}, ShardPosition{"s", 0, 7, "note"}}};
  REQUIRE(at.store.put_positions("a", positions, "OK") == PositionsOutcome::Stored);
  CHECK(*at.store.result("a") == "OK");
  CHECK(changes == 3);
  CHECK(*at.store.remove("a"));
  CHECK_FALSE(*at.store.remove("a"));
  CHECK_FALSE(at.store.find("a")->has_value());
  CHECK(at.store.positions("a")->empty());
  CHECK(*at.store.result("a") == kNothingProcessed);
  CHECK(changes == 5);
  REQUIRE(at.store.remove_of_scopes([](std::string_view scope) { return scope == "other"; }));
  CHECK(at.store.list()->size() == 2);
  REQUIRE(at.store.remove_of_scopes([](std::string_view scope) { return !scope.empty(); }));
  CHECK(at.store.list()->empty());
}

TEST_CASE("mappings: positions change only from what the caller expects", "[triggers]") {
  StoreUnderTest at;
  const auto put = [&](std::vector<PositionChange> changes) {
    return at.store.put_positions("u", changes);
  };
  const ShardPosition first{"shardId-1", 0, 10, {}};
  const ShardPosition second{"shardId-1", 11, 20, std::string("a\0b", 3)};
  CHECK(put({{"shardId-1", 0, {}, first}}) == PositionsOutcome::Outdated);  // no such mapping
  REQUIRE(at.store.put(sample("u", 1)));
  REQUIRE(put({{"shardId-1", 0, {}, first}, {"shardId-1", 11, {}, second}}) ==
          PositionsOutcome::Stored);
  CHECK(*at.store.positions("u") == std::vector<ShardPosition>{first, second});
  ShardPosition next = first;
  next.next = 15;
  CHECK(put({{"shardId-1", 0, {}, next}}) == PositionsOutcome::Outdated);
  CHECK(put({{"shardId-1", 0, 9, next}}) == PositionsOutcome::Outdated);
  // All or nothing.
  CHECK(put({{"shardId-1", 0, 10, next}, {"shardId-1", 11, 21, {}}}) == PositionsOutcome::Outdated);
  CHECK(at.store.positions("u")->front().next == 10);
  REQUIRE(at.driver.engine().set_mark("m") == MarkOutcome::Done);
  REQUIRE(put({{"shardId-1", 0, 10, next}, {"shardId-1", 11, 20, {}}}) == PositionsOutcome::Stored);
  CHECK(*at.store.positions("u") == std::vector<ShardPosition>{next});
  REQUIRE(at.driver.engine().roll_back("m") == MarkOutcome::Done);
  CHECK(*at.store.positions("u") == std::vector<ShardPosition>{first, second});
  CHECK(put({{"shardId-1", 0, 15, next}}) == PositionsOutcome::Outdated);
}

TEST_CASE("mappings: what is wrong with a document is told", "[triggers]") {
  std::map<std::string, std::string, std::less<>> documents;
  const FindDocument find = [&](std::string_view key) -> std::optional<std::string> {
    const auto found = documents.find(key);
    return found == documents.end() ? std::nullopt : std::optional(found->second);
  };
  const auto problem_of = [&](std::string_view key) {
    return document_problem(key, *find(key), find);
  };
  const std::string mapping = "triggers/mapping/u";
  const std::string position = position_key("u", "shardId-1", 11);
  const std::string result = "triggers/result/u";
  documents = {{mapping, encode_mapping(sample("u", 1))},
               {position, encode_position({"shardId-1", 11, 20, "note"})},
               {result, "OK"},
               {"other/owner", "?"}};
  for (const auto& [key, text] : documents) CHECK(problem_of(key).empty());
  documents[position] = "short";
  CHECK(problem_of(position) == "cannot be read");
  documents["triggers/position/u"] = "12345678";
  CHECK(problem_of("triggers/position/u") == "cannot be read");
  documents[mapping] = "{";
  CHECK(problem_of(mapping) == "cannot be read");
  documents[mapping] = encode_mapping(sample("v", 1));
  CHECK(problem_of(mapping) == "stands under another key");
  documents[position] = encode_position({"shardId-1", 11, 20, {}});
  documents.erase(mapping);
  for (const std::string& key : {position, result})
    CHECK(problem_of(key) == "its event source mapping is not there");
}

TEST_CASE("mappings: a change that takes time shows the settings before it", "[triggers]") {
  Mapping mapping = sample("u", 1);
  mapping.changing_until = {100};
  CHECK(mapping.state({99}) == MappingState::Creating);
  CHECK_FALSE(mapping.delivers({99}));
  CHECK(mapping.state({100}) == MappingState::Enabled);
  CHECK(mapping.delivers({100}));
  mapping.before = mapping.settings;
  mapping.settings.is_enabled = false;
  mapping.change = MappingState::Disabling;
  CHECK(mapping.state({99}) == MappingState::Disabling);
  CHECK(mapping.delivers({99}));
  CHECK(mapping.state({100}) == MappingState::Disabled);
  CHECK_FALSE(mapping.delivers({100}));
  mapping.is_deleted = true;
  CHECK(mapping.state({99}) == MappingState::Deleting);
  CHECK_FALSE(mapping.is_gone({99}));
  CHECK(mapping.is_gone({100}));
}

TEST_CASE("mappings: the parts of a function's ARN", "[triggers]") {
  const std::string arn = sample("u", 1).settings.function_arn;
  CHECK(function_name_of(arn) == "f");
  CHECK(function_qualifier_of(arn) == "live");
  CHECK(function_qualifier_of("arn:aws:lambda:r:a:function:f").empty());
}

}  // namespace
}  // namespace stator::triggers
