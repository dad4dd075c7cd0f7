// RequestLog: logs requests: each one at debug level, slow ones at info, and each unknown operation
// once as a warning. All threads share it.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "server/log/log.h"

namespace stator {

class RequestLog {
 public:
  // Logs requests that take at least `slow_from` at info; none if empty.
  explicit RequestLog(std::optional<std::chrono::microseconds> slow_from) : slow_from_(slow_from) {}

  // Whether any request may be logged, so that measuring its time is worthwhile.
  bool wants_times() const { return slow_from_.has_value() || log::is_enabled(log::Level::Debug); }
  // Whether a request that took this long is logged.
  bool wants(std::chrono::microseconds took) const {
    return is_slow(took) || log::is_enabled(log::Level::Debug);
  }
  void write(const log::RequestLine& line) const;

  // `target` is the X-Amz-Target as sent; `service` is its service if the server has nothing of it.
  // Logs each operation, or other service, once.
  void unknown_operation(std::string_view target, std::string_view service);
  // A supported operation with an unsupported member. Logs each pair once.
  void unknown_member(std::string_view operation, std::string_view member);
  // An unsupported operation of Lambda. Logs each method and path once.
  void unknown_lambda_operation(std::string_view method, std::string_view path);
  // A client spoke plain HTTP to a port with TLS. Logs this once.
  void plain_http();

 private:
  bool is_first(const std::string& name);
  bool is_slow(std::chrono::microseconds took) const { return slow_from_ && took >= *slow_from_; }

  const std::optional<std::chrono::microseconds> slow_from_;
  std::atomic<bool> was_plain_http_{false};
  std::mutex mutex_;
  std::set<std::string, std::less<>> unknown_;  // already logged; guarded by mutex_
};

}  // namespace stator
