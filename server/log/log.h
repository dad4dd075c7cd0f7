// The process's log: text or JSON lines on stderr. Only this file uses spdlog. Any thread may call
// every function; none waits for a reader (output.h). Before start() only warnings and errors
// appear.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace stator::log {

enum class Level : std::uint8_t { Trace, Debug, Info, Warn, Error, Off };
enum class Format : std::uint8_t { Text, Json };

// Call once per process.
void start(Level level, Format format);

namespace detail {
inline std::atomic<Level> level{Level::Warn};
}

// Check this first if building the line is expensive.
inline bool is_enabled(Level level) {
  return level >= detail::level.load(std::memory_order_relaxed);
}

void debug(std::string_view message);
void info(std::string_view message);
void warn(std::string_view message);
void error(std::string_view message);

// One request. Texts are as sent; JSON omits empty ones.
struct RequestLine {
  std::string_view operation;  // or another description: "GET /healthz"
  std::string_view table;
  std::uint16_t status;
  std::string_view error;  // its type, without the prefix
  std::string_view error_message;
  std::string_view request_id;
  std::string_view region;
  std::string_view access_key;
  std::int64_t units_milli;  // capacity units consumed, in thousandths
  std::int64_t took_us;
};
void request(Level level, const RequestLine& line);

}  // namespace stator::log
