// Runtimes: calls meet processes, in either order, and each call has one end.
#include "server/triggers/runtimes/runtimes.h"

#include <atomic>
#include <thread>

#include <catch2/catch.hpp>

#include "server/options/trigger_flags.h"

namespace stator {
namespace {

using namespace triggers;
using Kind = RuntimeOutcome::Kind;

TriggerOptions options_of(const std::vector<std::string>& texts) {
  TriggerOptions options;
  for (const std::string& text : texts) options.functions.push_back(parse_function(text));
  return options;
}

struct World {
  const TriggerOptions options = options_of({"f", "g=http://h:1", "h"});
  Functions functions{options};
  Runtimes runtimes{functions};

  std::shared_ptr<RuntimePoll> poll(const std::string& function = "f") {
    auto poll = std::make_shared<RuntimePoll>(function, [this] { ++wakes; });
    runtimes.begin(poll);
    return poll;
  }
  // Calls beside the test, which must join.
  std::thread call(RuntimeOutcome& outcome, std::string id = "1",
                   std::chrono::milliseconds timeout = std::chrono::seconds(30)) {
    return std::thread([this, &outcome, id, timeout] {
      outcome = runtimes.call({"f", "arn", id, "{}", timeout});
    });
  }

  std::atomic<int> wakes{0};
};

// Polls until it has the call.
RuntimeEvent taken(World& world, RuntimePoll& poll) {
  for (;;) {
    if (auto event = world.runtimes.take(poll)) return *event;
    std::this_thread::yield();
  }
}

TEST_CASE("runtimes: the functions that have no server", "[triggers]") {
  World world;
  CHECK(world.runtimes.has("f"));
  CHECK(world.runtimes.has("h"));
  CHECK_FALSE(world.runtimes.has("g"));
  CHECK(world.runtimes.only_one().empty());
  const TriggerOptions one = options_of({"f", "g=http://h:1"});
  const Functions functions(one);
  CHECK(Runtimes(functions).only_one() == "f");
}

TEST_CASE("runtimes: without a process a call ends at once", "[triggers]") {
  World world;
  const auto outcome = world.runtimes.call({"f", "arn", "1", "{}", std::chrono::seconds(30)});
  CHECK(outcome.kind == Kind::NotReached);
  CHECK(outcome.why == "waiting for a runtime");
  CHECK_FALSE(world.runtimes.is_there_or_wanted("f", std::chrono::steady_clock::now()));
  int arrivals = 0;
  world.runtimes.on_arrival([&] { ++arrivals; });
  const auto poll = world.poll();
  CHECK(arrivals == 1);
  CHECK(world.runtimes.is_there_or_wanted("f", std::chrono::steady_clock::now()));
  world.runtimes.leave(*poll);
  world.poll();
  CHECK(arrivals == 1);  // no call waited for this one
}

TEST_CASE("runtimes: a call and its answer", "[triggers]") {
  World world;
  const auto poll = world.poll();
  RuntimeOutcome outcome;
  auto calling = world.call(outcome);
  const RuntimeEvent event = taken(world, *poll);
  CHECK(event.request_id == "1");
  CHECK(event.event == "{}");
  CHECK(event.time_left() > std::chrono::seconds(20));
  CHECK(world.wakes == 1);
  CHECK(world.runtimes.is_running("f", "1"));
  CHECK(world.runtimes.finish("f", "2", {Kind::Answered, "no"}) == Delivery::UnknownId);
  CHECK(world.runtimes.finish("h", "1", {Kind::Answered, "no"}) == Delivery::UnknownId);
  CHECK(world.runtimes.finish("f", "1", {Kind::Answered, "yes"}) == Delivery::Taken);
  CHECK(world.runtimes.finish("f", "1", {Kind::Answered, "yes"}) == Delivery::Repeated);
  calling.join();
  CHECK(outcome.kind == Kind::Answered);
  CHECK(outcome.body == "yes");
}

TEST_CASE("runtimes: the ends that a process does not bring", "[triggers]") {
  World world;
  const auto poll = world.poll();
  RuntimeOutcome outcome;
  SECTION("it is late") {
    auto calling = world.call(outcome, "1", std::chrono::milliseconds(20));
    calling.join();
    CHECK(outcome.kind == Kind::FunctionError);
    CHECK(outcome.body == R"({"errorType":"Sandbox.Timedout","errorMessage":)"
                          R"("RequestId: 1 Error: Task timed out after 0.02 seconds"})");
    CHECK(world.runtimes.finish("f", "1", {Kind::Answered, ""}) == Delivery::UnknownId);
  }
  SECTION("it ends") {
    auto calling = world.call(outcome);
    taken(world, *poll);
    { const RuntimeHold hold(world.runtimes, "f", "1"); }
    calling.join();
    CHECK(outcome.kind == Kind::FunctionError);
    CHECK(outcome.body.find("Runtime.ExitError") != std::string::npos);
  }
  SECTION("the server ends") {
    auto calling = world.call(outcome);
    taken(world, *poll);
    world.runtimes.stop();
    calling.join();
    CHECK(outcome.kind == Kind::NotReached);
    CHECK(world.runtimes.call({"f", "arn", "2", "{}", std::chrono::seconds(30)}).kind ==
          Kind::NotReached);
  }
}

TEST_CASE("runtimes: a process that leaves passes its call on", "[triggers]") {
  World world;
  const auto first = world.poll();
  RuntimeOutcome outcome;
  auto calling = world.call(outcome);
  while (world.wakes == 0) std::this_thread::yield();
  world.runtimes.leave(*first);
  CHECK_FALSE(world.runtimes.take(*first));
  const auto second = world.poll();
  CHECK(taken(world, *second).event == "{}");
  CHECK(world.runtimes.finish("f", "1", {Kind::Answered, "yes"}) == Delivery::Taken);
  calling.join();
  CHECK(outcome.body == "yes");
}

TEST_CASE("runtimes: processes leave from any place", "[triggers]") {
  World world;
  const auto first = world.poll();
  const auto second = world.poll();
  const auto third = world.poll();
  world.runtimes.leave(*second);
  world.runtimes.leave(*second);  // has left
  CHECK(world.runtimes.processes("f") == 2);
  RuntimeOutcome outcome;
  std::thread caller = world.call(outcome);
  CHECK(taken(world, *first).request_id == "1");
  world.runtimes.leave(*third);
  CHECK(world.runtimes.processes("f") == 1);
  CHECK(world.runtimes.finish("f", "1", {Kind::Answered, "a"}) == Delivery::Taken);
  caller.join();
  CHECK(outcome.body == "a");
}

// A walk over those that wait would take minutes here.
TEST_CASE("runtimes: many processes leave, the last one first", "[triggers]") {
  constexpr std::size_t kProcesses = 200'000;
  World world;
  std::vector<std::shared_ptr<RuntimePoll>> polls;
  for (std::size_t i = 0; i < kProcesses; ++i) polls.push_back(world.poll());
  for (; !polls.empty(); polls.pop_back()) world.runtimes.leave(*polls.back());
  CHECK(world.runtimes.processes("f") == 0);
}

TEST_CASE("runtimes: there is room for as many calls as processes", "[triggers]") {
  World world;
  CHECK(world.runtimes.has_room("f", 0));
  CHECK_FALSE(world.runtimes.has_room("f", 1));
  int arrivals = 0;
  world.runtimes.on_arrival([&] { ++arrivals; });
  const auto first = world.poll();
  CHECK(arrivals == 1);  // because there was no room
  CHECK_FALSE(world.runtimes.has_room("f", 1));
  const auto second = world.poll();
  CHECK(arrivals == 2);
  CHECK(world.runtimes.has_room("f", 1));
  CHECK(world.runtimes.processes("f") == 2);
}

TEST_CASE("runtimes: a process that cannot start", "[triggers]") {
  World world;
  world.runtimes.fail_start("f", "{}");
  CHECK(world.runtimes.init_error("f") == "{}");
  RuntimeCall call{"f", "arn", "1", "{}", std::chrono::seconds(30)};
  CHECK(world.runtimes.call(call).kind == Kind::NotReached);  // it is not of this call
  call.has_waited = true;
  const auto outcome = world.runtimes.call(call);
  CHECK(outcome.kind == Kind::FunctionError);
  CHECK(outcome.body == "{}");
  const auto poll = world.poll();
  CHECK(world.runtimes.init_error("f").empty());
}

}  // namespace
}  // namespace stator
