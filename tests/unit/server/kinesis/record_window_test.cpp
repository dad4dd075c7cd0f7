#include "server/kinesis/record_window.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace stator;

namespace {

// A record for each character, which is its key; numbered from 10.
std::vector<KinesisQueueRecord> records_of(const std::string& keys) {
  std::vector<KinesisQueueRecord> records;
  for (const char key : keys) records.push_back({10 + records.size(), std::string(1, key), "x"});
  return records;
}

std::string keys_of(const std::vector<const KinesisQueueRecord*>& batch) {
  std::string keys;
  for (const KinesisQueueRecord* record : batch) keys += record->partition_key;
  return keys;
}

}  // namespace

TEST_CASE("record window: a key waits for its record before", "[kinesis]") {
  const auto records = records_of("abacab");
  std::set<std::uint64_t> taken;
  RecordWindow window(records, taken);
  auto batch = window.next_batch(500);
  CHECK(keys_of(batch) == "abc");
  CHECK(window.take(batch, {false, true, true}) == 10);  // the first one is missing
  CHECK(taken == std::set<std::uint64_t>{11, 13});
  batch = window.next_batch(500);
  CHECK(keys_of(batch) == "ab");
  CHECK(batch[0]->change == 10);
  CHECK(batch[1]->change == 15);
  CHECK(window.take(batch, {true, true}) == 12);
  batch = window.next_batch(500);
  CHECK(window.take(batch, {true}) == 14);
  batch = window.next_batch(500);
  CHECK(window.take(batch, {true}) == 16);
  CHECK(taken.empty());
  CHECK(window.next_batch(500).empty());
}

TEST_CASE("record window: batches have bounds", "[kinesis]") {
  auto records = records_of("abcd");
  std::set<std::uint64_t> taken;
  CHECK(keys_of(RecordWindow(records, taken).next_batch(2)) == "ab");
  records[0].data.assign(RecordWindow::kBatchBytesMax + 1, 'x');
  CHECK(keys_of(RecordWindow(records, taken).next_batch(500)) == "a");  // alone, if too large
  records = {};
  for (std::uint64_t i = 0; i < 600; ++i) records.push_back({i, std::to_string(i), "x"});
  CHECK(RecordWindow(records, taken).next_batch(1000).size() == RecordWindow::kBatchRecordsMax);
}

TEST_CASE("record window: a request that fails takes nothing", "[kinesis]") {
  const auto records = records_of("ab");
  std::set<std::uint64_t> taken;
  RecordWindow window(records, taken);
  CHECK(window.take(window.next_batch(500), {false, false}) == 10);
  CHECK(keys_of(window.next_batch(500)) == "ab");
}
