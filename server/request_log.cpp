// See request_log.h.

#include "server/request_log.h"

#include "server/log_text.h"

namespace stator {

namespace {

// Names remembered, and bytes of each: a client can make up any number.
constexpr std::size_t kNamesMax = 200;
constexpr std::size_t kNameBytesMax = 128;

}  // namespace

void RequestLog::write(const log::RequestLine& line) const {
  const bool slow = is_slow(std::chrono::microseconds{line.took_us});
  log::request(slow ? log::Level::Info : log::Level::Debug, line);
}

void RequestLog::unknown_operation(std::string_view target) {
  const std::string name = log::field_value(target, kNameBytesMax);
  {
    const std::scoped_lock lock(mutex_);
    if (unknown_.size() >= kNamesMax || !unknown_.insert(name).second) return;
  }
  log::warn("operation " + name + " is not built here: answered UnknownOperationException");
}

}  // namespace stator
