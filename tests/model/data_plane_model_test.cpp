// The whole data plane against a model: random tables with indexes, tags and time to live, puts,
// updates, deletes, queries, scans, batches and transactions (of statements, too; at their limits;
// in flight) with random expressions, marks that are gone back to, in memory and on disk with
// restarts. Each answer is compared with what an independent model of plain maps expects. The same
// seed repeats the same run:
//
//   model_data_plane [--seed N] [--steps N] [--only memory|disk] [--check 1]
//
// STATOR_MODEL_STEPS says how many steps there are without --steps; with a sanitizer
// (STATOR_SANITIZED is set) there are fewer. --check 1 looks at the statistics after every step,
// which finds the step a write went wrong at.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "tests/model/data_plane/runs/run.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::model {
namespace {

constexpr std::uint64_t kSteps = 200'000;  // memory and disk together
constexpr std::uint64_t kSanitizedSteps = 20'000;

struct Options {
  std::uint64_t seed = std::random_device{}();
  std::uint64_t steps = std::getenv("STATOR_SANITIZED") != nullptr ? kSanitizedSteps : kSteps;
  std::string only;
  bool checks_each_step = false;
};

Options read_options(int argc, char** argv) {
  Options options;
  if (const char* steps = std::getenv("STATOR_MODEL_STEPS")) {
    options.steps = std::strtoull(steps, nullptr, 10);
  }
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--seed") options.seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--steps") options.steps = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--only") options.only = argv[i + 1];
    if (name == "--check") options.checks_each_step = std::string_view(argv[i + 1]) == "1";
  }
  return options;
}

bool run(const Options& options, bool is_on_disk) {
  const std::string place = is_on_disk ? "disk" : "memory";
  if (!options.only.empty() && options.only != place) return true;
  const std::uint64_t steps = options.only.empty() ? (options.steps + 1) / 2 : options.steps;
  std::cout << "data plane model, seed " << options.seed << ", " << steps << " steps, " << place
            << std::endl;
  const storage::TemporaryFolder folder;
  std::uint64_t step = 0;
  const auto started = std::chrono::steady_clock::now();
  try {
    Run model(options.seed, is_on_disk ? std::optional(folder.path()) : std::nullopt);
    for (; step < steps; ++step) {
      model.step();
      if (options.checks_each_step) model.check();
    }
    model.finish();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
    std::cout << "no difference, " << took.count() << " s:";
    for (const auto& [name, count] : model.counts())
      std::cout << " " << name << " " << count << ";";
    std::cout << std::endl;
    return true;
  } catch (const std::exception& failure) {
    std::cout << "seed " << options.seed << ", " << place << ", step " << step << ": "
              << failure.what() << std::endl;
    return false;
  }
}

}  // namespace
}  // namespace stator::model

int main(int argc, char** argv) {
  const stator::model::Options options = stator::model::read_options(argc, argv);
  bool holds = true;
  for (const bool is_on_disk : {false, true}) {
    holds = stator::model::run(options, is_on_disk) && holds;
  }
  return holds ? EXIT_SUCCESS : EXIT_FAILURE;
}
