// EngineDriver: an engine that stands at a movable time, driven with JSON as a client would. Throws
// when it cannot be driven; what it answers is for the caller to judge.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "engine/api/control.h"
#include "engine/api/engine.h"
#include "engine/maintenance/maintenance.h"
#include "engine/state/snapshot.h"
#include "protocol/json/json_reader.h"
#include "tests/unit/engine/harness/all_operations.h"

namespace stator::test {

// What a call answered: JSON of the reply, or of the error.
struct Answer {
  bool ok = false;
  std::string json;
  std::int64_t units_milli = 0;

  // The text behind `"name":` up to the next comma or closing bracket of the same depth; empty when
  // there is none.
  std::string member(std::string_view name) const {
    const std::string quoted = "\"" + std::string(name) + "\":";
    const std::size_t start = json.find(quoted);
    if (start == std::string::npos) return {};
    std::size_t i = start + quoted.size();
    int depth = 0;
    bool in_string = false;
    const std::size_t begin = i;
    for (; i < json.size(); ++i) {
      const char c = json[i];
      if (in_string) {
        if (c == '\\') ++i;
        if (c == '"') in_string = false;
        continue;
      }
      if (c == '"') in_string = true;
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      if (depth < 0 || (depth == 0 && c == ',')) break;
    }
    return json.substr(begin, i - begin);
  }
};

class EngineDriver {
 public:
  explicit EngineDriver(Settings settings = {}) : settings_(std::move(settings)) { open(); }
  // On a clock of the caller's, which must outlive it.
  EngineDriver(Settings settings, const Clock& clock)
      : settings_(std::move(settings)), engine_clock_(&clock) {
    open();
  }

  EngineDriver(Settings settings, MovableClock& clock)
      : settings_(std::move(settings)), movable_(&clock) {
    open();
  }

  void open() {
    const auto warn = [this](const std::string& line) { warnings.push_back(line); };
    auto opened = movable_ != nullptr ? Engine::open(settings_, *movable_, random_, warn)
                                      : Engine::open(settings_, *engine_clock_, random_, warn);
    if (!opened) throw std::runtime_error(opened.error());
    engine_ = std::move(*opened);
  }
  // Until it is opened again nothing may be asked of it.
  void close() { engine_.reset(); }
  void reopen() {
    close();
    open();
  }

  // A call that was begun; it may be in flight. Must be gone before the driver.
  class Begun {
   public:
    bool is_answered() const { return is_answered_; }
    // REQUIRES: is_answered().
    const Answer& answer() const { return answer_; }

   private:
    friend class EngineDriver;
    class Job final : public WriteJob {
     public:
      Job(Begun& begun, Engine& engine, Call& call) : WriteJob(engine, call), begun_(begun) {}
      void answered() noexcept override { begun_.end(error()); }

     private:
      Begun& begun_;
    };
    void end(const std::optional<Error>& error) {
      answer_ = {!error, error ? error->render() : call_.reply, call_.units_milli};
      is_answered_ = true;  // last: the caller may destroy this now
    }

    std::string body_;
    Call call_;
    std::optional<Job> job_;
    std::atomic<bool> is_answered_ = false;
    Answer answer_;
  };

  std::unique_ptr<Begun> begin(std::string_view operation, std::string body,
                               std::string_view region = "us-east-1",
                               std::string_view access_key = "key") {
    auto begun = std::make_unique<Begun>();
    begun->body_ = std::move(body);
    Call& call = begun->call_;
    call.operation = operations_.find(std::string(kDynamoDbTarget) + std::string(operation));
    if (call.operation == nullptr)
      call.operation = operations_.find("DynamoDBStreams_20120810." + std::string(operation));
    if (call.operation == nullptr) throw std::runtime_error("no such operation");
    call.work.begin(stop_condition);
    call.caller = {region, access_key, "localhost:8000"};
    const auto root = read_json(begun->body_, call.arena);
    if (!root) throw std::runtime_error("the body is not JSON: " + begun->body_);
    std::optional<Error> refusal;
    if (auto parsed = engine_->parse(*root, call); !parsed) {
      refusal = std::move(parsed).error();
      begun->end(refusal);
    } else if (call.access == Access::Read) {
      Engine::Reader reader(*engine_);
      if (auto result = engine_->read(call, reader); !result) refusal = std::move(result).error();
      begun->end(refusal);
    } else {
      begun->job_.emplace(*begun, *engine_, call);
      if (engine_->push(*begun->job_) && leads) {
        while (engine_->lead()) {
        }
      }
    }
    return begun;
  }

  Answer call(std::string_view operation, std::string body, std::string_view region = "us-east-1",
              std::string_view access_key = "key") {
    const auto begun = begin(operation, std::move(body), region, access_key);
    wait_for_other_leader(*begun);
    if (!begun->is_answered()) throw std::runtime_error("the queue forgot a job");
    return begun->answer();
  }

  MaintenanceState maintain(const PieceLimits& limits = {}) { return engine_->maintain(limits); }
  // One piece; true: more is due.
  bool sweep() { return maintain().is_due; }

  Engine& engine() { return *engine_; }
  ManualClock& clock() { return clock_; }
  std::vector<std::string> warnings;
  // Who waits for the answers of calls; nullptr: for ever.
  StopCondition* stop_condition = nullptr;
  bool leads = true;  // what it pushes; otherwise somebody else has to

 private:
  // A maintainer's thread may lead, and answers what was pushed meanwhile. A minute ends a hang.
  static void wait_for_other_leader(const Begun& begun) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!begun.is_answered() && std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
  }

  const OperationTable operations_ = all_operations();
  Settings settings_;
  ManualClock clock_{Timestamp{1'790'000'000'123'000}};
  const Clock* engine_clock_ = &clock_;
  MovableClock* movable_ = nullptr;
  SeededRandom random_{42};
  std::unique_ptr<Engine> engine_;
};

}  // namespace stator::test
