// Test help: a dispatcher on an in-memory engine, without sockets.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/engine.h"
#include "engine/api/operation_table.h"
#include "server/dispatch/dispatcher.h"
#include "streams/operations.h"

namespace stator::test {

// Commits a call on the calling thread.
class CommitNow final : public WriteJob {
 public:
  using WriteJob::WriteJob;

  const std::optional<Error>& commit(Engine& engine) {
    if (engine.push(*this)) {
      while (engine.lead()) {
      }
    }
    return error();
  }
  void answered() noexcept override {}
};

class ServerUnderTest {
 public:
  // `recent`: what takes the requests; nullptr: nothing does. `faults`: the rules for requests that
  // fail on demand; their delays pass at once, and dropped requests have an empty answer.
  explicit ServerUnderTest(Options options = {},
                           OperationTable operations = OperationTable(all_families()),
                           RecentRequests* recent = nullptr, faults::FaultRules* faults = nullptr)
      : options_(std::move(options)),
        operations_(std::move(operations)),
        engine_(*Engine::open(options_.settings, clock_, random_, [](const std::string&) {})),
        log_(options_.slow_request),
        counters_(operations_.rows().size() + 1),
        dispatcher_(*engine_, operations_, clock_, options_, log_, /*seed=*/1, /*admin=*/nullptr,
                    &counters_, recent, /*is_loading=*/nullptr, faults) {}

  // As a session does it: bytes in pieces, an answer to each request handed to `heard`, until one
  // ends the connection.
  template <class Heard>
  void converse(std::string_view bytes, std::size_t piece, Heard heard) {
    using Progress = HttpRequestParser::Progress;
    constexpr std::size_t kPendingBytesMax = 64 * 1024;
    std::string pending;
    parser_.reset();
    while (!bytes.empty() || !pending.empty()) {
      const auto [consumed, progress] = parser_.feed(pending);
      pending.erase(0, consumed);
      if (progress == Progress::NeedMore) {
        if (bytes.empty() || pending.size() > kPendingBytesMax) return;
        pending += bytes.substr(0, piece);
        bytes.remove_prefix(std::min(piece, bytes.size()));
        continue;
      }
      exchange_.reset();
      if (progress != Progress::Complete) {
        dispatcher_.refuse(progress, parser_.request(), exchange_.out);
        heard(exchange_.out);
        return;
      }
      answer_request();
      exchange_.out += exchange_.body;
      heard(exchange_.out);
      if (exchange_.closes) return;
      parser_.reset();
    }
  }

  // The last answer to a run of bytes; empty when there is no complete request in them.
  std::string answer(std::string_view bytes) {
    std::string last;
    converse(bytes, bytes.size(), [&last](const std::string& answer) { last = answer; });
    return last;
  }

  ManualClock& clock() { return clock_; }

  // How many steps a read may take on the thread that serves connections.
  std::uint64_t steps_max = 0;
  // What the last request needed first.
  Dispatcher::Step first_step() const { return first_step_; }

  // What was counted: of an operation by its name, or of what names none.
  OperationTotals counted(std::string_view operation) const {
    const RequestTotals all = totals();
    const auto rows = operations_.rows();
    std::size_t number = 0;
    while (number < rows.size() && rows[number].name != operation) ++number;
    return all.operations[number];
  }
  RequestTotals totals() const {
    RequestTotals totals{std::vector<OperationTotals>(operations_.rows().size() + 1), 0, {}};
    counters_.add_to(totals);
    return totals;
  }

 private:
  class Patience final : public StopCondition {
   public:
    bool should_stop() noexcept override { return false; }
  };

  void answer_request() {
    HttpRequest& request = parser_.request();
    exchange_.closes = !request.keeps_alive();
    first_step_ = dispatcher_.begin(request, exchange_, steps_max);
    auto step = first_step_;
    if (step == Dispatcher::Step::Faulted) {
      const auto* const dropped = exchange_.fault.find<faults::FaultDrop>();
      if (dropped != nullptr) return dispatcher_.dropped(request, exchange_);
      step = dispatcher_.resume(request, exchange_, steps_max);
    }
    if (step == Dispatcher::Step::NeedsLane) {
      Patience patience;
      step = dispatcher_.work_on(request, exchange_, patience);
    }
    if (step == Dispatcher::Step::NeedsCommit) {
      CommitNow job{*engine_, exchange_.call};
      dispatcher_.finish(request, exchange_, job.commit(*engine_));
    }
  }

  Options options_;
  OperationTable operations_;
  ManualClock clock_{Timestamp{1'767'225'600'000'000}};  // 20260101T000000Z
  SeededRandom random_{1};
  std::unique_ptr<Engine> engine_;
  RequestLog log_;
  RequestCounters counters_;
  Dispatcher dispatcher_;
  HttpRequestParser parser_;
  Exchange exchange_;
  Dispatcher::Step first_step_{};
};

}  // namespace stator::test
