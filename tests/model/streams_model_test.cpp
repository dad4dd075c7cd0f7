// Streams against a model: random writes on two tables by every operation that writes, clocks
// moved, pieces of maintenance, restarts, kills, streams of all view types disabled and enabled
// again, and so time to live and a global index, partitions split, with random numbers of shards.
// What all shards of a stream tell, in the order of its numbers, must be the end of the list of
// changes that the model kept; replayed, it must give the table; and no record may be missing that
// is younger than the retention. The same seed repeats the same run:
//
//   model_streams [--seed N] [--steps N]

// What the driver shares with unit tests wants Catch, whose main() this is not.
#define CATCH_CONFIG_RUNNER  // NOLINT(readability-identifier-naming): Catch's
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string_view>

#include <catch2/catch.hpp>

#include "tests/model/streams/streamed_table.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"
#include "tests/unit/streams/stream_harness.h"

namespace stator::model {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr seconds kIndexLag{1};  // where indexes are late

class Run {
 public:
  Run(std::uint64_t seed, const std::filesystem::path& folder)
      : random_(seed), folder_(folder), engine_(settings(folder, seed)) {}

  void step() {
    StreamedTable& table = tables_[pick(tables_.size())];
    const std::uint64_t dice = pick(1000);
    if (dice < 700) return table.write();
    if (dice < 850) return advance(seconds(pick(600)));
    if (dice < 900) return maintain_some();
    if (dice < 925) return maintain_all();
    if (dice < 950) return advance(hours(pick(5)));
    if (dice < 955) return engine_.reopen();
    if (dice < 959) return kill();
    if (dice < 961) return table.split_partition();
    if (dice < 967) return table.switch_stream();
    if (dice < 975) return table.switch_time_to_live();
    if (dice < 980) return table.switch_index();
    check();
  }

  void check() {
    for (StreamedTable& table : tables_) table.check();
  }

  std::size_t kills() const { return kills_; }
  StreamedTable::Counts counts() const {
    StreamedTable::Counts sum;
    for (const StreamedTable& table : tables_) {
      sum.records += table.counts().records;
      sum.expired += table.counts().expired;
      sum.indexed += table.counts().indexed;
      sum.replays += table.counts().replays;
      sum.splits += table.counts().splits;
    }
    return sum;
  }

 private:
  static Settings settings(const std::filesystem::path& folder, std::uint64_t seed) {
    Settings settings;
    settings.storage.folder = folder;
    settings.streams.shards = 1 + static_cast<std::uint32_t>(seed % 4);
    if (seed % 2 == 1) settings.gsi_delay = kIndexLag;
    // Without it there are no partitions to be split.
    settings.throttling = Throttling::Observe;
    settings.capacity = std::make_shared<const capacity::CapacityParameters>();
    return settings;
  }

  std::uint64_t pick(std::uint64_t below) { return random_() % below; }

  void advance(std::chrono::microseconds delta) { engine_.clock().advance(delta); }

  // Leaves the files as SIGKILL would: what an orderly end wrote is taken back.
  void kill() {
    std::map<std::filesystem::path, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.is_regular_file()) files[entry.path()] = content_of(entry.path());
    }
    engine_.close();
    // In place: a copy of a folder in use is refused.
    for (const auto& [path, content] : files)
      std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
    engine_.open();
    ++kills_;
  }
  static std::string content_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  void maintain_some() {
    engine_.maintain({.records_max = 1 + pick(20)});
    for (StreamedTable& table : tables_) table.maintained(/*is_all_done=*/false);
  }

  // Twice, each behind the second in which expired items were looked for before, and the lag of an
  // index: what the first time finds (a time to live that begins, say) leaves work for the second.
  void maintain_all() {
    for (const bool is_all_done : {false, true}) {
      advance(kIndexLag + seconds(1));
      engine_.maintain_all();
      for (StreamedTable& table : tables_) table.maintained(is_all_done);
    }
  }

  std::mt19937_64 random_;
  const std::filesystem::path folder_;
  std::size_t kills_ = 0;
  test::StreamHarness engine_;
  std::array<StreamedTable, 2> tables_{StreamedTable(engine_, random_, "Things"),
                                       StreamedTable(engine_, random_, "Others")};
};

// From that many on a run meets everything.
constexpr std::uint64_t kStepsForAll = 2000;
constexpr std::uint64_t kStepsForRare = 8000;  // and what is rare

bool run(std::uint64_t seed, std::uint64_t steps) {
  std::uint64_t step = 0;
  try {
    const storage::TemporaryFolder folder;
    Run model(seed, folder.path());
    for (; step < steps; ++step) model.step();
    model.check();
    const StreamedTable::Counts met = model.counts();
    std::cout << "streams model, seed " << seed << ", " << steps << " steps: no difference in "
              << met.records << " records, " << met.replays << " replays, " << met.expired
              << " expired items, " << met.indexed << " items of indexes, " << met.splits
              << " splits, " << model.kills() << " kills" << std::endl;
    const bool met_rare = (met.splits > 0 && model.kills() > 0) || steps < kStepsForRare;
    const bool met_all = met.records > 0 && met.replays > 0 && met.expired > 0 && met.indexed > 0;
    if (!met_rare || (!met_all && steps >= kStepsForAll))
      throw std::runtime_error("it never met what it is about");
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
