#include "server/triggers/runtimes/runtime_errors.h"

#include <array>
#include <cstdio>

#include "protocol/json/json_writer.h"
#include "server/triggers/runtimes/runtimes.h"

namespace stator::triggers {

namespace {

std::string message_of(std::string_view request_id, std::string_view text) {
  std::string message("RequestId: ");
  message.append(request_id).append(" Error: ").append(text);
  return message;
}

}  // namespace

std::string error_object(std::string_view type, std::string_view message) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  json.member("errorType", type);
  json.member("errorMessage", message);
  json.end_object();
  return body;
}

std::string timeout_error(std::string_view request_id, std::chrono::milliseconds timeout) {
  std::array<char, 64> text{};
  const double seconds = std::chrono::duration<double>(timeout).count();
  const int size =
      std::snprintf(text.data(), text.size(), "Task timed out after %.2f seconds", seconds);
  return error_object("Sandbox.Timedout",
                      message_of(request_id, {text.data(), static_cast<std::size_t>(size)}));
}

std::string exit_error(std::string_view request_id, int status) {
  return error_object(
      "Runtime.ExitError",
      message_of(request_id, "Runtime exited with error: exit status " + std::to_string(status)));
}

std::string size_error(std::size_t bytes) {
  std::string message("Response payload size (");
  message.append(std::to_string(bytes))
      .append(" bytes) exceeded maximum allowed payload size (")
      .append(std::to_string(kAnswerBytesMax))
      .append(" bytes).");
  return error_object("Function.ResponseSizeTooLarge", message);
}

}  // namespace stator::triggers
