// Events, messages about failures, windows, batches that are full, lanes, and the order of shards.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/triggers/batches/event.h"
#include "server/triggers/batches/failure_message.h"
#include "server/triggers/batches/gathering.h"
#include "server/triggers/batches/lane_note.h"
#include "server/triggers/batches/lineage.h"
#include "server/triggers/mapping.h"

namespace stator {
namespace {

using namespace triggers;

constexpr Timestamp kNoon{1'798'804'800'000'000};  // 2027-01-01T12:00:00Z

TEST_CASE("trigger events: with and without a window", "[server]") {
  const std::vector<TriggerRecord> records = {{1, kNoon, R"({"a":1})"}, {2, kNoon, R"({"a":2})"}};
  CHECK(event_of(records) == R"({"Records":[{"a":1},{"a":2}]})");
  const TumblingWindow window = window_of(kNoon.plus(std::chrono::seconds(299)), 300);
  CHECK(event_of({}, WindowCall{window, "shard", "arn", true}) ==
        R"({"Records":[],"window":{"start":"2027-01-01T12:00:00Z","end":"2027-01-01T12:05:00Z"},)"
        R"("state":{},"shardId":"shard","eventSourceARN":"arn","isFinalInvokeForWindow":true,)"
        R"("isWindowTerminatedEarly":false})");
}

TEST_CASE("trigger events: windows pass their state on", "[server]") {
  TumblingWindow window = window_of(kNoon, 60);
  CHECK(window.has(kNoon));
  CHECK_FALSE(window.has(kNoon.plus(std::chrono::seconds(60))));
  window.take_state(R"({"sum":"282"})");
  const auto read = read_lane_note(lane_note({window, {}})).window;
  REQUIRE(read);
  CHECK(read->start == window.start);
  CHECK(read->end == window.end);
  CHECK(read->state == window.state);
  window.take_state("{\"x\":\"" + std::string(kWindowStateBytesMax, 'x') + "\"}");
  CHECK(window.is_too_large);
  CHECK(lane_note({window, {}}).size() < 200);
  CHECK_FALSE(read_lane_note("").window);
  CHECK_FALSE(read_lane_note(R"({"start":1,"end":2})").window);
}

TEST_CASE("trigger failures: the message", "[server]") {
  const std::vector<TriggerRecord> records = {
      {1, kNoon, "{}"}, {2, kNoon.plus(std::chrono::milliseconds(1500)), "{}"}};
  CallResult last;
  last.status = 200;
  last.error = "Unhandled";
  const Discard exhausted{DiscardReason::RetryAttemptsExhausted, records, 2};
  FailureMessage message{"id", "fn", "stream", "shard", kNoon, exhausted, &last};
  CHECK(failure_message(message, false) ==
        R"({"requestContext":{"requestId":"id","functionArn":"fn",)"
        R"("condition":"RetryAttemptsExhausted","approximateInvokeCount":2},)"
        R"("responseContext":{"statusCode":200,"executedVersion":"$LATEST",)"
        R"("functionError":"Unhandled"},"version":"1.0","timestamp":"2027-01-01T12:00:00.000Z",)"
        R"("DDBStreamBatchInfo":{"shardId":"shard","startSequenceNumber":"100000000000000000001",)"
        R"("endSequenceNumber":"200000000000000000002",)"
        R"("approximateArrivalOfFirstRecord":"2027-01-01T12:00:00Z",)"
        R"("approximateArrivalOfLastRecord":"2027-01-01T12:00:01Z","batchSize":2,)"
        R"("streamArn":"stream"}})");
  last.error.clear();
  CHECK(failure_message(message, false).find(R"("functionError":null)") != std::string::npos);
  CHECK(failure_message(message, true).find(R"("payload":{"Records":[{},{}]})") !=
        std::string::npos);
  const Discard old{DiscardReason::RecordAgeExceeded, records, 1};
  const FailureMessage aged{"id", "fn", "stream", "shard", kNoon, old, &last};
  CHECK(failure_message(aged, false).find("responseContext") == std::string::npos);
}

TEST_CASE("trigger failures: buckets and their keys", "[server]") {
  CHECK(is_bucket("arn:aws:s3:::failures"));
  CHECK_FALSE(is_bucket("arn:aws:sqs:us-east-1:000000000000:s3:q"));
  CHECK_FALSE(is_bucket("kafka://topic"));
  CHECK(failure_key("uuid", "shard", kNoon, "id") ==
        "aws/lambda/uuid/shard/2027/01/01/2027-01-01T12.00.00-id");
}

TEST_CASE("trigger batches: what ends a batch", "[server]") {
  MappingSettings settings;
  settings.batch_size = 2;
  settings.batching_window_s = 10;
  Gathering gathering;
  const auto record = [](std::size_t bytes) {
    return TriggerRecord{1, kNoon, std::string(bytes, 'x')};
  };
  SECTION("its size") {
    gathering.add(record(1), kNoon);
    CHECK_FALSE(gathering.has_all(settings));
    CHECK(gathering.takes(record(1), settings, 0));
    gathering.add(record(1), kNoon);
    CHECK(gathering.has_all(settings));
    CHECK_FALSE(gathering.takes(record(1), settings, 0));
  }
  SECTION("its bytes; a large record is alone") {
    CHECK(gathering.takes(record(2 * kEventBytesMax), settings, 0));
    gathering.add(record(kEventBytesMax / 2), kNoon);
    CHECK(gathering.takes(record(kEventBytesMax / 2 - kEventFrameBytes - 1), settings, 0));
    CHECK_FALSE(gathering.takes(record(kEventBytesMax / 2), settings, 0));
    CHECK_FALSE(gathering.takes(record(kEventBytesMax / 2 - kEventFrameBytes - 1), settings, 100));
  }
  SECTION("the window, which begins after the call before") {
    gathering.add(record(1), kNoon);
    CHECK(gathering.due(settings, Timestamp::min()) == kNoon.plus(std::chrono::seconds(10)));
    CHECK(gathering.due(settings, kNoon.plus(std::chrono::seconds(5))) ==
          kNoon.plus(std::chrono::seconds(15)));
  }
}

TEST_CASE("trigger lanes: equal keys have one, and all are used", "[server]") {
  std::vector<int> counts(10);
  for (int key = 0; key < 1000; ++key) {
    const std::string text = "key" + std::to_string(key);
    CHECK(lane_of(text, 10) == lane_of(text, 10));
    ++counts[lane_of(text, 10)];
  }
  for (const int count : counts) CHECK(count > 50);
  CHECK(lane_of("any", 1) == 0);
}

TEST_CASE("trigger shards: parents come before children", "[server]") {
  std::vector<Shard> shards(4);
  const char* const ids[] = {"a", "b", "c", "d"};
  const char* const parents[] = {"gone", "a", "a", "c"};
  for (std::size_t i = 0; i < shards.size(); ++i) {
    shards[i].id = ids[i];
    shards[i].parent_id = parents[i];
  }
  const auto readable = [&](const std::string& finished) {
    std::string ids_read;
    const auto is_finished = [&](std::string_view id) {
      return finished.find(id) != std::string::npos;
    };
    for (const std::size_t place : readable_shards(shards, is_finished))
      ids_read += shards[place].id;
    return ids_read;
  };
  CHECK(readable("") == "a");
  CHECK(readable("a") == "bc");
  CHECK(readable("ac") == "bd");
  CHECK(readable("abcd").empty());
}

}  // namespace
}  // namespace stator
