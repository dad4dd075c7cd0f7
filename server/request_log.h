// RequestLog: what is told of requests: each one at debug level, slow ones at info, and once each,
// as a warning, operations that nobody here knows. Shared by all threads.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "server/log.h"

namespace stator {

class RequestLog {
 public:
  // Requests that take at least `slow_from` are logged at info; empty: none is.
  explicit RequestLog(std::optional<std::chrono::microseconds> slow_from) : slow_from_(slow_from) {}

  // Whether any request may be logged, so that its time is worth taking.
  bool wants_times() const { return slow_from_.has_value() || log::is_enabled(log::Level::Debug); }
  // Whether one that took that long is.
  bool wants(std::chrono::microseconds took) const {
    return is_slow(took) || log::is_enabled(log::Level::Debug);
  }
  void write(const log::RequestLine& line) const;

  // `target` as sent in X-Amz-Target.
  void unknown_operation(std::string_view target);

 private:
  bool is_slow(std::chrono::microseconds took) const { return slow_from_ && took >= *slow_from_; }

  const std::optional<std::chrono::microseconds> slow_from_;
  std::mutex mutex_;
  std::set<std::string, std::less<>> unknown_;  // named already; guarded by mutex_
};

}  // namespace stator
