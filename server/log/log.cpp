// See log.h.

#include "server/log/log.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

#include <memory>
#include <string>

#include "protocol/json/json_writer.h"
#include "server/log/log_text.h"
#include "server/log/output.h"

namespace stator::log {

namespace {

// Of a text from a request.
constexpr std::size_t kTextBytesMax = 1024;

class StderrSink final : public spdlog::sinks::base_sink<std::mutex> {
 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    output::write(output::Stream::Stderr, {line.data(), line.size()});
  }
  void flush_() override {}
};

std::unique_ptr<spdlog::formatter> formatter_for(Format format) {
  // The JSON members after the level come from fields_of() and json_of().
  const char* pattern = format == Format::Json
                            ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})"
                            : "%Y-%m-%dT%H:%M:%S.%eZ %l %v";
  return std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::utc);
}

struct Log {
  Log() {
    logger.set_level(spdlog::level::trace);               // Log checks the level itself
    logger.set_error_handler([](const std::string&) {});  // the default handler writes to stderr
    set_format(Format::Text);
  }

  void set_format(Format wanted) {
    format = wanted;
    logger.set_formatter(formatter_for(wanted));
  }

  Format format = Format::Text;
  spdlog::logger logger{"stator", std::make_shared<StderrSink>()};
};

Log& instance() {
  // Never destroyed: other threads may log until the process ends.
  static Log& log = *std::make_unique<Log>().release();
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

// The part of the line after the level, for a message.
std::string fields_of(std::string_view message) {
  if (instance().format == Format::Text) return escaped(message);
  std::string fields = R"("message":)";
  append_json_string(fields, escaped(message));
  return fields;
}

void log_message(Level level, std::string_view message) {
  if (is_enabled(level)) write(level, fields_of(message));
}

std::string lost_line(std::uint64_t count) {
  const std::string fields = fields_of(
      std::to_string(count) + (count == 1 ? " log line was lost" : " log lines were lost") +
      ": nothing read them in time");
  const spdlog::details::log_msg message{"stator", spdlog::level::warn,
                                         spdlog::string_view_t{fields.data(), fields.size()}};
  spdlog::memory_buf_t line;
  formatter_for(instance().format)->format(message, line);
  return {line.data(), line.size()};
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

// The JSON members after the level.
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
  output::start_queues(lost_line);
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
