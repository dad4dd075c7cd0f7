// Metrics of the process, from the system, under the names that all programs use.
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "server/metrics/sources.h"
#include "server/options/options.h"
#include "server/options/version.h"

namespace stator {

namespace {

std::chrono::microseconds to_microseconds(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

}  // namespace

Result<void> add_process(const MetricInputs& measured, const Snapshot& /*snapshot*/,
                         MetricPage& page) {
  auto build = MetricFamily::gauge("stator_build_info", "The version that runs; always 1.");
  const std::string version = version_text();  // behind the program's name
  build.add(1.0, {{"version", std::string_view(version).substr(version.rfind(' ') + 1)}});
  page.add(std::move(build));
  page.add(MetricFamily::gauge("process_start_time_seconds",
                               "When the process started, since 1970-01-01 UTC."),
           std::chrono::microseconds(measured.started.unix_us));
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    page.add(MetricFamily::counter("process_cpu_seconds_total", "CPU time of the process."),
             to_microseconds(usage.ru_utime) + to_microseconds(usage.ru_stime));
  }
  // Total and resident pages of the process.
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  std::uint64_t resident_pages = 0;
  if (file >> pages >> resident_pages) {
    const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    page.add(MetricFamily::gauge("process_resident_memory_bytes",
                                 "Memory of the process, data in memory included."),
             resident_pages * page_bytes);
    page.add(MetricFamily::gauge("process_virtual_memory_bytes",
                                 "Address space of the process, 1 TiB of it for data."),
             pages * page_bytes);
  }
  return {};
}

}  // namespace stator
