// Streams against a model: random writes, clocks moved, pieces of maintenance, restarts, streams
// disabled and enabled again, with random numbers of shards. What all shards of a stream tell, in
// the order of its numbers, must be the end of the list of changes that the model kept, and no
// record may be missing that is younger than the retention. The same seed repeats the same run:
//
//   model_streams [--seed N] [--steps N]

// What the driver shares with unit tests wants Catch, whose main() this is not.
#define CATCH_CONFIG_RUNNER  // NOLINT(readability-identifier-naming): Catch's
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/engine/storage/storage_fixture.h"
#include "tests/unit/streams/stream_harness.h"

namespace stator::model {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using test::Answer;

struct Change {
  std::string text;  // key, image before, image after
  Timestamp time;
};

class Run {
 public:
  Run(std::uint64_t seed, const std::filesystem::path& folder)
      : random_(seed), engine_(settings(folder, seed)) {
    arn_ = engine_.make_table();
  }

  void step() {
    const std::uint64_t dice = pick(1000);
    if (dice < 700) return write();
    if (dice < 850) return advance(seconds(pick(600)));
    if (dice < 900) return static_cast<void>(engine_.maintain({.records_max = 1 + pick(20)}));
    if (dice < 930) return engine_.maintain_all();
    if (dice < 960) return advance(hours(pick(5)));
    if (dice < 970) return engine_.reopen();
    if (dice < 980) return switch_stream();
    check();
  }

  std::size_t records() const { return records_; }  // compared

  // Every stream tells what it should.
  void check() {
    for (const auto& [arn, changes] : streams_) check_stream(arn, changes);
  }

 private:
  static Settings settings(const std::filesystem::path& folder, std::uint64_t seed) {
    Settings settings;
    settings.storage.folder = folder;
    settings.streams.shards = 1 + static_cast<std::uint32_t>(seed % 4);
    return settings;
  }

  std::uint64_t pick(std::uint64_t below) { return random_() % below; }

  void advance(std::chrono::microseconds delta) { engine_.clock().advance(delta); }

  void write() {
    const std::string key = "k" + std::to_string(pick(30));
    const auto held = items_.find(key);
    const std::string before = held == items_.end() ? "" : held->second;
    if (pick(4) == 0) {
      engine_.ok("DeleteItem", R"({"TableName":"Things","Key":{"pk":{"S":")" + key + R"("}}})");
      items_.erase(key);
      note(key, before, "");
      return;
    }
    const std::string value = std::to_string(pick(3));
    engine_.put(key, value);
    const std::string after = R"({"pk":{"S":")" + key + R"("},"v":{"S":")" + value + R"("}})";
    items_[key] = after;
    note(key, before, after);
  }

  void note(const std::string& key, const std::string& before, const std::string& after) {
    if (before == after || !is_enabled_) return;
    streams_[arn_].push_back({key + before + ">" + after, engine_.clock().now()});
  }

  void switch_stream() {
    is_enabled_ = !is_enabled_;
    const std::string specification =
        is_enabled_ ? R"({"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"})"
                    : R"({"StreamEnabled":false})";
    const std::string answer = engine_.ok(
        "UpdateTable", R"({"TableName":"Things","StreamSpecification":)" + specification + "}");
    arn_ = test::unquoted(Answer{true, answer, 0}.member("LatestStreamArn"));
  }

  struct Told {
    std::string number;
    std::string text;

    bool operator<(const Told& other) const {
      return number.size() != other.number.size() ? number.size() < other.number.size()
                                                  : number < other.number;
    }
  };

  void check_stream(const std::string& arn, const std::vector<Change>& changes) {
    std::vector<Told> told;
    const bool is_there = engine_.call("DescribeStream", R"({"StreamArn":")" + arn + "\"}").ok;
    if (is_there) {
      for (const auto& shard : engine_.shards(arn)) {
        for (const std::string& record : engine_.records(arn, shard.id, 1 + pick(50)))
          told.push_back(told_by(record));
      }
    }
    std::sort(told.begin(), told.end());
    const Timestamp oldest{engine_.clock().now().unix_us -
                           std::chrono::microseconds(hours(24)).count()};
    if (told.size() > changes.size()) fail(arn, "there are too many records");
    const std::size_t gone = changes.size() - told.size();
    for (std::size_t i = 0; i < gone; ++i) {
      if (changes[i].time > oldest) fail(arn, "a record is gone too early");
    }
    for (std::size_t i = 0; i < told.size(); ++i) {
      if (told[i].text != changes[gone + i].text)
        fail(arn, "there is " + told[i].text + " instead of " + changes[gone + i].text);
    }
    records_ += told.size();
  }

  static Told told_by(const std::string& record) {
    const Answer answer{true, record, 0};
    const std::string key = test::unquoted(Answer{true, answer.member("Keys"), 0}.member("S"));
    return {test::unquoted(answer.member("SequenceNumber")),
            key + answer.member("OldImage") + ">" + answer.member("NewImage")};
  }

  [[noreturn]] void fail(const std::string& arn, const std::string& what) {
    throw std::runtime_error(arn + ": " + what);
  }

  std::size_t records_ = 0;
  std::mt19937_64 random_;
  test::StreamHarness engine_;
  std::string arn_;
  bool is_enabled_ = true;
  std::map<std::string, std::string> items_;
  std::map<std::string, std::vector<Change>> streams_;
};

bool run(std::uint64_t seed, std::uint64_t steps) {
  std::uint64_t step = 0;
  try {
    const storage::TemporaryFolder folder;
    Run model(seed, folder.path());
    for (; step < steps; ++step) model.step();
    model.check();
    std::cout << "streams model, seed " << seed << ", " << steps << " steps: no difference in "
              << model.records() << " records" << std::endl;
    return true;
  } catch (const std::exception& failure) {
    std::cout << "streams model, seed " << seed << ", step " << step << ": " << failure.what()
              << std::endl;
    return false;
  }
}

}  // namespace
}  // namespace stator::model

int main(int argc, char** argv) {
  std::uint64_t seed = std::random_device{}();
  std::uint64_t steps = std::getenv("STATOR_SANITIZED") != nullptr ? 2'000 : 8'000;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--steps") steps = std::strtoull(argv[i + 1], nullptr, 10);
  }
  bool holds = true;
  for (std::uint64_t more = 0; more < 4; ++more)
    holds = stator::model::run(seed + more, steps) && holds;
  return holds ? EXIT_SUCCESS : EXIT_FAILURE;
}
