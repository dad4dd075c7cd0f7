// The program: options, then the app, or what else there is to do: ask whether a server is
// healthy, move its clock, remove its tables, move items in and out; copy a data folder, check or
// compact one.

#include <malloc.h>

#include <cstdio>
#include <exception>
#include <variant>

#include "server/admin_commands.h"
#include "server/app.h"
#include "server/folder_commands.h"
#include "server/health.h"
#include "server/options.h"

namespace {

// A page takes one or two megabytes for a moment. Left alone, the allocator gives them back to the
// system after each and touches them anew for the next, which costs more than the page itself. Up
// to the second bound, free memory stays for the next request; what is above the first, such as
// the largest bodies, is still given back at once.
void keep_memory_of_pages() {
  mallopt(M_MMAP_THRESHOLD, 4 * 1024 * 1024);
  mallopt(M_TRIM_THRESHOLD, 8 * 1024 * 1024);
}

int run(const stator::Command& command) {
  if (const auto* const health = std::get_if<stator::HealthOptions>(&command))
    return stator::run_health(*health);
  if (const auto* const clock = std::get_if<stator::ClockOptions>(&command))
    return stator::run_clock(*clock);
  if (const auto* const reset = std::get_if<stator::ResetOptions>(&command))
    return stator::run_reset(*reset);
  if (const auto* const mark = std::get_if<stator::MarkOptions>(&command))
    return stator::run_mark(*mark);
  if (const auto* const capacity = std::get_if<stator::CapacityOptions>(&command))
    return stator::run_capacity(*capacity);
  if (const auto* const explain = std::get_if<stator::ExplainOptions>(&command))
    return stator::run_explain(*explain);
  if (const auto* const backup = std::get_if<stator::BackupOptions>(&command))
    return stator::run_backup(*backup);
  if (const auto* const check = std::get_if<stator::CheckOptions>(&command))
    return stator::run_check(*check);
  if (const auto* const compact = std::get_if<stator::CompactOptions>(&command))
    return stator::run_compact(*compact);
  if (const auto* const data = std::get_if<stator::DataCommand>(&command)) return data->run();
  return stator::run_app(std::get<stator::Options>(command));
}

}  // namespace

int main(int argc, char** argv) {
  keep_memory_of_pages();
  const auto command = stator::parse_command(argc, argv);
  if (command) {
    try {
      return run(*command);
    } catch (const std::exception& problem) {  // what the system did not give: a thread, a file
      std::fprintf(stderr, "stator: cannot run: %s\n", problem.what());
      return 1;
    }
  }
  const auto& [status, text, is_for_stderr] = command.error();
  std::fputs(text.c_str(), is_for_stderr ? stderr : stdout);
  if (status != 0) std::fputc('\n', stderr);
  return status;
}
