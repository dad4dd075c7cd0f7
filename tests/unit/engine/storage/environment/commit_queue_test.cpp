#include "engine/storage/environment/commit_queue.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <future>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/storage/durability/store_options.h"
#include "engine/storage/environment/leader_owned.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::storage {
namespace {

// Counts batches; before_commit() may be told to fail.
class Observer final : public BatchListener {
 public:
  Result<void> before_commit(WriteTransaction& transaction) override {
    if (fail_before_commit) return Error::internal_server_error();
    return transaction.put(Database::Meta, "observed", "yes");
  }
  void batch_ended(const Error* failure) noexcept override { ++(failure == nullptr ? good : bad); }

  bool fail_before_commit = false;
  int good = 0;
  int bad = 0;
};

// Records whether the thread that reports batches leads.
class LookingObserver final : public BatchListener {
 public:
  Result<void> before_commit(WriteTransaction& /*transaction*/) override {
    look();
    return {};
  }
  void batch_ended(const Error* /*failure*/) noexcept override { look(); }

  int looks = 0;
  bool is_always_led = true;

 private:
  void look() {
    ++looks;
    is_always_led = is_always_led && is_leading();
  }
};

// Runs a function; its outcome can be waited for.
class TestJob final : public CommitJob {
 public:
  using Body = std::function<Result<void>(WriteTransaction&)>;
  explicit TestJob(Body body) : body_(std::move(body)) {}

  Result<void> run(WriteTransaction& transaction) override {
    ++runs;
    return body_(transaction);
  }
  void done(bool committed) noexcept override { outcome_.set_value(committed); }
  bool is_long() const noexcept override { return takes_long; }
  bool only_frees_space() const noexcept override { return frees_space; }

  // From any thread, so without an assertion of Catch.
  bool wait() {
    auto future = outcome_.get_future();
    if (future.wait_for(std::chrono::seconds(60)) != std::future_status::ready) {
      throw std::runtime_error("a job was not done within a minute");
    }
    return future.get();
  }

  int runs = 0;
  bool takes_long = false;
  bool frees_space = false;

 private:
  Body body_;
  std::promise<bool> outcome_;
};

TestJob::Body putting(std::string key, std::string value = "v") {
  return [key = std::move(key), value = std::move(value)](WriteTransaction& transaction) {
    return transaction.put(Database::Items, key, value);
  };
}

std::optional<std::string> get(const Environment& environment, std::string_view key) {
  ReadTransaction reader(environment);
  unwrap(reader.acquire());
  const auto value = unwrap(reader.find(Database::Items, key));
  if (!value) return {};
  return std::string(*value);
}

void lead_to_the_end(CommitQueue& queue) {
  while (queue.lead()) {
  }
}

TEST_CASE("commit queue: the first to push leads, the others join its batch in order",
          "[storage]") {
  const auto environment = open_or_throw(in_memory());
  Observer observer;
  CommitQueue queue(*environment, observer, CommitQueue::Leader::Caller);
  std::string order;
  const auto noting = [&](char name) {
    return [&order, name](WriteTransaction& transaction) {
      order.push_back(name);
      return transaction.put(Database::Items, "order", order);
    };
  };
  TestJob a(noting('a'));
  TestJob b(noting('b'));
  TestJob c(noting('c'));
  CHECK(queue.push(a));
  CHECK_FALSE(queue.push(b));
  CHECK_FALSE(queue.push(c));
  CHECK(order.empty());
  lead_to_the_end(queue);
  CHECK(a.wait());
  CHECK(b.wait());
  CHECK(c.wait());
  CHECK(get(*environment, "order") == "abc");
  CHECK(observer.good == 1);
  CHECK(queue.counters().batches == 1);
  CHECK(queue.counters().jobs == 3);
  CHECK(queue.counters().working.count() > 0);
  // Nobody leads any more.
  TestJob next(noting('d'));
  CHECK(queue.push(next));
  lead_to_the_end(queue);
  CHECK(next.wait());
}

TEST_CASE("commit queue: it is led where its batch runs, and nowhere else", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto kind = GENERATE(CommitQueue::Leader::Caller, CommitQueue::Leader::Thread);
  LookingObserver observer;
  CommitQueue queue(*environment, observer, kind);
  CHECK_FALSE(is_leading());
  bool is_led_in_job = false;
  bool is_led_beside = true;
  TestJob job([&](WriteTransaction&) -> Result<void> {
    is_led_in_job = is_leading();
    std::thread([&] { is_led_beside = is_leading(); }).join();
    return {};
  });
  if (queue.push(job)) lead_to_the_end(queue);
  CHECK(job.wait());
  CHECK(is_led_in_job);
  CHECK_FALSE(is_led_beside);
  CHECK(observer.looks == 2);
  CHECK(observer.is_always_led);
  CHECK_FALSE(is_leading());
}

TEST_CASE("commit queue: what its leader owns is for the leader alone", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  Observer observer;
  CommitQueue queue(*environment, observer, CommitQueue::Leader::Caller);
  LeaderOwned<std::string> owned("first");
  TestJob job([&](WriteTransaction&) -> Result<void> {
    *owned = "changed by " + *std::as_const(owned);
    return {};
  });
  REQUIRE(queue.push(job));
  lead_to_the_end(queue);
  CHECK(job.wait());
  {
    const Leading behind_the_last_job;
    CHECK(*owned == "changed by first");
    CHECK(owned->size() == 16);
  }
  // A read from another thread ends the process.
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);
    ::close(STDERR_FILENO);
    ::_exit(owned->empty() ? 1 : 0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGABRT);
}

TEST_CASE("commit queue: more jobs than fit a batch go on in the next", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  Observer observer;
  CommitQueue queue(*environment, observer, CommitQueue::Leader::Caller);
  constexpr int kJobs = 20'000;
  int next = 0;
  std::vector<std::unique_ptr<TestJob>> jobs;
  for (int i = 0; i < kJobs; ++i) {
    jobs.push_back(std::make_unique<TestJob>([&next, i](WriteTransaction&) -> Result<void> {
      if (next++ != i) return Error::internal_server_error();
      return {};
    }));
    CHECK(queue.push(*jobs.back()) == (i == 0));
  }
  int breaths = 0;
  while (queue.lead()) ++breaths;
  CHECK(breaths > 0);
  for (const auto& job : jobs) REQUIRE(job->wait());
  CHECK(observer.good > 10);
  CHECK(observer.good < 200);
}

TEST_CASE("commit queue: a thread that is lent leaves what is long to others", "[storage]") {
  using Left = CommitQueue::Left;
  const auto environment = open_or_throw(in_memory());
  Observer observer;
  CommitQueue queue(*environment, observer, CommitQueue::Leader::Caller);
  TestJob brief(putting("brief"));
  TestJob slow(putting("slow"));
  TestJob behind(putting("behind"));
  slow.takes_long = true;
  CHECK(queue.push(brief));
  CHECK_FALSE(queue.push(slow));
  CHECK_FALSE(queue.push(behind));
  CHECK(queue.lead_short_jobs() == Left::Long);
  CHECK(brief.wait());
  CHECK(slow.runs == 0);
  CHECK(behind.runs == 0);
  CHECK(queue.lead_short_jobs() == Left::Long);
  // It is still led: nobody who pushes is asked to.
  TestJob late(putting("late"));
  CHECK_FALSE(queue.push(late));
  CHECK_FALSE(queue.lead());
  CHECK(slow.wait());
  CHECK(behind.wait());
  CHECK(late.wait());
  CHECK(observer.good >= 2);
  CHECK(queue.lead_short_jobs() == Left::Nothing);
}

TEST_CASE("commit queue: one failing job does not fail the others of its batch", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  Observer observer;
  CommitQueue queue(*environment, observer, CommitQueue::Leader::Caller);
  TestJob before(putting("before"));
  TestJob failing([](WriteTransaction& transaction) -> Result<void> {
    STATOR_CHECK(transaction.put(Database::Items, "half", "a change"));
    return Error::internal_server_error();
  });
  TestJob throwing([](WriteTransaction& transaction) -> Result<void> {
    STATOR_CHECK(transaction.put(Database::Items, "half", "a change"));
    throw std::bad_alloc();
  });
  TestJob after(putting("after"));
  CHECK(queue.push(before));
  for (TestJob* job : {&failing, &throwing, &after}) CHECK_FALSE(queue.push(*job));
  lead_to_the_end(queue);
  CHECK(before.wait());
  CHECK_FALSE(failing.wait());
  CHECK_FALSE(throwing.wait());
  CHECK(after.wait());
  CHECK(before.runs == 2);
  CHECK(after.runs == 1);
  CHECK(get(*environment, "before") == "v");
  CHECK(get(*environment, "half") == std::nullopt);
  CHECK(get(*environment, "after") == "v");
  CHECK(observer.good == 2);
  CHECK(observer.bad == 3);
  CHECK(queue.counters().failed_batches == 3);
}

TEST_CASE("commit queue: a job that fails alone is run once", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  Observer observer;
  CommitQueue queue(*environment, observer, CommitQueue::Leader::Caller);
  TestJob failing([](WriteTransaction&) -> Result<void> { return Error::internal_server_error(); });
  CHECK(queue.push(failing));
  lead_to_the_end(queue);
  CHECK_FALSE(failing.wait());
  CHECK(failing.runs == 1);
}

TEST_CASE("commit queue: the observer writes into the batch or fails it", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  Observer observer;
  observer.fail_before_commit = GENERATE(false, true);
  CommitQueue queue(*environment, observer, CommitQueue::Leader::Caller);
  TestJob job(putting("k"));
  CHECK(queue.push(job));
  lead_to_the_end(queue);
  CHECK(job.wait() == !observer.fail_before_commit);
  ReadTransaction reader(*environment);
  unwrap(reader.acquire());
  CHECK(unwrap(reader.find(Database::Meta, "observed")).has_value() ==
        !observer.fail_before_commit);
  CHECK(unwrap(reader.find(Database::Items, "k")).has_value() == !observer.fail_before_commit);
}

TEST_CASE("commit queue: on a full map what fits is committed, the rest is refused", "[storage]") {
  const auto environment = open_or_throw(in_memory(1 << 20));
  Observer observer;
  CommitQueue queue(*environment, observer, CommitQueue::Leader::Caller);
  std::vector<std::unique_ptr<TestJob>> jobs;
  for (int i = 0; i < 40; ++i) {
    // Every fourth is too large for the map.
    const std::size_t size = i % 4 == 3 ? 2 << 20 : 1000;
    jobs.push_back(
        std::make_unique<TestJob>(putting("k" + std::to_string(i), std::string(size, 'x'))));
    CHECK(queue.push(*jobs.back()) == (i == 0));
  }
  lead_to_the_end(queue);
  for (int i = 0; i < 40; ++i) {
    const bool fits = i % 4 != 3;
    CHECK(jobs[static_cast<std::size_t>(i)]->wait() == fits);
    CHECK(get(*environment, "k" + std::to_string(i)).has_value() == fits);
  }
}

TEST_CASE("commit queue: on a full map a removal succeeds, whatever waits behind it", "[storage]") {
  const auto environment = open_or_throw(in_memory(1 << 20));
  Observer observer;
  CommitQueue queue(*environment, observer, CommitQueue::Leader::Caller);
  const auto put_one = [&](int number) {
    TestJob job(putting("k" + std::to_string(number), std::string(1000, 'x')));
    if (queue.push(job)) lead_to_the_end(queue);
    return job.wait();
  };
  int stored = 0;
  while (put_one(stored)) ++stored;
  TestJob removal([](WriteTransaction& transaction) -> Result<void> {
    STATOR_CHECK(transaction.erase(Database::Items, "k0").map([](bool) {}));
    return {};
  });
  removal.frees_space = true;
  removal.takes_long = GENERATE(false, true);
  TestJob too_much(putting("more", std::string(1 << 20, 'x')));
  REQUIRE(queue.push(removal));
  CHECK_FALSE(queue.push(too_much));
  lead_to_the_end(queue);
  CHECK(removal.wait());
  CHECK_FALSE(too_much.wait());
  CHECK_FALSE(get(*environment, "k0").has_value());
}

TEST_CASE("commit queue: stop finishes what waits and refuses what comes", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  Observer observer;
  const auto leader = GENERATE(CommitQueue::Leader::Caller, CommitQueue::Leader::Thread);
  CommitQueue queue(*environment, observer, leader);
  TestJob waiting(putting("waiting"));
  const bool should_lead = queue.push(waiting);
  CHECK(should_lead == (leader == CommitQueue::Leader::Caller));
  queue.stop();
  CHECK(waiting.wait());
  TestJob late(putting("late"));
  CHECK_FALSE(queue.push(late));
  CHECK_FALSE(late.wait());
  CHECK(late.runs == 0);
  queue.stop();
  // The one who was asked to lead comes after all.
  if (should_lead) CHECK_FALSE(queue.lead());
  CHECK(get(*environment, "waiting") == "v");
}

TEST_CASE("commit queue: many threads, each sees its writes after done", "[storage]") {
  const TemporaryFolder folder;
  const auto leader = GENERATE(CommitQueue::Leader::Caller, CommitQueue::Leader::Thread);
  const auto environment = open_or_throw(
      leader == CommitQueue::Leader::Thread ? on_disk(folder.path(), Sync::Commit) : in_memory());
  Observer observer;
  CommitQueue queue(*environment, observer, leader);
  constexpr int kThreads = 8;
  constexpr int kJobsEach = 200;
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      ReadTransaction reader(*environment);
      for (int i = 0; i < kJobsEach; ++i) {
        const std::string key = std::to_string(t) + "/" + std::to_string(i);
        // All threads add to one counter: none may be lost.
        TestJob job([&key](WriteTransaction& transaction) -> Result<void> {
          STATOR_CHECK(transaction.put(Database::Items, key, key));
          STATOR_TRY(const auto counter, transaction.find(Database::Items, "counter"));
          const int count = counter ? std::stoi(std::string(*counter)) : 0;
          return transaction.put(Database::Items, "counter", std::to_string(count + 1));
        });
        if (queue.push(job)) lead_to_the_end(queue);
        if (!job.wait()) ++failures;
        if (!reader.acquire()) ++failures;
        const auto found = reader.find(Database::Items, key);
        if (!found || *found != key) ++failures;
        reader.release();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(failures == 0);
  CHECK(get(*environment, "counter") == std::to_string(kThreads * kJobsEach));
  queue.stop();
  CHECK(queue.counters().jobs == kThreads * kJobsEach);
  CHECK(queue.counters().failed_batches == 0);
}

TEST_CASE("commit queue: stop while threads push loses no job", "[storage]") {
  const auto leader = GENERATE(CommitQueue::Leader::Caller, CommitQueue::Leader::Thread);
  for (int round = 0; round < 20; ++round) {
    const auto environment = open_or_throw(in_memory());
    Observer observer;
    CommitQueue queue(*environment, observer, leader);
    std::atomic<int> committed{0};
    std::atomic<int> pushed{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0;; ++i) {
          TestJob job(putting(std::to_string(t) + "/" + std::to_string(i)));
          if (queue.push(job)) lead_to_the_end(queue);
          ++pushed;
          if (!job.wait()) return;
          ++committed;
        }
      });
    }
    while (pushed < 10 + round) std::this_thread::yield();
    queue.stop();
    for (auto& thread : threads) thread.join();
    ReadTransaction reader(*environment);
    unwrap(reader.acquire());
    int stored = 0;
    std::string key;
    while (const auto record = unwrap(reader.seek(Database::Items, key, /*after=*/true))) {
      key = record->key;
      ++stored;
    }
    REQUIRE(stored == committed);
  }
}

}  // namespace
}  // namespace stator::storage
