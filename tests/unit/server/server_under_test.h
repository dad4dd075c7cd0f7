// Test help: a dispatcher on an in-memory engine, without sockets.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "server/dispatcher.h"
#include "tests/unit/engine/all_operations.h"

namespace stator::test {

// Commits a call on the calling thread.
class CommitNow final : public WriteJob {
 public:
  using WriteJob::WriteJob;

  const std::optional<Error>& commit(storage::CommitQueue& queue) {
    if (queue.push(*this)) {
      while (queue.lead()) {
      }
    }
    return error();
  }
  void answered() noexcept override {}
};

class ServerUnderTest {
 public:
  explicit ServerUnderTest(Options options = {}, OperationTable operations = test::all_operations())
      : options_(std::move(options)),
        operations_(std::move(operations)),
        engine_(*Engine::open(options_.settings, clock_, random_, [](const std::string&) {})),
        log_(options_.slow_request),
        counters_(operations_.rows().size() + 1),
        dispatcher_(*engine_, operations_, clock_, options_, log_, /*seed=*/1, /*admin=*/nullptr,
                    &counters_) {}

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
        dispatcher_.refuse(progress, exchange_.out);
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

  // What was counted: of an operation by its name, or of what names none.
  OperationTotals counted(std::string_view operation) const {
    const RequestTotals all = totals();
    const auto rows = operations_.rows();
    std::size_t number = 0;
    while (number < rows.size() && rows[number].name != operation) ++number;
    return all.operations[number];
  }
  RequestTotals totals() const {
    RequestTotals totals{std::vector<OperationTotals>(operations_.rows().size() + 1), {}};
    counters_.add_to(totals);
    return totals;
  }

 private:
  class Patience final : public Audience {
   public:
    bool is_waiting() noexcept override { return true; }
  };

  void answer_request() {
    HttpRequest& request = parser_.request();
    exchange_.closes = !request.keeps_alive();
    const auto step = dispatcher_.begin(request, exchange_, /*is_long_expected=*/false);
    if (step == Dispatcher::Step::NeedsCommit) {
      CommitNow job{*engine_, exchange_.call};
      dispatcher_.finish(request, exchange_, job.commit(engine_->commit_queue()));
    } else if (step == Dispatcher::Step::NeedsLane) {
      Patience patience;
      dispatcher_.work_on(request, exchange_, patience);
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
};

}  // namespace stator::test
