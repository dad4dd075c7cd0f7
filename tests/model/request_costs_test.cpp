// What requests cost at most: the processor time and the memory of each case that the model of the
// limits makes (tests/model/request_costs/), the dearest first.
//
//   model_request_costs [--seed N] [--long] [--limit-ms N] [--body-limit-ms N] [--limit-mb N]
//                       [--only TEXT] [--top N] [--repeat N]
//
// With --repeat each is asked for so often and the least counts, for a comparison or a profile;
// writes find done what they did.
// The short form takes a quarter of the cases, drawn by the seed, and fails above a generous limit,
// because the programs that run it are slow and so are their machines; the long form takes all.
#include <malloc.h>

#include <algorithm>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/engine.h"
#include "protocol/json/json_reader.h"
#include "tests/model/request_costs/cases.h"
#include "tests/unit/engine/harness/all_operations.h"

namespace stator::costs {
namespace {

#if defined(STATOR_SANITIZED) || !defined(__OPTIMIZE__)
constexpr bool kIsSlow = true;
#else
constexpr bool kIsSlow = false;
#endif

struct Options {
  std::uint64_t seed = 1;
  bool is_long = false;
  // Several times the 100 that is wanted of a release build on a quiet machine. Slow programs have
  // more for bodies of 16 MiB and for transactions on a hundred items as large as they get.
  double limit_ms = kIsSlow ? 2000 : 600;
  double body_limit_ms = kIsSlow ? 6000 : 600;
  double transaction_limit_ms = kIsSlow ? 8000 : 600;
  double limit_mb = 300;
  double transaction_limit_mb = 800;
  std::size_t top = 25;
  std::size_t repeat = 1;
  std::string only;
};

double processor_ms() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

struct Cost {
  std::string name;
  double milliseconds;
  double megabytes;  // of arena and answer
  std::string outcome;
};

class Runner {
 public:
  Runner() {
    auto opened = Engine::open(settings_, clock_, random_, [](const std::string& line) {
      std::cout << "warning: " << line << std::endl;
    });
    if (!opened) throw std::runtime_error(opened.error());
    engine_ = std::move(*opened);
  }

  Cost run(const Case& wanted) {
    Call call;
    call.operation = operations_.find(std::string(kDynamoDbTarget) + wanted.operation);
    call.caller = {"us-east-1", "key", "localhost:8000"};
    std::string body;
    body.reserve(wanted.body.size() + kJsonSpareBytes);  // what the server reads into has room
    body = wanted.body;
    const double start = processor_ms();
    const std::string outcome = answer(body, call);
    const double taken = processor_ms() - start;
    const std::size_t bytes = call.arena.capacity_bytes() + call.reply.capacity();
    return {wanted.name, taken, static_cast<double>(bytes) / 1e6, outcome.substr(0, 100)};
  }

 private:
  class Job final : public WriteJob {
   public:
    using WriteJob::WriteJob;
    void answered() noexcept override {}
  };

  std::string answer(std::string& body, Call& call) {
    const auto root = read_json(body, call.arena);
    if (!root) return "not JSON";
    if (auto parsed = engine_->parse(*root, call); !parsed) return parsed.error().message();
    if (call.access == Access::Read) {
      Engine::Reader reader(*engine_);
      if (auto read = engine_->read(call, reader); !read) return read.error().message();
      return "ok";
    }
    Job job(*engine_, call);
    if (engine_->push(job)) {
      while (engine_->lead()) {
      }
    }
    const auto& error = job.error();
    return error ? error->message() : "ok";
  }

  const OperationTable operations_ = test::all_operations();
  Settings settings_;
  ManualClock clock_{Timestamp{1'790'000'000'123'000}};
  SeededRandom random_{42};
  std::unique_ptr<Engine> engine_;
};

void print(const std::vector<Cost>& costs, std::size_t count) {
  std::cout << "   ms   MB  request -> outcome\n" << std::fixed;
  for (std::size_t i = 0; i < costs.size() && i < count; ++i) {
    std::cout << std::setw(5) << std::setprecision(0) << costs[i].milliseconds << std::setw(5)
              << costs[i].megabytes << "  " << costs[i].name << " -> " << costs[i].outcome << "\n";
  }
  std::cout << std::flush;
}

bool run(const Options& options) {
  std::cout << "request costs, seed " << options.seed << (options.is_long ? ", all" : "")
            << std::endl;
  Random random(options.seed);
  const Scale scale{kIsSlow ? 0.1 : 1.0};
  Runner runner;
  runner.run({"table", "CreateTable", kTable});
  runner.run({"table", "CreateTable", table_of_indexes()});
  std::vector<Cost> costs;
  for (const auto& make : {items, items_of_transactions}) {
    for (const Case& item : make(scale)) {
      costs.push_back(runner.run(item));
      if (costs.back().outcome != "ok")
        throw std::runtime_error(item.name + ": " + costs.back().outcome);
    }
  }
  for (const auto& make : {conditions, updates, transactions, bodies}) {
    for (const Case& each : make(scale, random)) {
      if (each.name.find(options.only) == std::string::npos) continue;
      if (!options.is_long && options.only.empty() && random() % 4 != 0) continue;
      Cost least = runner.run(each);
      for (std::size_t again = 1; again < options.repeat; ++again) {
        Cost cost = runner.run(each);
        if (cost.milliseconds < least.milliseconds) least = std::move(cost);
      }
      costs.push_back(std::move(least));
    }
  }
  std::sort(costs.begin(), costs.end(),
            [](const Cost& a, const Cost& b) { return a.milliseconds > b.milliseconds; });
  print(costs, options.top);
  const Cost& dearest = costs.front();
  const auto largest =
      std::max_element(costs.begin(), costs.end(),
                       [](const Cost& a, const Cost& b) { return a.megabytes < b.megabytes; });
  std::cout << costs.size() << " requests; the dearest " << dearest.milliseconds
            << " ms, the largest " << largest->megabytes << " MB: " << largest->name << std::endl;
  const auto is_within = [&](const Cost& cost) {
    if (cost.name.starts_with("transaction:")) {
      return cost.milliseconds <= options.transaction_limit_ms &&
             cost.megabytes <= options.transaction_limit_mb;
    }
    const bool is_body = cost.name.starts_with("body:");
    return cost.milliseconds <= (is_body ? options.body_limit_ms : options.limit_ms) &&
           cost.megabytes <= options.limit_mb;
  };
  return std::all_of(costs.begin(), costs.end(), is_within);
}

}  // namespace
}  // namespace stator::costs

int main(int argc, char** argv) {
  // As the server sets it (server/main.cpp).
  mallopt(M_MMAP_THRESHOLD, 4 * 1024 * 1024);
  mallopt(M_TRIM_THRESHOLD, 8 * 1024 * 1024);
  stator::costs::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--long") {
      options.is_long = true;
      continue;
    }
    if (i + 1 == argc) break;
    const std::string value = argv[++i];
    if (name == "--seed") options.seed = std::stoull(value);
    if (name == "--limit-ms") options.limit_ms = std::stod(value);
    if (name == "--body-limit-ms") options.body_limit_ms = std::stod(value);
    if (name == "--limit-mb") options.limit_mb = std::stod(value);
    if (name == "--top") options.top = std::stoul(value);
    if (name == "--repeat") options.repeat = std::stoul(value);
    if (name == "--only") options.only = value;
  }
  return stator::costs::run(options) ? EXIT_SUCCESS : EXIT_FAILURE;
}
