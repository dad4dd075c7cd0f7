// The dispatcher's answers to what is no request.
#include "server/dispatch/dispatcher.h"

namespace stator {

namespace {

constexpr std::string_view kSpeaksHttps = "this port speaks https\n";

}  // namespace

void Dispatcher::refuse(HttpRequestParser::Progress progress, const HttpRequest& request,
                        std::string& out) {
  const bool is_too_large = progress == HttpRequestParser::Progress::BodyTooLarge;
  const std::uint16_t status = is_too_large ? 413 : 400;
  if (!is_too_large || !refuse_long_response(request, out)) writer_.write_refusal(status, {}, out);
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

void Dispatcher::refuse_plain_http(std::string& out) {
  log_.plain_http();
  writer_.write_refusal(400, kSpeaksHttps, out);
  if (counters_ != nullptr) counters_->count_malformed();
}

}  // namespace stator
