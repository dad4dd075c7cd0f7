// Dispatcher: a complete HTTP request to an answer, in the service's order of checks
// (conformance/observed/wire.md 2). Synchronous, without sockets.
//
// Reads are executed at once. A write is left to the commit queue: begin() makes the call ready for
// a WriteJob and says so, finish() turns its outcome into the answer. One catch (...) here turns
// what nobody expected into a 500.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/call/call.h"
#include "engine/engine.h"
#include "server/admin/admin.h"
#include "server/explain/answered_request.h"
#include "server/explain/recent_requests.h"
#include "server/http_request.h"
#include "server/metrics/request_counters.h"
#include "server/options.h"
#include "server/reply.h"
#include "server/request_log.h"

namespace stator {

class OperationTable;

// What a request needs while it is processed, kept for the next one.
struct Exchange {
  // Ready for the next request; keeps a little memory.
  void reset();

  // Forgets everything but the answer, which is charged as a whole, and tells its bytes. Empty when
  // the memory for that is not there.
  std::optional<std::size_t> keep_answer_only();

  Call call;
  std::string out;                                // the answer's bytes, or their beginning
  std::string_view body;                          // those behind it, in `call.reply`
  bool closes = false;                            // the connection ends behind the answer
  std::string asked;                              // the body's beginning, while requests are kept
  std::size_t asked_bytes = 0;                    // of the whole body
  std::chrono::steady_clock::time_point started;  // set when requests are timed
};

// GET /healthz.
bool asks_for_health(const HttpRequest& request);

// Belongs to one thread.
class Dispatcher {
 public:
  // The references must outlive this. `seed`: for request ids, different for each dispatcher.
  // `admin`: nullptr when there is no admin path. `counters`, of this dispatcher alone: nullptr
  // when nobody can ask for them. `recent`: nullptr when none are kept. `is_loading`: while it is
  // true the server is not healthy yet; nullptr: it never is.
  Dispatcher(Engine& engine, const OperationTable& operations, const Clock& clock,
             const Options& options, RequestLog& log, std::uint64_t seed, Admin* admin = nullptr,
             RequestCounters* counters = nullptr, RecentRequests* recent = nullptr,
             const std::atomic<bool>* is_loading = nullptr);

  enum class Step : std::uint8_t {
    Answered,     // exchange.out is complete
    NeedsCommit,  // push a WriteJob for exchange.call, then finish()
    NeedsLane,    // a read that is long: work_on() it where others do not wait
    NeedsAdmin,   // a verb of the admin path that may take long: the same, one at a time
    NoMemory,     // the memory for all requests is used up
  };

  // `request` and `exchange` must outlive the commit. A read that takes `steps_max` steps
  // (Work) or more is left; with 0 it is not even tried. Throws std::bad_alloc when even the 500
  // found no memory.
  Step begin(HttpRequest& request, Exchange& exchange, std::uint64_t steps_max);
  // Does what begin() of any dispatcher left for NeedsLane or NeedsAdmin, for as long as `audience`
  // waits. Answered or NoMemory.
  Step work_on(HttpRequest& request, Exchange& exchange, Audience& audience);
  // `error`: the WriteJob's outcome. Answered or NoMemory.
  Step finish(const HttpRequest& request, Exchange& exchange, const std::optional<Error>& error);

  // The answer to what the parser refused.
  void refuse(HttpRequestParser::Progress progress, std::string& out);

 private:
  bool answer_without_operation(const HttpRequest& request, Exchange& exchange);
  bool is_for_admin(const HttpRequest& request) const {
    return admin_ != nullptr && Admin::is_meant(request);
  }
  Step begin_admin(HttpRequest& request, Exchange& exchange);
  Step administer(HttpRequest& request, Exchange& exchange, Audience& audience);
  void answer_admin(const HttpRequest& request, Exchange& exchange, AdminAnswer what);
  template <class Do>
  Step guarded(const HttpRequest& request, Exchange& exchange, const Do& work);
  Result<void> prepare(HttpRequest& request, Exchange& exchange);
  void answer_root(const HttpRequest& request, Exchange& exchange);
  void answer_error(const HttpRequest& request, Exchange& exchange, const Error& error,
                    std::string_view explanation = {});
  Result<void> read_for(Audience& audience, Call& call);
  // With the error, or where there is none with the call's reply.
  Step answer_outcome(const HttpRequest& request, Exchange& exchange, const Error* error);
  void answer(const HttpRequest& request, Exchange& exchange, const Answer& answer,
              const Error* error = nullptr);
  void count_answer(const Exchange& exchange, const Error* error,
                    std::chrono::nanoseconds took) const;
  AnsweredRequest answered(const HttpRequest& request, const Exchange& exchange, const Error* error,
                           std::chrono::nanoseconds took, std::string_view id) const;
  std::string explain(const HttpRequest& request, const Exchange& exchange, const Error* error);
  void log_answer(const HttpRequest& request, const Exchange& exchange, std::uint16_t status,
                  const Error* error) const;

  Engine& engine_;
  const OperationTable& operations_;
  const Clock& clock_;
  const Options& options_;
  RequestLog& log_;
  ReplyWriter writer_;
  Engine::Reader reads_;
  Admin* const admin_;
  RequestCounters* const counters_;
  RecentRequests* const recent_;
  const std::atomic<bool>* const is_loading_;
};

}  // namespace stator
