// See request_log.h.

#include "server/dispatch/request_log.h"

#include "server/log/log_text.h"

namespace stator {

namespace {

// Limits on remembered names, because a client can invent any number.
constexpr std::size_t kNamesMax = 200;
constexpr std::size_t kNameBytesMax = 128;

}  // namespace

void RequestLog::write(const log::RequestLine& line) const {
  const bool slow = is_slow(std::chrono::microseconds{line.took_us});
  log::request(slow ? log::Level::Info : log::Level::Debug, line);
}

bool RequestLog::is_first(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  return unknown_.size() < kNamesMax && unknown_.insert(name).second;
}

void RequestLog::unknown_operation(std::string_view target, std::string_view service) {
  if (target.empty()) return;
  const bool is_other = !service.empty();
  const std::string name = log::field_value(is_other ? service : target, kNameBytesMax);
  if (!is_first(name)) return;
  log::warn(is_other ? "request for another service, " + name +
                           " in X-Amz-Target: returned UnknownOperationException"
                     : "unsupported operation " + name + ": returned UnknownOperationException");
}

void RequestLog::unknown_member(std::string_view operation, std::string_view member) {
  const std::string name = std::string(member).append(" of ").append(operation);
  if (is_first(name))
    log::warn("unsupported member " + name + ": returned UnknownOperationException");
}

void RequestLog::unknown_lambda_operation(std::string_view method, std::string_view path) {
  const std::string name =
      log::field_value(std::string(method).append(" ").append(path), kNameBytesMax);
  if (is_first(name))
    log::warn("unsupported operation of Lambda, " + name + ": returned UnknownOperationException");
}

void RequestLog::plain_http() {
  if (!was_plain_http_.exchange(true, std::memory_order_relaxed))
    log::warn("a client speaks http to this port, which speaks https: answered 400");
}

}  // namespace stator
