// The program: reads the options, then serves or runs one of the other commands.

#include <malloc.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <variant>

#include "server/app.h"
#include "server/cli/command_line/command_line.h"
#include "server/cli/commands/admin_commands.h"
#include "server/cli/commands/folder_commands.h"
#include "server/cli/commands/health.h"
#include "server/cli/commands/serving_process.h"
#include "server/log/output.h"
#include "server/options/options.h"

namespace {

constexpr std::chrono::milliseconds kFinishPatience{100};

// Tunes malloc to retain the one or two megabytes that a page needs. By default it returns them to
// the system after each page and faults them in again for the next, which costs more than the page
// itself. Memory above the first limit, such as the largest bodies, is still returned at once.
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
  if (const auto* const data = std::get_if<stator::DataCommand>(&command))
    return data->run([](stator::HealthOptions server) {
      return stator::aimed_at_serving_process(std::move(server));
    });
  return stator::run_app(std::get<stator::Options>(command));
}

}  // namespace

int main(int argc, char** argv) {
  stator::output::open_missing_streams();
  keep_memory_of_pages();
  const auto command = stator::parse_command(argc, argv);
  if (command) {
    try {
      return run(*command);
    } catch (const std::exception& problem) {  // the system refused something: a thread, a file
      const stator::output::Finish finish{kFinishPatience};
      stator::output::write(stator::output::Stream::Stderr,
                            std::string("stator: cannot run: ") + problem.what() + "\n");
      return 1;
    }
  }
  const auto& [status, text, is_for_stderr] = command.error();
  std::fputs(text.c_str(), is_for_stderr ? stderr : stdout);
  if (status != 0) std::fputc('\n', stderr);
  return status;
}
