// See dispatcher.h.

#include "server/dispatch/dispatcher.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "engine/api/operation_table.h"
#include "protocol/json/json_reader.h"
#include "server/access/sts/sts.h"
#include "server/dispatch/auth.h"
#include "server/dispatch/cbor_body.h"
#include "server/dispatch/fault_effects.h"
#include "server/dispatch/unpacked_body.h"
#include "server/explain/requests/completed_request.h"
#include "server/http/header_text.h"
#include "server/http/request_kind.h"
#include "server/log/log.h"
#include "server/triggers/api/lambda_api.h"

namespace stator {

namespace {

constexpr std::string_view kText = "text/plain";
constexpr std::string_view kHealthy = "healthy: dynamodb.us-east-1.amazonaws.com ";
// DNS rebinding: a foreign host name that resolves to this machine (server/http/origin_policy.h).
constexpr std::string_view kForeignHost =
    "This server does not know the name in the header Host as its own; see --allow-host\n";
constexpr std::string_view kNoToken =
    "browsers need this server's token in the header x-stator-token, see --console-token";
constexpr std::string_view kNoTokenForAll =
    "with --auth this path needs this server's token in the header x-stator-token, see "
    "--console-token";
constexpr std::string_view kUnknownPage = "<UnknownOperationException/>\n";

// Stops after a number of steps.
class StepLimit final : public StopCondition {
 public:
  explicit StepLimit(std::uint64_t steps_max)
      : questions_left_(steps_max / Work::kStepsBetweenQuestions) {}

  bool should_stop() noexcept override {
    if (questions_left_ > 0) --questions_left_;
    return questions_left_ == 0;
  }
  bool has_left() const { return questions_left_ == 0; }

 private:
  std::uint64_t questions_left_;
};

// From this size on, reading a body takes about a millisecond. A packed one may be a thousand times
// as long unpacked.
constexpr std::size_t kLongBodyBytes = 256 * 1024;
constexpr std::size_t kLongPackedBodyBytes = 1024;

bool is_long_to_read(const HttpRequest& request) {
  const bool is_packed = request.has(Header::ContentEncoding);
  return request.body().size() >= (is_packed ? kLongPackedBodyBytes : kLongBodyBytes);
}

// DynamoDB Local's answer at the root is for programs that wait for exactly that one.
bool shows_pages(const Admin* admin, const Options& options) {
  return admin != nullptr && admin->console().is_served() &&
         options.root_answer == RootAnswer::Healthy;
}

}  // namespace

bool asks_for_health(const HttpRequest& request) {
  return is_get(request) && request.path() == "/healthz";
}

Dispatcher::Dispatcher(Engine& engine, const OperationTable& operations, const Clock& clock,
                       const Options& options, RequestLog& log, std::uint64_t seed, Admin* admin,
                       RequestCounters* counters, RecentRequests* recent,
                       const std::atomic<bool>* is_loading, faults::FaultRules* faults,
                       access::AccessControl* access, const LambdaServices& lambda)
    : engine_(engine),
      operations_(operations),
      clock_(clock),
      options_(options),
      log_(log),
      writer_(clock, seed,
              OriginPolicy(options.origins, options.tls.is_on(), admin != nullptr,
                           shows_pages(admin, options))),
      reads_(engine),
      admin_(admin),
      counters_(counters),
      recent_(recent),
      is_loading_(is_loading),
      faults_(faults),
      access_(options.auth == AuthMode::Off ? nullptr : access),
      noted_(options.access_report_file.empty() ? nullptr : access),
      lambda_(lambda) {}

// Handles all unexpected exceptions.
template <class Do>
Dispatcher::Step Dispatcher::guarded(const HttpRequest& request, Exchange& exchange,
                                     const Do& work) {
  try {
    return work();
  } catch (const MemoryExhausted&) {
    reads_.release();
    return Step::NoMemory;
  } catch (const std::exception& error) {
    log::error(std::string{"request failed: "} + error.what());
    reads_.release();
    exchange.out.clear();
    const Error unexpected = Error::internal_server_error();
    return answer_outcome(request, exchange, &unexpected);
  }
  return Step::Answered;
}

Dispatcher::Step Dispatcher::begin(HttpRequest& request, Exchange& exchange,
                                   std::uint64_t steps_max) {
  if (counters_ != nullptr || recent_ != nullptr || log_.wants_times())
    exchange.started = std::chrono::steady_clock::now();
  return guarded(request, exchange, [&] {
    if (answer_without_operation(request, exchange)) return Step::Answered;
    if (is_for_runtime(request)) return begin_runtime(request, exchange);
    if (is_for_admin(request)) return begin_admin(request, exchange);
    if (is_for_lambda(request)) return begin_lambda(request);
    if (is_long_to_read(request)) return Step::NeedsLane;
    Result<void> prepared = prepare(request, exchange);
    if (prepared && waits_first(exchange.fault)) return Step::Faulted;
    return execute(request, exchange, std::move(prepared), steps_max);
  });
}

Timestamp Dispatcher::engine_now() const { return engine_.clock().now(); }

Dispatcher::Step Dispatcher::resume(HttpRequest& request, Exchange& exchange,
                                    std::uint64_t steps_max) {
  return guarded(request, exchange,
                 [&] { return execute(request, exchange, Result<void>(), steps_max); });
}

Dispatcher::Step Dispatcher::execute(const HttpRequest& request, Exchange& exchange,
                                     Result<void> prepared, std::uint64_t steps_max) {
  if (prepared) prepared = fault_before(exchange);
  if (prepared) {
    if (is_dry_run(request)) return Step::NeedsLane;
    if (exchange.call.access == Access::Write) return Step::NeedsCommit;
    if (steps_max == 0) return Step::NeedsLane;
    StepLimit impatience(steps_max);
    prepared = read_for(impatience, exchange.call);
    if (impatience.has_left()) return Step::NeedsLane;
  }
  return answer_outcome(request, exchange, prepared ? nullptr : &prepared.error());
}

Result<void> Dispatcher::read_for(StopCondition& stop_condition, Call& call) {
  call.work.begin(&stop_condition);
  Result<void> outcome = engine_.read(call, reads_);
  call.work.set_stop_condition(nullptr);
  return outcome;
}

Dispatcher::Step Dispatcher::work_on(HttpRequest& request, Exchange& exchange,
                                     StopCondition& stop_condition) {
  return guarded(request, exchange, [&] {
    if (is_for_admin(request)) return administer(request, exchange, stop_condition);
    if (is_for_lambda(request)) return serve_lambda(request, exchange, stop_condition);
    Result<void> outcome;
    if (!exchange.is_read) {
      outcome = prepare(request, exchange);
      if (outcome && waits_first(exchange.fault)) return Step::Faulted;
      if (outcome) outcome = fault_before(exchange);
    }
    const bool is_dry = is_dry_run(request);
    if (outcome && !is_dry && exchange.call.access == Access::Write) return Step::NeedsCommit;
    exchange.call.reply.clear();
    if (outcome) {
      outcome =
          is_dry ? run_dry_for(stop_condition, exchange) : read_for(stop_condition, exchange.call);
    }
    return answer_outcome(request, exchange, outcome ? nullptr : &outcome.error());
  });
}

Dispatcher::Step Dispatcher::finish(const HttpRequest& request, Exchange& exchange,
                                    const std::optional<Error>& error) {
  if (exchange.call.memory.was_refused()) return Step::NoMemory;
  return answer_outcome(request, exchange, error ? &*error : nullptr);
}

// Handles health, CORS, and requests that the service's front end rejects.
bool Dispatcher::answer_without_operation(const HttpRequest& request, Exchange& exchange) {
  const auto done = [&](const Answer& what) {
    answer(request, exchange, what);
    return true;
  };
  const bool closes = exchange.closes;
  const Entry entry = writer_.origins().judge(request).entry;
  if (entry == Entry::ForeignHost) {
    return done({.status = 403, .content_type = kText, .body = kForeignHost, .closes = closes});
  }
  if (entry == Entry::ForeignOrigin) {
    answer_admin(request, exchange,
                 admin_error(403, "pages of this origin may not use this, see --cors"));
    return true;
  }
  if (entry == Entry::NoToken) {
    answer_admin(request, exchange,
                 admin_error(401, access_ != nullptr ? kNoTokenForAll : kNoToken));
    return true;
  }
  if (request.method() == Method::Options && request.has(Header::Origin)) {
    return done({.is_preflight = true, .closes = closes});
  }
  const bool is_read = is_get(request);
  if (asks_for_health(request)) {
    const bool is_loading = is_loading_ != nullptr && is_loading_->load();
    return done({.status = static_cast<std::uint16_t>(is_loading ? 503 : 200),
                 .content_type = kText,
                 .body = is_loading ? "loading the tables of --seed\n" : "ok\n",
                 .closes = closes});
  }
  if (access_ != nullptr && access::is_sts_request(request)) {
    answer_sts(request, exchange);
    return true;
  }
  if (is_read && request.path() == "/") {
    answer_root(request, exchange);
    return true;
  }
  if (is_for_runtime(request) || is_for_admin(request) || is_for_lambda(request)) return false;
  if (request.method() == Method::Post && (request.body().empty() || is_taken_type(request)))
    return false;
  return done({.status = 404, .body = kUnknownPage, .closes = closes});
}

void Dispatcher::answer_root(const HttpRequest& request, Exchange& exchange) {
  if (writer_.origins().is_console_visit(request)) {
    Answer visit = answer_to_page_visit();
    visit.closes = exchange.closes;
    return answer(request, exchange, visit);
  }
  if (options_.root_answer == RootAnswer::MissingToken) {
    // Some test libraries poll for this response and do not read it; their process then waits until
    // the connection ends: jest-dynamodb (issues 127 and 223 there).
    exchange.closes = true;
    return answer_error(
        request, exchange,
        Error(ErrorCode::MissingAuthenticationToken, "Request is missing Authentication Token"));
  }
  answer(request, exchange, {.content_type = kText, .body = kHealthy, .closes = exchange.closes});
}

Dispatcher::Step Dispatcher::begin_admin(HttpRequest& request, Exchange& exchange) {
  if (is_console_request(request)) {
    Answer page = admin_->console().answer(request, exchange.call.reply);
    exchange.call.memory.take(exchange.call.reply.capacity());
    page.closes = exchange.closes;
    answer(request, exchange, page);
    return Step::Answered;
  }
  exchange.queued = std::chrono::steady_clock::now();
  const AdminPlace place = admin_->place_of(request);
  if (place == AdminPlace::Alone) return Step::NeedsAdmin;
  if (place == AdminPlace::Reading) return Step::NeedsAdminRead;
  if (place == AdminPlace::Agent) return Step::NeedsFunction;
  StepLimit never_asked(0);
  return administer(request, exchange, never_asked);
}

Dispatcher::Step Dispatcher::administer(HttpRequest& request, Exchange& exchange,
                                        StopCondition& stop_condition) {
  const bool is_readable = unpack_body(request).has_value();
  answer_admin(request, exchange,
               is_readable
                   ? admin_->answer(request, exchange.call.arena, exchange.queued, stop_condition)
                   : admin_error(400, "the body's Content-Encoding cannot be undone"));
  return Step::Answered;
}

void Dispatcher::answer_admin(const HttpRequest& request, Exchange& exchange, AdminResponse what) {
  exchange.call.memory.take(what.body.capacity());
  exchange.call.reply = std::move(what.body);
  answer(request, exchange,
         {.status = what.status,
          .content_type = what.content_type,
          .body = exchange.call.reply,
          .allow = what.allow,
          .body_stays = true,
          .closes = exchange.closes});
}

Result<void> Dispatcher::prepare(HttpRequest& request, Exchange& exchange) {
  STATOR_CHECK(read_request(request, exchange));
  const bool has_faults = faults_ != nullptr && !is_of_console(request) &&
                          (faults_->any() || request.has(Header::XStatorFault));
  if (!has_faults || exchange.fault) return {};
  return inject(*faults_, request, engine_.clock().now(), exchange);
}

// Reads the body up to the typed request.
Result<void> Dispatcher::read_request(HttpRequest& request, Exchange& exchange) {
  Call& call = exchange.call;
  exchange.is_read = true;
  call.is_of_own_tool = request.is_of_own_tool() || is_of_console(request);
  // Looking at a table must not change how it throttles: a settled call draws nothing.
  if (is_of_console(request)) call.charging.settle();
  // Clients sign what they send, packed or not.
  const std::string body_sha256 =
      access_ != nullptr ? access::sha256_hex(request.body()) : std::string();
  STATOR_CHECK(unpack_body(request));
  STATOR_CHECK(read_cbor_body(request));
  const bool has_readers = admin_ != nullptr && admin_->readers() != nullptr;
  if (recent_ != nullptr || has_readers) {  // before parsing overwrites it
    const std::size_t kept_bytes = std::min(request.body().size(), options_.explain_bytes);
    if (kept_bytes > RecentRequest::bytes_max(RecentRequest::Part::Asked))
      call.memory.take(kept_bytes);
    exchange.asked.assign(request.body(), 0, kept_bytes);
    exchange.body_bytes = request.body().size();
  }
  const JsonNode* body = nullptr;  // in the arena, because typed requests refer to it
  if (!request.body().empty()) {
    const auto parsed = read_json(request.body(), call.arena);
    if (!parsed) return Error::serialization();
    body = call.arena.make<JsonNode>(*parsed);
  }
  call.operation = operations_.find(request.header(Header::XAmzTarget));
  if (call.operation == nullptr) {
    const std::string_view service = other_service(request);
    log_.unknown_operation(request.header(Header::XAmzTarget),
                           operations_.has_service(service) ? std::string_view() : service);
    return Error::unknown_operation();
  }
  STATOR_CHECK(identify(request, exchange, body_sha256));
  call.caller.host = plain_host(request.header(Header::Host));
  if (faults_ != nullptr && faults_->any_at_arrival() && !is_of_console(request) &&
      inject_at_arrival(*faults_, request, engine_.clock().now(), exchange))
    return {};
  if (body == nullptr) return Error::serialization();
  if (call.settings_of_account == nullptr && admin_ != nullptr)
    call.settings_of_account = admin_->changed_settings();
  Result<void> parsed = engine_.parse(*body, call);
  if (access_ == nullptr || !access_->evaluates()) {
    if (noted_ != nullptr && parsed) note_permissions(request, exchange);
    return parsed;
  }
  return authorize(request, exchange, *body, std::move(parsed));
}

void Dispatcher::answer_error(const HttpRequest& request, Exchange& exchange, const Error& error,
                              std::string_view explanation) {
  const bool is_plain = request.header(Header::XAmzTarget).starts_with(kKinesisTarget);
  const std::string body = body_for(request, is_plain ? error.render_plain() : error.render());
  answer(request, exchange,
         {.status = status_of(exchange, error),
          .content_type = answer_type(request),
          .body = body,
          .explanation = explanation,
          .closes = exchange.closes},
         &error);
}

Dispatcher::Step Dispatcher::answer_outcome(const HttpRequest& request, Exchange& exchange,
                                            const Error* error) {
  if (error == nullptr) error = fault_after(exchange);
  if (error != nullptr && !exchange.fault) log_unbuilt_member(exchange.call, *error);
  std::string explanation;
  const bool explains = recent_ != nullptr && recent_->is_on();
  const bool is_explained =
      is_dry_run(request) || (explains && request.has(Header::XStatorExplain));
  if (is_explained && may_explain(request, error)) explanation = explain(request, exchange, error);
  if (error != nullptr) {
    answer_error(request, exchange, *error, explanation);
  } else {
    if (is_cbor_request(request)) {
      exchange.call.reply = body_for(request, std::move(exchange.call.reply));
      exchange.call.memory.take(exchange.call.reply.capacity());
    }
    answer(request, exchange,
           {.content_type = answer_type(request),
            .body = exchange.call.reply,
            .explanation = explanation,
            .body_stays = true,
            .closes = exchange.closes});
  }
  if (exchange.fault) exchange.fault.of->answered(exchange.fault.number, writer_.last_request_id());
  if (exchange.denied_request != 0)
    access_->denials().set_request_id(exchange.denied_request, writer_.last_request_id());
  if (counters_ == nullptr && recent_ == nullptr) return Step::Answered;
  const auto took = std::chrono::steady_clock::now() - exchange.started;
  if (counters_ != nullptr) count_answer(request, exchange, error, took);
  if (error == nullptr && admin_ != nullptr) note_reader(request, exchange);
  record(request, answered(request, exchange, error, took, writer_.last_request_id()));
  return Step::Answered;
}

void Dispatcher::answer(const HttpRequest& request, Exchange& exchange, const Answer& answer,
                        const Error* error) {
  exchange.body = exchange.fault ? write_faulted(writer_, request, answer, exchange)
                                 : writer_.write(request, answer, exchange.out);
  if (log_.wants_times()) log_answer(request, exchange, answer.status, error);
}

}  // namespace stator
