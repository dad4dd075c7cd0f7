// See dispatcher.h.

#include "server/dispatcher.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "engine/operations/operation_table.h"
#include "protocol/json_reader.h"
#include "protocol/limits.h"
#include "server/auth.h"
#include "server/compression.h"
#include "server/explain/answered_request.h"
#include "server/explain/explanation.h"
#include "server/explain/hints.h"
#include "server/header_text.h"
#include "server/log.h"

namespace stator {

namespace {

constexpr std::string_view kJson10 = "application/x-amz-json-1.0";
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kText = "text/plain";
constexpr std::string_view kHealthy = "healthy: dynamodb.us-east-1.amazonaws.com ";
// DNS rebinding: a page's own name that points at this machine (server/origin_policy.h).
constexpr std::string_view kForeignHost =
    "A browser asks for this server by a name that it does not know as its own; see --allow-host\n";
constexpr std::string_view kUnknownPage = "<UnknownOperationException/>\n";

constexpr std::size_t kReplyBytesKept = 64 * 1024;

std::string_view media_type(const HttpRequest& request) {
  std::string_view text = request.header(Header::ContentType);
  return trim_blanks(next_part(text, ';'));
}

bool is_json_1_0(const HttpRequest& request) {
  return equals_ignoring_case(media_type(request), kJson10);
}

std::string_view answer_type(const HttpRequest& request) {
  return is_json_1_0(request) ? kJson10 : kJson;
}

std::string_view method_name(Method method) {
  switch (method) {
    case Method::Get:
      return "GET";
    case Method::Head:
      return "HEAD";
    case Method::Options:
      return "OPTIONS";
    case Method::Post:
      return "POST";
    case Method::Other:
      break;
  }
  return "other method";
}

bool is_get(const HttpRequest& request) {
  return request.method() == Method::Get || request.method() == Method::Head;
}

// DescribeEndpoints gives the host back, so only what a host can look like gets through.
std::string_view plain_host(std::string_view host) {
  const bool is_plain = std::all_of(host.begin(), host.end(), [](char c) {
    const char lower = to_lower(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') ||
           std::string_view{".:-_[]%"}.find(c) != std::string_view::npos;
  });
  return is_plain ? host : std::string_view{};
}

// Waits for so many steps.
class Impatience final : public Audience {
 public:
  explicit Impatience(std::uint64_t steps_max)
      : questions_left_(steps_max / Work::kStepsBetweenQuestions) {}

  bool is_waiting() noexcept override {
    if (questions_left_ > 0) --questions_left_;
    return questions_left_ > 0;
  }
  bool has_left() const { return questions_left_ == 0; }

 private:
  std::uint64_t questions_left_;
};

// An operation, built or not; empty where none was named.
std::string_view operation_name(const HttpRequest& request, const Call& call) {
  if (call.operation != nullptr) return call.operation->name;
  const std::string_view target = request.header(Header::XAmzTarget);
  return target.substr(target.rfind('.') + 1);
}

// The body as the client meant it: unpacked in place. Content codings cannot be stacked here.
Result<void> unpack_body(HttpRequest& request) {
  const std::string_view coding = request.header(Header::ContentEncoding);
  if (coding.empty() || equals_ignoring_case(coding, "identity")) return {};
  const bool is_gzip = equals_ignoring_case(coding, "gzip");
  if (request.has_repeated_encoding() || !(is_gzip || equals_ignoring_case(coding, "deflate"))) {
    return Error::internal_failure();
  }
  std::string unpacked;
  if (inflate_body(request.body(), is_gzip ? Encoding::Gzip : Encoding::Deflate,
                   limits::kRequestBodyBytesMax, unpacked) != Inflated::Ok) {
    return Error::internal_failure();
  }
  request.body().swap(unpacked);
  return {};
}

}  // namespace

bool asks_for_health(const HttpRequest& request) {
  return is_get(request) && request.path() == "/healthz";
}

void Exchange::reset() {
  call.reset();
  if (out.capacity() > kReplyBytesKept) {
    std::string{}.swap(out);
  } else {
    out.clear();
  }
  body = {};
  closes = false;
  asked.clear();
  asked_bytes = 0;
}

std::optional<std::size_t> Exchange::keep_answer_only() {
  call.arena.reset();
  call.memory.release();
  const std::size_t held_bytes = out.capacity() + call.reply.capacity();
  if (!call.memory.try_take(held_bytes)) return std::nullopt;
  return held_bytes;
}

Dispatcher::Dispatcher(Engine& engine, const OperationTable& operations, const Clock& clock,
                       const Options& options, RequestLog& log, std::uint64_t seed, Admin* admin,
                       RequestCounters* counters, RecentRequests* recent,
                       const std::atomic<bool>* is_loading)
    : engine_(engine),
      operations_(operations),
      clock_(clock),
      options_(options),
      log_(log),
      writer_(clock, seed, OriginPolicy(options.origins)),
      reads_(engine),
      admin_(admin),
      counters_(counters),
      recent_(recent),
      is_loading_(is_loading) {}

// One catch for all that nobody expected.
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
    if (is_for_admin(request)) return begin_admin(request, exchange);
    Result<void> outcome = prepare(request, exchange);
    if (outcome) {
      if (exchange.call.access == Access::Write) return Step::NeedsCommit;
      if (steps_max == 0) return Step::NeedsLane;
      Impatience impatience(steps_max);
      outcome = read_for(impatience, exchange.call);
      if (impatience.has_left()) return Step::NeedsLane;
    }
    return answer_outcome(request, exchange, outcome ? nullptr : &outcome.error());
  });
}

Result<void> Dispatcher::read_for(Audience& audience, Call& call) {
  call.work.begin(&audience);
  Result<void> outcome = engine_.read(call, reads_);
  call.work.listen_to(nullptr);
  return outcome;
}

Dispatcher::Step Dispatcher::work_on(HttpRequest& request, Exchange& exchange, Audience& audience) {
  return guarded(request, exchange, [&] {
    if (is_for_admin(request)) return administer(request, exchange, audience);
    exchange.call.reply.clear();
    const Result<void> outcome = read_for(audience, exchange.call);
    return answer_outcome(request, exchange, outcome ? nullptr : &outcome.error());
  });
}

Dispatcher::Step Dispatcher::finish(const HttpRequest& request, Exchange& exchange,
                                    const std::optional<Error>& error) {
  if (exchange.call.memory.was_refused()) return Step::NoMemory;
  return answer_outcome(request, exchange, error ? &*error : nullptr);
}

void Dispatcher::refuse(HttpRequestParser::Progress progress, std::string& out) {
  const bool is_too_large = progress == HttpRequestParser::Progress::BodyTooLarge;
  const std::uint16_t status = is_too_large ? 413 : 400;
  writer_.write_refusal(status, out);
  if (counters_ != nullptr) {
    is_too_large ? counters_->count_too_large() : counters_->count_malformed();
  }
  if (!log_.wants_times()) return;
  log_.write({.operation = is_too_large ? "body too large" : "no HTTP request",
              .table = {},
              .status = status,
              .error = {},
              .error_message = {},
              .request_id = writer_.last_request_id(),
              .region = {},
              .access_key = {},
              .units_milli = 0,
              .took_us = 0});
}

// Health, CORS, and what the service's front end does not pass on.
bool Dispatcher::answer_without_operation(const HttpRequest& request, Exchange& exchange) {
  const auto done = [&](const Answer& what) {
    answer(request, exchange, what);
    return true;
  };
  const bool closes = exchange.closes;
  if (request.has(Header::Origin) && !writer_.origins().is_own_host(request.header(Header::Host))) {
    return done({.status = 403, .content_type = kText, .body = kForeignHost, .closes = closes});
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
  if (is_read && request.path() == "/") {
    answer_root(request, exchange);
    return true;
  }
  if (is_for_admin(request)) return false;
  const bool is_known_type =
      is_json_1_0(request) || equals_ignoring_case(media_type(request), kJson);
  if (request.method() == Method::Post && (request.body().empty() || is_known_type)) return false;
  return done({.status = 404, .body = kUnknownPage, .closes = closes});
}

void Dispatcher::answer_root(const HttpRequest& request, Exchange& exchange) {
  if (options_.root_answer == RootAnswer::MissingToken) {
    // Test libraries that poll for this answer leave it unread and their process waits for the
    // connection to end: jest-dynamodb (issues 127 and 223 there).
    exchange.closes = true;
    return answer_error(
        request, exchange,
        Error(ErrorCode::MissingAuthenticationToken, "Request is missing Authentication Token"));
  }
  answer(request, exchange, {.content_type = kText, .body = kHealthy, .closes = exchange.closes});
}

// A page may send what it likes without asking a browser's leave, as long as its body says that it
// is text: so the origin is looked at here, not only told.
Dispatcher::Step Dispatcher::begin_admin(HttpRequest& request, Exchange& exchange) {
  const bool is_page = request.has(Header::Origin);
  if (is_page && writer_.origins().allowed_origin(request.header(Header::Origin)).empty()) {
    answer_admin(request, exchange,
                 admin_error(403, "pages of this origin may not use this, see --cors"));
    return Step::Answered;
  }
  if (Admin::is_long(request)) return Step::NeedsAdmin;
  Impatience never_asked(0);
  return administer(request, exchange, never_asked);
}

Dispatcher::Step Dispatcher::administer(HttpRequest& request, Exchange& exchange,
                                        Audience& audience) {
  const bool is_readable = unpack_body(request).has_value();
  answer_admin(request, exchange,
               is_readable ? admin_->answer(request, exchange.call.arena, audience)
                           : admin_error(400, "the body's Content-Encoding cannot be undone"));
  return Step::Answered;
}

void Dispatcher::answer_admin(const HttpRequest& request, Exchange& exchange, AdminAnswer what) {
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

// Everything up to the typed request.
Result<void> Dispatcher::prepare(HttpRequest& request, Exchange& exchange) {
  Call& call = exchange.call;
  STATOR_CHECK(unpack_body(request));
  if (recent_ != nullptr) {  // before it is read in place
    exchange.asked.assign(request.body(), 0, RecentRequest::bytes_max(RecentRequest::Part::Asked));
    exchange.asked_bytes = request.body().size();
  }
  const JsonNode* body = nullptr;  // in the arena, because typed requests refer to it
  if (!request.body().empty()) {
    const auto parsed = read_json(request.body(), call.arena);
    if (!parsed) return Error::serialization();
    body = call.arena.make<JsonNode>(*parsed);
  }
  call.operation = operations_.find(request.header(Header::XAmzTarget));
  if (call.operation == nullptr) {
    if (request.has(Header::XAmzTarget)) log_.unknown_operation(request.header(Header::XAmzTarget));
    return Error::unknown_operation();
  }
  std::optional<Timestamp> now;
  if (options_.checks_signature_age) now = clock_.now();
  STATOR_TRY(call.caller, authenticate(request, now, call.arena));
  call.caller.host = plain_host(request.header(Header::Host));
  if (body == nullptr) return Error::serialization();
  return engine_.parse(*body, call);
}

void Dispatcher::answer_error(const HttpRequest& request, Exchange& exchange, const Error& error,
                              std::string_view explanation) {
  const std::string body = error.render();
  answer(request, exchange,
         {.status = error_info(error.code()).http_status,
          .content_type = answer_type(request),
          .body = body,
          .explanation = explanation,
          .closes = exchange.closes},
         &error);
}

Dispatcher::Step Dispatcher::answer_outcome(const HttpRequest& request, Exchange& exchange,
                                            const Error* error) {
  std::string explanation;
  if (recent_ != nullptr && request.has(Header::XStatorExplain))
    explanation = explain(request, exchange, error);
  if (error != nullptr) {
    answer_error(request, exchange, *error, explanation);
  } else {
    answer(request, exchange,
           {.content_type = answer_type(request),
            .body = exchange.call.reply,
            .explanation = explanation,
            .body_stays = true,
            .closes = exchange.closes});
  }
  if (counters_ == nullptr && recent_ == nullptr) return Step::Answered;
  const auto took = std::chrono::steady_clock::now() - exchange.started;
  if (counters_ != nullptr) count_answer(exchange, error, took);
  if (recent_ != nullptr) {
    recent_->add([&](RecentRequest& kept) {
      keep(answered(request, exchange, error, took, writer_.last_request_id()), kept);
    });
  }
  return Step::Answered;
}

void Dispatcher::count_answer(const Exchange& exchange, const Error* error,
                              std::chrono::nanoseconds took) const {
  const Operation* const operation = exchange.call.operation;
  counters_->count(
      operation != nullptr ? operations_.number_of(*operation) : operations_.rows().size(),
      error != nullptr ? std::optional(error->code()) : std::nullopt, took,
      !exchange.call.charging.refused().empty());
}

AnsweredRequest Dispatcher::answered(const HttpRequest& request, const Exchange& exchange,
                                     const Error* error, std::chrono::nanoseconds took,
                                     std::string_view id) const {
  return {.call = exchange.call,
          .error = error,
          .id = id,
          .operation = operation_name(request, exchange.call),
          .asked = exchange.asked,
          .asked_bytes = exchange.asked_bytes,
          .now = engine_.clock().now(),
          .took = took};
}

// For the one request that asks for it, whatever that costs.
std::string Dispatcher::explain(const HttpRequest& request, const Exchange& exchange,
                                const Error* error) {
  const auto kept = std::make_unique<RecentRequest>();
  const auto took = std::chrono::steady_clock::now() - exchange.started;
  keep(answered(request, exchange, error, took, {}), *kept);
  Findings findings;
  const auto looked = engine_.look(reads_, [&](const Snapshot& snapshot) {
    findings = findings_of(*kept, snapshot, options_.settings);
    return Result<void>();
  });
  if (!looked) findings.hints = {looked.error().message()};
  return header_text(*kept, findings);
}

void Dispatcher::answer(const HttpRequest& request, Exchange& exchange, const Answer& answer,
                        const Error* error) {
  exchange.body = writer_.write(request, answer, exchange.out);
  if (log_.wants_times()) log_answer(request, exchange, answer.status, error);
}

void Dispatcher::log_answer(const HttpRequest& request, const Exchange& exchange,
                            std::uint16_t status, const Error* error) const {
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - exchange.started);
  if (!log_.wants(took)) return;
  const Call& call = exchange.call;
  std::string asked(operation_name(request, call));  // an operation, built or not, or a page
  if (asked.empty()) asked.append(method_name(request.method())).append(" ").append(request.path());
  log_.write({.operation = asked,
              .table = call.table_name,
              .status = status,
              .error = error != nullptr ? error_info(error->code()).name : std::string_view(),
              .error_message = error != nullptr ? error->message() : std::string_view(),
              .request_id = writer_.last_request_id(),
              .region = call.caller.region,
              .access_key = call.caller.access_key,
              .units_milli = call.units_milli,
              .took_us = took.count()});
}

}  // namespace stator
