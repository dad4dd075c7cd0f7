// The thread of jobs: kinds in turn, failures of one kind, the stop.
#include "server/jobs/jobs.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/data/objects/folder_store.h"
#include "tests/unit/engine/harness/engine_harness.h"

namespace stator::test {
namespace {

// What the jobs did, by name; another thread adds to it.
class Trace {
 public:
  void add(const std::string& line) {
    const std::scoped_lock lock(mutex_);
    lines_.push_back(line);
    changed_.notify_all();
  }
  std::vector<std::string> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    REQUIRE(
        changed_.wait_for(lock, std::chrono::seconds(60), [&] { return lines_.size() >= count; }));
    return lines_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
};

// Has some jobs from the beginning.
class CountedKind final : public JobKind {
 public:
  CountedKind(std::string name, int jobs, Trace& trace)
      : name_(std::move(name)), jobs_(jobs), trace_(trace) {}

  std::string_view name() const override { return name_; }
  bool has_ready(Engine::Reader& /*reader*/) override { return jobs_ > 0; }
  bool run_next(Engine::Reader& /*reader*/, const MustStop& /*must_stop*/) override {
    if (jobs_ == 0) return false;
    --jobs_;
    trace_.add(name_);
    return true;
  }

 private:
  std::string name_;
  int jobs_;
  Trace& trace_;
};

class FailingKind final : public JobKind {
 public:
  std::string_view name() const override { return "failures"; }
  bool has_ready(Engine::Reader& /*reader*/) override { return true; }
  bool run_next(Engine::Reader& /*reader*/, const MustStop& /*must_stop*/) override {
    throw std::runtime_error("as asked for");
  }
};

// One job that ends only when it must.
class EndlessKind final : public JobKind {
 public:
  explicit EndlessKind(Trace& trace) : trace_(trace) {}

  std::string_view name() const override { return "endless jobs"; }
  bool has_ready(Engine::Reader& /*reader*/) override { return true; }
  bool run_next(Engine::Reader& /*reader*/, const MustStop& must_stop) override {
    trace_.add("begun");
    while (!must_stop()) std::this_thread::yield();
    trace_.add("stopped");
    return true;
  }

 private:
  Trace& trace_;
};

// Two pieces, the second an hour after the first by the engine's clock.
class WaitingKind final : public JobKind {
 public:
  WaitingKind(const Clock& clock, Trace& trace) : clock_(clock), trace_(trace) {}

  std::string_view name() const override { return "waiting jobs"; }
  bool has_ready(Engine::Reader& /*reader*/) override { return true; }
  bool run_next(Engine::Reader& /*reader*/, const MustStop& /*must_stop*/) override {
    if (pieces_ == 2 || clock_.now() < due_) return false;
    trace_.add("piece " + std::to_string(++pieces_));
    due_ = clock_.now().plus(std::chrono::hours(1));
    return true;
  }
  std::optional<Timestamp> next_due() override {
    trace_.add("waits");
    return pieces_ == 2 ? std::nullopt : std::optional(due_);
  }

 private:
  const Clock& clock_;
  Trace& trace_;
  int pieces_ = 0;
  Timestamp due_;
};

template <class... Kinds>
JobKinds kinds_of(std::unique_ptr<Kinds>... kinds) {
  JobKinds all;
  (all.push_back(std::move(kinds)), ...);
  return all;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("jobs: kinds take turns", "[jobs]") {
  EngineHarness engine;
  Trace trace;
  const auto store = data::make_missing_store();
  const Jobs jobs(engine.engine(), *store,
                  kinds_of(std::make_unique<CountedKind>("a", 3, trace),
                           std::make_unique<CountedKind>("b", 2, trace)));
  CHECK(trace.wait_for(5) == Lines{"a", "b", "a", "b", "a"});
}

TEST_CASE("jobs: a kind that fails does not stop the others", "[jobs]") {
  EngineHarness engine;
  Trace trace;
  const auto store = data::make_missing_store();
  const Jobs jobs(
      engine.engine(), *store,
      kinds_of(std::make_unique<FailingKind>(), std::make_unique<CountedKind>("b", 2, trace)));
  CHECK(trace.wait_for(2) == Lines{"b", "b"});
}

TEST_CASE("jobs: the end interrupts a running job, and begins no other", "[jobs]") {
  EngineHarness engine;
  Trace trace;
  const auto store = data::make_missing_store();
  {
    const Jobs jobs(engine.engine(), *store,
                    kinds_of(std::make_unique<EndlessKind>(trace),
                             std::make_unique<CountedKind>("b", 1, trace)));
    trace.wait_for(1);
  }
  CHECK(trace.wait_for(2) == Lines{"begun", "stopped"});
}

TEST_CASE("jobs: one that waits goes on when the clock is there", "[jobs]") {
  EngineHarness engine;
  Trace trace;
  const auto store = data::make_missing_store();
  const Jobs jobs(engine.engine(), *store,
                  kinds_of(std::make_unique<WaitingKind>(engine.engine().clock(), trace)));
  CHECK(trace.wait_for(3) == Lines{"waits", "piece 1", "waits"});
  engine.clock().advance(std::chrono::minutes(59));
  engine.clock().advance(std::chrono::minutes(1));
  const Lines lines = trace.wait_for(5);
  CHECK(lines[3] == "piece 2");
  CHECK(lines[4] == "waits");
}

}  // namespace stator::test
