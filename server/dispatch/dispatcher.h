// Dispatcher: turns a complete HTTP request into a response, in the service's order of checks
// (conformance/observed/wire.md 2). Synchronous, without sockets.
//
// Executes reads at once. Leaves writes to the commit queue: begin() prepares the call for a
// WriteJob and returns NeedsCommit; finish() turns the outcome into the response. Unexpected
// exceptions become a 500.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/dry_run.h"
#include "engine/api/engine.h"
#include "engine/call/call.h"
#include "server/access/access_control.h"
#include "server/dispatch/admin.h"
#include "server/dispatch/request_counters.h"
#include "server/dispatch/request_log.h"
#include "server/explain/requests/completed_request.h"
#include "server/explain/requests/recent_requests.h"
#include "server/faults/fault_rules.h"
#include "server/http/http_request.h"
#include "server/http/reply.h"
#include "server/http/request_kind.h"
#include "server/options/options.h"

namespace stator {

class OperationTable;
struct TouchedAccess;
namespace triggers {
class Invoker;
class LambdaApi;
struct LambdaResponse;
class Runtimes;
struct RuntimeEvent;
}  // namespace triggers

// What serves the requests of Lambda. Each may be nullptr; they must outlive the dispatcher.
struct LambdaServices {
  triggers::LambdaApi* api = nullptr;
  triggers::Runtimes* runtimes = nullptr;
  triggers::Invoker* invoker = nullptr;
};

// The memory of one request, reused for the next one.
struct Exchange {
  // Prepares for the next request; retains a little memory.
  void reset();

  // Drops everything but the response and charges all of it. Returns its bytes; empty if the memory
  // budget does not allow them.
  std::optional<std::size_t> keep_answer_only();

  Call call;
  std::string out;                                 // the response, or its beginning
  std::string_view body;                           // the rest, in `call.reply`
  bool closes = false;                             // close the connection after the response
  bool is_read = false;                            // and the typed request is in `call`
  std::string asked;                               // the body's beginning, if requests are recorded
  std::size_t body_bytes = 0;                      // of the whole body
  std::unique_ptr<DryRun> would;                   // after a dry run that succeeded
  std::chrono::steady_clock::time_point started;   // set when requests are timed
  std::chrono::steady_clock::time_point queued;    // set for verbs of the admin path
  faults::InjectedFault fault;                     // decided once the request is in `call`
  std::optional<Error> fault_error;                // the error that it answers, if that is its kind
  std::shared_ptr<const access::Identity> sender;  // who signed it; nullptr: --auth off
  std::uint64_t denied_request = 0;                // of access::RecentDenials; 0: nothing is denied
};

// GET /healthz.
bool asks_for_health(const HttpRequest& request);

// One thread at a time.
class Dispatcher {
 public:
  // The references must outlive this. `seed`, for request ids, must differ between dispatchers.
  // These may be nullptr: `admin` without an admin path; `counters`, for this dispatcher alone,
  // without metrics; `recent` if no requests are recorded; `is_loading`, which makes the server
  // unhealthy while true; `faults` if no request fails on demand; `access` with --auth off and no
  // --access-report;
  // the members of `lambda` without what they serve.
  Dispatcher(Engine& engine, const OperationTable& operations, const Clock& clock,
             const Options& options, RequestLog& log, std::uint64_t seed, Admin* admin = nullptr,
             RequestCounters* counters = nullptr, RecentRequests* recent = nullptr,
             const std::atomic<bool>* is_loading = nullptr, faults::FaultRules* faults = nullptr,
             access::AccessControl* access = nullptr, const LambdaServices& lambda = {});

  enum class Step : std::uint8_t {
    Answered,        // exchange.out is complete
    NeedsCommit,     // push a WriteJob for exchange.call, then finish()
    NeedsLane,       // long read or body: call work_on() where no other request waits
    NeedsAdmin,      // admin verb, or Lambda's, that changes data: likewise, one at a time
    NeedsAdminRead,  // one that changes nothing: likewise, beside those
    NeedsFunction,   // calls a function, or this server for an agent: likewise, beside all those
    NeedsEvent,      // waits for the call of a function: poll, then answer_event()
    NoMemory,        // the memory budget of all requests is used up
    Faulted,         // do what exchange.fault does before the request, then resume()
  };
  // Whether work_on() does the rest on another thread.
  static bool needs_lane(Step step) {
    return step == Step::NeedsLane || step == Step::NeedsAdmin || step == Step::NeedsAdminRead ||
           step == Step::NeedsFunction;
  }

  // `request` and `exchange` must outlive the commit. Returns NeedsLane for a large body and for a
  // read of `steps_max` steps (Work) or more; with 0 no read is tried. Throws std::bad_alloc if
  // there is no memory even for the 500.
  Step begin(HttpRequest& request, Exchange& exchange, std::uint64_t steps_max);
  // Continues after Faulted, like begin().
  Step resume(HttpRequest& request, Exchange& exchange, std::uint64_t steps_max);
  // The time of the engine's clock.
  Timestamp engine_now() const;
  // Records a request that a fault left without an answer.
  void dropped(const HttpRequest& request, const Exchange& exchange);
  // Continues in a lane what begin() of any dispatcher left, until `stop_condition` says stop.
  // Returns Answered, NoMemory, or NeedsCommit after the body of a write.
  Step work_on(HttpRequest& request, Exchange& exchange, StopCondition& stop_condition);
  // `error` is the WriteJob's outcome. Returns Answered or NoMemory.
  Step finish(const HttpRequest& request, Exchange& exchange, const std::optional<Error>& error);

  // ---- After NeedsEvent ----

  // REQUIRES: a step was NeedsEvent.
  triggers::Runtimes& runtimes() const { return *lambda_.runtimes; }
  // The function whose calls the request polls for.
  std::string polled_function(const HttpRequest& request) const;
  // Responds to the poll with a call. Returns Answered or NoMemory.
  Step answer_event(const HttpRequest& request, Exchange& exchange, triggers::RuntimeEvent event);
  // The connection's process has a call already.
  Step refuse_poll(const HttpRequest& request, Exchange& exchange);

  // Responds to a request that the parser rejected; `request` has what it read of the header.
  void refuse(HttpRequestParser::Progress progress, const HttpRequest& request, std::string& out);
  // Responds without TLS to a client that speaks http to an https port.
  void refuse_plain_http(std::string& out);

 private:
  bool answer_without_operation(const HttpRequest& request, Exchange& exchange);
  bool is_for_admin(const HttpRequest& request) const {
    return admin_ != nullptr && is_admin_request(request);
  }
  // A dry run is decided and explained, but changes nothing.
  static bool is_dry_run(const HttpRequest& request) { return request.has(Header::XStatorDryRun); }
  // Whether the request leaves no trace where those of clients do: it is a dry run, or the console
  // sends it for itself. Without an admin path there is no console, and its header means nothing.
  bool is_of_console(const HttpRequest& request) const {
    return is_dry_run(request) || (admin_ != nullptr && request.has(Header::XStatorConsole));
  }
  // With access control, explanations of errors, which may name tables, are for those who may use
  // the admin path.
  bool may_explain(const HttpRequest& request, const Error* error) const {
    return access_ == nullptr || writer_.origins().has_token(request) ||
           (error == nullptr && is_dry_run(request));
  }
  bool is_for_lambda(const HttpRequest& request) const;
  Step begin_lambda(const HttpRequest& request) const;
  Step serve_lambda(HttpRequest& request, Exchange& exchange, StopCondition& stop_condition);
  void record_lambda(const HttpRequest& request, const Exchange& exchange,
                     const triggers::LambdaResponse& response);
  bool is_for_runtime(const HttpRequest& request) const {
    return lambda_.runtimes != nullptr && is_runtime_request(request);
  }
  Step begin_runtime(HttpRequest& request, Exchange& exchange);
  void answer_runtime(const HttpRequest& request, Exchange& exchange, std::uint16_t status,
                      std::string body);
  // Returns whether the request brings the response of a function.
  bool refuse_long_response(const HttpRequest& request, std::string& out);
  Step begin_admin(HttpRequest& request, Exchange& exchange);
  Step administer(HttpRequest& request, Exchange& exchange, StopCondition& stop_condition);
  void answer_admin(const HttpRequest& request, Exchange& exchange, AdminResponse what);
  template <class Do>
  Step guarded(const HttpRequest& request, Exchange& exchange, const Do& work);
  // Reads the request and decides whether it fails on demand.
  Result<void> prepare(HttpRequest& request, Exchange& exchange);
  Result<void> read_request(HttpRequest& request, Exchange& exchange);
  // These are in access_steps.cpp.
  Result<void> identify(const HttpRequest& request, Exchange& exchange,
                        std::string_view body_sha256);
  // Whether a request to another API of the port has the signature of a known sender. REQUIRES: the
  // body is as it was sent.
  Result<void> verify(const HttpRequest& request, Exchange& exchange, std::string_view service);
  Result<void> authorize(const HttpRequest& request, Exchange& exchange, const JsonNode& body,
                         Result<void> parsed);
  Result<std::vector<TouchedAccess>> accesses_of(Exchange& exchange, const JsonNode& body,
                                                 Result<void>& parsed);
  void note_permissions(const HttpRequest& request, Exchange& exchange);
  void answer_sts(const HttpRequest& request, Exchange& exchange);
  Step execute(const HttpRequest& request, Exchange& exchange, Result<void> prepared,
               std::uint64_t steps_max);
  void record(const HttpRequest& request, const CompletedRequest& what);
  // Notes who has read how far, if the request is a GetRecords of a stream that succeeded.
  void note_reader(const HttpRequest& request, const Exchange& exchange);
  void answer_root(const HttpRequest& request, Exchange& exchange);
  void answer_error(const HttpRequest& request, Exchange& exchange, const Error& error,
                    std::string_view explanation = {});
  Result<void> read_for(StopCondition& stop_condition, Call& call);
  Result<void> run_dry_for(StopCondition& stop_condition, Exchange& exchange);
  // Responds with `error`, or with the call's reply if that is nullptr.
  Step answer_outcome(const HttpRequest& request, Exchange& exchange, const Error* error);
  void answer(const HttpRequest& request, Exchange& exchange, const Answer& answer,
              const Error* error = nullptr);
  void count_answer(const HttpRequest& request, const Exchange& exchange, const Error* error,
                    std::chrono::nanoseconds took) const;
  CompletedRequest answered(const HttpRequest& request, const Exchange& exchange,
                            const Error* error, std::chrono::nanoseconds took,
                            std::string_view id) const;
  std::string explain(const HttpRequest& request, const Exchange& exchange, const Error* error);
  // Logs a member of a supported operation that is not supported.
  void log_unbuilt_member(const Call& call, const Error& error) const;
  void log_answer(const HttpRequest& request, const Exchange& exchange, std::uint16_t status,
                  const Error* error) const;

  Engine& engine_;
  const OperationTable& operations_;
  const Clock& clock_;
  const Options& options_;
  RequestLog& log_;
  ResponseWriter writer_;
  Engine::Reader reads_;
  Admin* const admin_;
  RequestCounters* const counters_;
  RecentRequests* const recent_;
  const std::atomic<bool>* const is_loading_;
  faults::FaultRules* const faults_;
  access::AccessControl* const access_;  // nullptr: --auth off
  access::AccessControl* const noted_;   // nullptr: no --access-report
  const LambdaServices lambda_;
};

}  // namespace stator
