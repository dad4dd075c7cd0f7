// See log.h.

#include "server/log.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <memory>
#include <string>

#include "protocol/json_writer.h"
#include "server/log_text.h"

namespace stator::log {

namespace {

// Of a text that a request brought.
constexpr std::size_t kTextBytesMax = 1024;

struct Log {
  Log() {
    logger.set_level(spdlog::level::trace);  // levels are checked here, not there
    set_format(Format::Text);
  }

  void set_format(Format wanted) {
    format = wanted;
    // The JSON members behind the level are made by log_message() and json_of().
    const char* pattern = format == Format::Json
                              ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})"
                              : "%Y-%m-%dT%H:%M:%S.%eZ %l %v";
    logger.set_formatter(
        std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::utc));
  }

  Format format = Format::Text;
  spdlog::logger logger{"stator", std::make_shared<spdlog::sinks::stderr_sink_mt>()};
};

Log& instance() {
  static Log log;
  return log;
}

spdlog::level::level_enum spdlog_level(Level level) {
  switch (level) {
    case Level::Trace:
      return spdlog::level::trace;
    case Level::Debug:
      return spdlog::level::debug;
    case Level::Info:
      return spdlog::level::info;
    case Level::Warn:
      return spdlog::level::warn;
    case Level::Error:
      return spdlog::level::err;
    case Level::Off:
      return spdlog::level::off;
  }
  return spdlog::level::off;
}

void write(Level level, const std::string& line) {
  instance().logger.log(spdlog_level(level), spdlog::string_view_t{line.data(), line.size()});
}

void log_message(Level level, std::string_view message) {
  if (!is_enabled(level)) return;
  if (instance().format == Format::Text) {
    write(level, escaped(message));
    return;
  }
  std::string fields = R"("message":)";
  append_json_string(fields, escaped(message));
  write(level, fields);
}

// "12.5" for 12500, "1" for 1000.
std::string units_text(std::int64_t milli) {
  std::string out = std::to_string(milli / 1000);
  if (milli % 1000 != 0) {
    std::string fraction = std::to_string(1000 + milli % 1000).substr(1);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    out += "." + fraction;
  }
  return out;
}

std::string text_of(const RequestLine& line) {
  std::string text = field_value(line.operation, kTextBytesMax);
  const auto add = [&text](std::string_view name, std::string_view value) {
    text.append(" ").append(name).append("=").append(field_value(value, kTextBytesMax));
  };
  add("table", line.table);
  add("status", std::to_string(line.status));
  if (!line.error.empty()) {
    add("error", line.error);
    add("message", line.error_message);
  }
  add("request", line.request_id);
  add("region", line.region);
  add("key", line.access_key);
  add("units", units_text(line.units_milli));
  add("us", std::to_string(line.took_us));
  return text;
}

// The members behind the level.
std::string json_of(const RequestLine& line) {
  std::string fields = R"("message":"request")";
  const auto add = [&fields](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    fields.append(",\"").append(name).append("\":");
    append_json_string(fields, escaped(value.substr(0, kTextBytesMax)));
  };
  add("operation", line.operation);
  add("table", line.table);
  fields += R"(,"status":)" + std::to_string(line.status);
  add("error", line.error);
  add("error_message", line.error_message);
  add("request_id", line.request_id);
  add("region", line.region);
  add("access_key", line.access_key);
  fields +=
      R"(,"units":)" + units_text(line.units_milli) + R"(,"us":)" + std::to_string(line.took_us);
  return fields;
}

}  // namespace

void start(Level level, Format format) {
  instance().set_format(format);
  detail::level.store(level, std::memory_order_relaxed);
}

void debug(std::string_view message) { log_message(Level::Debug, message); }
void info(std::string_view message) { log_message(Level::Info, message); }
void warn(std::string_view message) { log_message(Level::Warn, message); }
void error(std::string_view message) { log_message(Level::Error, message); }

void request(Level level, const RequestLine& line) {
  if (!is_enabled(level)) return;
  if (instance().format == Format::Text) {
    write(level, text_of(line));
  } else {
    write(level, json_of(line));
  }
}

}  // namespace stator::log
