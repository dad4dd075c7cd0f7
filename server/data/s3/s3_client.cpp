#include "server/data/s3/s3_client.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/seams/clock.h"
#include "engine/seams/iso_time.h"
#include "server/access/signing/signing.h"
#include "server/client/backoff.h"
#include "server/client/signature.h"
#include "server/data/s3/s3_answers.h"
#include "server/data/s3/url_text.h"
#include "server/options/server_address.h"

namespace stator::data {

namespace {

// Pauses of 6 s in all at most.
constexpr int kAttemptsMax = 8;
// Of the time that the process has left.
constexpr std::chrono::milliseconds kLastTimeout{300};

constexpr unsigned kRequestTimeout = 408;
constexpr unsigned kTooManyRequests = 429;
constexpr unsigned kServerErrors = 500;
constexpr unsigned kNotImplemented = 501;

constexpr std::array<std::string_view, 4> kPassing = {"RequestTimeout", "SlowDown", "InternalError",
                                                      "ServiceUnavailable"};

bool may_pass(unsigned status, std::string_view code) {
  return (status >= kServerErrors && status != kNotImplemented) || status == kRequestTimeout ||
         status == kTooManyRequests ||
         std::find(kPassing.begin(), kPassing.end(), code) != kPassing.end();
}

bool is_success(unsigned status) { return status >= 200 && status < 300; }

std::string path_of(const S3Request& request) {
  std::string path = "/" + encode_url(request.bucket);
  if (!request.key.empty()) path += "/" + encode_url_path(request.key);
  return path;
}

}  // namespace

struct S3Client::Attempt {
  tl::expected<HttpClientResponse, S3Error> result;
  bool may_pass = false;  // another attempt may succeed
  bool is_late = false;   // no response in time
};

S3Client::S3Client(Endpoint endpoint)
    : endpoint_{std::move(endpoint)},
      host_{host_text(endpoint_.server)},
      connection_{endpoint_.server, endpoint_.certificate_check} {}

std::string S3Client::where(std::string_view bucket) const {
  return address_text(endpoint_.server) + "/" + std::string(bucket);
}

S3Error S3Client::not_s3(unsigned status, std::string_view why) const {
  return {{"InternalServerError", address_text(endpoint_.server) + " answered status " +
                                      std::to_string(status) + std::string(why) +
                                      ", is it an endpoint of S3?"},
          status};
}

tl::expected<HttpClientResponse, S3Error> S3Client::ask(const S3Request& request) {
  Backoff backoff{random_, kAttemptsMax};
  for (;;) {
    Attempt made = attempt(request, connection_);
    if (made.result) return std::move(made.result);
    if (!made.may_pass || is_interrupted()) return std::move(made.result);
    const auto pause = backoff.next_pause(made.is_late);
    if (!pause || wait_interrupted(*pause)) return std::move(made.result);
  }
}

void S3Client::tell(const S3Request& request) {
  HealthOptions server = endpoint_.server;
  server.timeout = std::min(server.timeout, kLastTimeout);
  HttpConnection connection{server, endpoint_.certificate_check};
  attempt(request, connection);
}

S3Client::Attempt S3Client::attempt(const S3Request& request, HttpConnection& connection) {
  const std::int64_t now_unix_s = SystemClock{}.now().unix_s();
  const std::string path = path_of(request);
  const std::string digest = access::sha256_hex(request.body);
  std::vector<HttpField> fields{
      {"host", host_}, {"x-amz-content-sha256", digest}, {"x-amz-date", iso_basic(now_unix_s)}};
  if (!endpoint_.credentials.session_token.empty())
    fields.emplace_back("x-amz-security-token", endpoint_.credentials.session_token);
  fields.emplace_back("authorization", authorization({.method = request.method,
                                                      .path = path,
                                                      .query = request.query,
                                                      .fields = fields,
                                                      .payload_sha256 = digest,
                                                      .region = endpoint_.region,
                                                      .service = "s3",
                                                      .unix_s = now_unix_s},
                                                     endpoint_.credentials));
  fields.insert(fields.end(), request.fields.begin(), request.fields.end());
  const std::string target = request.query.empty() ? path : path + "?" + request.query;
  auto answer = connection.ask({.path = target,
                                .fields = fields,
                                .body = request.body,
                                .keeps_connection = true,
                                .method = request.method,
                                .response_bytes_max = request.response_bytes_max});
  if (!answer) {
    const HttpClientError& error = answer.error();
    S3Error failed{{"InternalServerError", address_text(endpoint_.server) + ": " + error.why}};
    return {tl::unexpected(std::move(failed)), true, error.is_late};
  }
  // Completing an upload may begin with 200 before it fails. An object may be any XML.
  const bool may_refuse = !is_success(answer->status) || request.method == "POST";
  const auto refusal =
      may_refuse ? read_refusal(answer->body, answer->status) : std::optional<S3Refusal>();
  if (!refusal && is_success(answer->status)) return {*std::move(answer)};
  const std::string code = refusal ? refusal->code : std::string();
  S3Error failed = not_s3(answer->status, "");
  if (refusal) failed.failure = s3_failure(*refusal);
  failed.code = code;
  return {tl::unexpected(std::move(failed)), may_pass(answer->status, code)};
}

void S3Client::interrupt() {
  {
    const std::scoped_lock lock(mutex_);
    is_interrupted_ = true;
  }
  changed_.notify_all();
  connection_.interrupt();
}

bool S3Client::is_interrupted() { return wait_interrupted(std::chrono::milliseconds{0}); }

bool S3Client::wait_interrupted(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, time, [this] { return is_interrupted_; });
}

}  // namespace stator::data
