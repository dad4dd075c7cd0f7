#include "server/triggers/invocation/call_log.h"

#include <array>
#include <cstdio>

#include "server/triggers/runtimes/call_output.h"

namespace stator::triggers {

namespace {

constexpr std::string_view kStart = "START RequestId: ";

std::string report_line(std::string_view request_id, std::chrono::microseconds duration) {
  const long long us = duration.count();
  std::array<char, 96> figures{};
  const int size = std::snprintf(figures.data(), figures.size(),
                                 "\tDuration: %lld.%02lld ms\tBilled Duration: %lld ms\n",
                                 us / 1000, us / 10 % 100, (us + 999) / 1000);
  std::string line("REPORT RequestId: ");
  return line.append(request_id).append(figures.data(), static_cast<std::size_t>(size));
}

}  // namespace

std::string call_log(std::string_view request_id, std::string_view output,
                     std::chrono::microseconds duration) {
  std::string log;
  if (output.find(kStart) != std::string_view::npos) {
    log = output;
  } else {
    log.append(kStart).append(request_id).append(" Version: $LATEST\n").append(output);
    if (!log.ends_with('\n')) log += '\n';
    log.append("END RequestId: ").append(request_id).append("\n");
    log.append(report_line(request_id, duration));
  }
  if (log.size() > kOutputBytesMax) log.erase(0, log.size() - kOutputBytesMax);
  return log;
}

}  // namespace stator::triggers
