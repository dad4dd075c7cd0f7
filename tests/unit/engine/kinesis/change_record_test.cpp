#include "engine/kinesis/change_record.h"

#include <array>
#include <optional>
#include <string>

#include <catch2/catch.hpp>

#include "engine/storage/records/item_codec.h"

using namespace stator;

namespace {

Table table_of() {
  Table table;
  table.id = "00000000-0000-4000-8000-000000000000";
  table.name = "Music";
  table.region = "eu-west-1";
  table.partition_key = {"pk", Type::S};
  return table;
}

std::string record_of(std::string_view pk, std::string_view text) {
  const std::array<Member, 2> item{Member{"pk", Value::string(pk)},
                                   Member{"x", Value::string(text)}};
  std::string record;
  storage::encode_item(item, record);
  return record;
}

std::string entry_of(std::optional<std::string_view> before, std::optional<std::string_view> after,
                     storage::Origin origin = storage::Origin::User) {
  std::string bytes;
  storage::encode_journal_entry({{{1'790'000'000'123'456}, origin}, "é", {}, before, after}, bytes);
  return bytes;
}

KinesisChangeRecord rendered(const std::string& entry, std::optional<KinesisPrecision> precision,
                             std::uint64_t number = 7) {
  KinesisDestination destination;
  destination.number = 3;
  destination.precision = precision;
  auto record = kinesis_change_record(table_of(), destination, {number, entry});
  REQUIRE(record);
  return *std::move(record);
}

// The text without the id, which has 36 characters.
std::string without_id(std::string text) {
  const std::string name = R"("eventID":")";
  text.erase(text.find(name) + name.size(), 36);
  return text;
}

}  // namespace

TEST_CASE("change record: members in their order, by kind of change", "[kinesis]") {
  const std::string old = record_of("é", "old");
  const std::string now = record_of("é", "new");
  const std::string begin = R"({"awsRegion":"eu-west-1","eventID":"","eventName":")";
  const std::string table = R"("recordFormat":"application/json","tableName":"Music","dynamodb":{)";
  const std::string keys = R"("ApproximateCreationDateTime":1790000000123,"Keys":{"pk":{"S":"é"}})";
  const std::string new_image = R"(,"NewImage":{"pk":{"S":"é"},"x":{"S":"new"}})";
  const std::string old_image = R"(,"OldImage":{"pk":{"S":"é"},"x":{"S":"old"}})";
  const std::string end = R"(},"eventSource":"aws:dynamodb"})";
  const std::string user = R"(","userIdentity":null,)";
  const std::string service =
      R"(","userIdentity":{"principalId":"dynamodb.amazonaws.com","type":"Service"},)";
  const auto data = [](const std::string& entry) {
    return without_id(rendered(entry, std::nullopt).data);
  };
  CHECK(data(entry_of({}, now)) ==
        begin + "INSERT" + user + table + keys + new_image + R"(,"SizeBytes":12)" + end);
  CHECK(data(entry_of(old, now)) == begin + "MODIFY" + user + table + keys + new_image + old_image +
                                        R"(,"SizeBytes":20)" + end);
  CHECK(data(entry_of(old, {}, storage::Origin::TimeToLive)) ==
        begin + "REMOVE" + service + table + keys + old_image + R"(,"SizeBytes":12)" + end);
}

TEST_CASE("change record: microseconds name their precision", "[kinesis]") {
  const std::string entry = entry_of({}, record_of("é", "new"));
  const std::string micro = rendered(entry, KinesisPrecision::Microsecond).data;
  CHECK(micro.find(R"("ApproximateCreationDateTime":1790000000123456,)") != std::string::npos);
  CHECK(micro.find(R"("SizeBytes":12,"ApproximateCreationDateTimePrecision":"MICROSECOND"}})") ==
        std::string::npos);
  CHECK(micro.find(R"("SizeBytes":12,"ApproximateCreationDateTimePrecision":"MICROSECOND"},)") !=
        std::string::npos);
  CHECK(without_id(rendered(entry, KinesisPrecision::Millisecond).data) ==
        without_id(rendered(entry, std::nullopt).data));
}

TEST_CASE("change record: the key belongs to the item, the id to the change", "[kinesis]") {
  const std::string first = entry_of({}, record_of("é", "1"));
  const std::string second = entry_of(record_of("é", "1"), record_of("é", "2"));
  const KinesisChangeRecord one = rendered(first, std::nullopt, 7);
  CHECK(one.partition_key.size() == 32);
  CHECK(one.partition_key == rendered(second, std::nullopt, 8).partition_key);
  CHECK(one.data == rendered(first, std::nullopt, 7).data);
  CHECK(one.data != rendered(first, std::nullopt, 8).data);
}
