#include "server/options/trigger_flags.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <CLI/CLI.hpp>

#include "server/options/duration.h"
#include "server/options/options.h"
#include "server/options/server_flags.h"

namespace stator {

namespace {

constexpr std::size_t kFunctionNameBytesMax = 64;
constexpr unsigned kCallsMax = 64;
// The service's longest, and what its caller adds.
constexpr std::chrono::seconds kFunctionTimeoutMax{905};
// The path of the emulator in images of functions.
constexpr std::string_view kEmulatorPath = "/functions/function/invocations";

bool is_url(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://");
}

CLI::ValidationError bad(const std::string& flag, std::string_view text, std::string_view why) {
  std::string message = "'";
  message.append(text).append("' ").append(why);
  return CLI::ValidationError(flag, message);
}

WebTarget parse_url(std::string_view text, const std::string& flag) {
  const std::size_t scheme = text.find("://");
  if (!is_url(text)) throw bad(flag, text, "is not http://HOST:PORT/PATH");
  for (const char c : text) {
    if (c <= ' ' || c == 0x7F) throw bad(flag, text, "has a character that no URL has");
  }
  const std::size_t path = text.find('/', scheme + 3);
  HealthOptions server;
  read_endpoint(text.substr(0, path), flag, server);
  WebTarget target{server.is_tls, server.host, server.port, {}};
  if (path != std::string_view::npos && path + 1 < text.size()) target.path = text.substr(path);
  return target;
}

void read_setting(std::string_view setting, const std::string& flag, FunctionTarget& function) {
  const bool has_url = function.kind != FunctionKind::Runtime;
  const std::size_t equals = setting.find('=');
  const std::string_view name = setting.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : setting.substr(equals + 1);
  if (name == "kind" && has_url && (value == "rie" || value == "api")) {
    function.kind = value == "rie" ? FunctionKind::Emulator : FunctionKind::Api;
  } else if (name == "concurrency") {
    const char* const end = value.data() + value.size();
    const auto read = std::from_chars(value.data(), end, function.concurrency);
    const bool is_number = read.ec == std::errc{} && read.ptr == end;
    if (!is_number || function.concurrency == 0 || function.concurrency > kCallsMax)
      throw bad(flag, value, "is not a number of calls from 1 to 64");
  } else if (name == "timeout") {
    const auto time = parse_duration(value);
    if (!time) throw CLI::ValidationError(flag, time.error());
    function.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(*time);
    if (function.timeout.count() == 0 || function.timeout > kFunctionTimeoutMax)
      throw bad(flag, value, "is not a time from 1ms to 905s");
  } else {
    throw bad(flag, setting,
              has_url ? "is not kind=rie|api, concurrency=N or timeout=3s"
                      : "is not concurrency=N or timeout=3s");
  }
}

// Settings that follow, each after a comma. `comma` is the place of the first one.
void read_settings(std::string_view text, std::size_t comma, const std::string& flag,
                   FunctionTarget& function) {
  while (comma != std::string_view::npos) {
    text.remove_prefix(comma + 1);
    comma = text.find(',');
    read_setting(text.substr(0, comma), flag, function);
  }
}

FunctionTarget parse_target(std::string_view text, const std::string& flag) {
  FunctionTarget function;
  const std::size_t comma = text.find(',');
  function.target = parse_url(text.substr(0, comma), flag);
  if (function.target.path.ends_with(kEmulatorPath)) function.kind = FunctionKind::Emulator;
  read_settings(text, comma, flag, function);
  // The emulator refuses a second call.
  if (function.kind == FunctionKind::Emulator && function.concurrency == 0)
    function.concurrency = 1;
  return function;
}

// Takes the setting from the end of the place.
SinkKind take_sink_kind(std::string_view& place, const std::string& arn, const std::string& flag) {
  constexpr std::string_view kSetting = ",kind=";
  const std::size_t at = place.rfind(kSetting);
  if (at == std::string_view::npos) return SinkKind::Post;
  const std::string_view kind = place.substr(at + kSetting.size());
  place = place.substr(0, at);
  if (kind == "post") return SinkKind::Post;
  const bool is_queue = kind == "sqs";
  if (!is_queue && kind != "sns") throw bad(flag, kind, "is not post, sqs or sns");
  // arn:aws:sqs:REGION:ACCOUNT:NAME
  const auto colons = std::count(arn.begin(), arn.end(), ':');
  const bool is_of_kind = arn.find(is_queue ? ":sqs:" : ":sns:") != std::string::npos;
  if (colons != 5 || !is_of_kind || arn.ends_with(':'))
    throw bad(flag, arn, is_queue ? "is not the ARN of a queue" : "is not the ARN of a topic");
  return is_queue ? SinkKind::Queue : SinkKind::Topic;
}

}  // namespace

bool is_function_name(std::string_view text) {
  constexpr std::string_view kChars =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return !text.empty() && text.size() <= kFunctionNameBytesMax &&
         text.find_first_not_of(kChars) == std::string_view::npos;
}

FunctionTarget parse_function(const std::string& text) {
  const std::string flag = "--function";
  const std::size_t name_end = std::min(text.find_first_of("=,"), text.size());
  const std::string_view name = std::string_view(text).substr(0, name_end);
  if (!is_function_name(name))
    throw bad(flag, text, "is not NAME or NAME=URL, with a name of letters, digits, - and _");
  FunctionTarget function;
  if (name_end < text.size() && text[name_end] == '=') {
    function = parse_target(std::string_view(text).substr(name_end + 1), flag);
  } else {
    function.kind = FunctionKind::Runtime;
    read_settings(text, text.find(','), flag, function);
  }
  function.name = name;
  return function;
}

FunctionTarget parse_default_function(const std::string& text) {
  return parse_target(text, "--function-default");
}

FailureSink parse_failure_sink(const std::string& text) {
  const std::string flag = "--function-destination";
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw bad(flag, text, "is not ARN=DIR or ARN=URL");
  FailureSink sink;
  sink.arn = text.substr(0, equals);
  std::string_view place = std::string_view(text).substr(equals + 1);
  if (is_url(place)) {
    sink.kind = take_sink_kind(place, sink.arn, flag);
    sink.target = parse_url(place, flag);
    if (sink.kind != SinkKind::Post && !sink.target->path.empty())
      throw bad(flag, place, "has a path, but requests to queues and topics have none");
  } else {
    sink.folder = place;
  }
  return sink;
}

}  // namespace stator
