// See log.h.

#include "server/log.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <memory>
#include <string>

#include "protocol/json_writer.h"
#include "protocol/utf8.h"

namespace stator::log {

namespace {

struct Log {
  Log() {
    logger.set_level(spdlog::level::trace);  // levels are checked here, not there
    set_format(Format::Text);
  }

  void set_format(Format wanted) {
    format = wanted;
    // The JSON members behind the level are made by fields_of() and request().
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

// Text that may stand in a line of either format: one line, valid UTF-8.
std::string printable(std::string_view message) {
  std::string out{message};
  const bool is_utf8 = is_valid_utf8(message);
  for (char& c : out) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !is_utf8)) c = '?';
  }
  return out;
}

void log_message(Level level, std::string_view message) {
  if (!is_enabled(level)) return;
  if (instance().format == Format::Text) {
    write(level, printable(message));
    return;
  }
  std::string fields = R"("message":)";
  append_json_string(fields, printable(message));
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

}  // namespace

void start(Level level, Format format) {
  instance().set_format(format);
  detail::level.store(level, std::memory_order_relaxed);
}

void debug(std::string_view message) { log_message(Level::Debug, message); }
void info(std::string_view message) { log_message(Level::Info, message); }
void warn(std::string_view message) { log_message(Level::Warn, message); }
void error(std::string_view message) { log_message(Level::Error, message); }

void request(const RequestLine& line) {
  if (!is_enabled(Level::Debug)) return;
  const std::string table = printable(line.table);
  if (instance().format == Format::Text) {
    std::string text{line.operation};
    text += " table=" + (table.empty() ? "-" : table) + " status=" + std::to_string(line.status) +
            " units=" + units_text(line.units_milli) + " us=" + std::to_string(line.took_us);
    write(Level::Debug, text);
    return;
  }
  std::string fields = R"("message":"request","operation":)";
  append_json_string(fields, line.operation);
  if (!table.empty()) {
    fields += R"(,"table":)";
    append_json_string(fields, table);
  }
  fields += R"(,"status":)" + std::to_string(line.status) + R"(,"units":)" +
            units_text(line.units_milli) + R"(,"us":)" + std::to_string(line.took_us);
  write(Level::Debug, fields);
}

}  // namespace stator::log
