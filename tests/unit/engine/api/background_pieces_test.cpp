// Pieces of background work in the commit queue: a thread that serves connections, and leads for a
// write of its own, leaves them to others.
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

#include "engine/api/control.h"
#include "engine/indexes/backfill.h"
#include "engine/state/mutation.h"
#include "tests/unit/engine/harness/engine_harness.h"

namespace stator::test {
namespace {

using Outcome = Engine::LeadOutcome;

// Copies of items, in far more pieces than the test runs.
constexpr int kItems = 1100;
constexpr PieceLimits kSmallPieces{1, 1};
// A thread may also fall asleep before its piece is in the queue, but hardly so often in a row.
constexpr int kRoundsMax = 100;

void begin_long_backup(EngineHarness& engine) {
  REQUIRE(engine.call("CreateTable", hash_table("Things")).ok);
  for (int i = 0; i < kItems; ++i) {
    const std::string item = R"(,"Item":{"pk":{"S":"k)" + std::to_string(i) + R"("}}})";
    REQUIRE(engine.call("PutItem", R"({"TableName":"Things")" + item).ok);
  }
  REQUIRE(engine.call("CreateBackup", named("Things", R"(,"BackupName":"one")")).ok);
}

// Whether the thread of this process waits for something, or has ended.
bool is_asleep(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return true;
  const std::size_t name_end = text.rfind(')');
  return name_end == std::string::npos || text.substr(name_end + 2, 1) == "S";
}

// Runs `piece` on another thread while this one leads for a write, as a network thread does.
// Returns whether the write was answered while the piece was left.
bool is_left_to_others(EngineHarness& engine, const std::function<void()>& piece) {
  engine.leads = false;
  for (int round = 0; round < kRoundsMax; ++round) {
    const std::string item = R"(,"Item":{"pk":{"S":"w)" + std::to_string(round) + R"("}}})";
    const auto write = engine.begin("PutItem", R"({"TableName":"Things")" + item);
    std::atomic<pid_t> id = 0;
    std::thread maintainer([&] {
      id = gettid();
      piece();
    });
    // This thread is the leader already, so the piece is in the queue once the other one sleeps.
    while (id == 0 || !is_asleep(id)) std::this_thread::yield();
    Outcome left = Outcome::More;
    while (left == Outcome::More) left = engine.engine().lead_short_jobs();
    const bool is_answered = write->is_answered();
    // As the write lane does.
    if (left == Outcome::Long) {
      while (engine.engine().lead()) {
      }
    }
    maintainer.join();
    if (!is_answered) return false;
    if (left == Outcome::Long) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("background work: its pieces are left to threads that serve no connection", "[engine]") {
  EngineHarness engine;
  begin_long_backup(engine);
  SECTION("of a chore") {
    CHECK(is_left_to_others(engine, [&] { engine.maintain(kSmallPieces); }));
  }
  SECTION("of a job") {
    CHECK(is_left_to_others(engine, [&] {
      engine.engine().change([](const Catalog& /*catalog*/, Timestamp /*now*/, Mutation&) {});
    }));
  }
}

}  // namespace stator::test
