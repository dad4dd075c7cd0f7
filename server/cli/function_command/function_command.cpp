#include "server/cli/function_command/function_command.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <exception>
#include <list>
#include <string>
#include <utility>

#include "server/cli/function_command/function_runner.h"
#include "server/log/say.h"

namespace stator {

namespace {

constexpr timespec kLook{0, 50'000'000};

// The signals that end the function, for all threads that start later.
sigset_t block_ends() {
  sigset_t ends;
  ::sigemptyset(&ends);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&ends, number);
  ::pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  return ends;
}

}  // namespace

int run_function(FunctionOptions options, const FindServer& find) {
  if (!options.server.is_chosen) options.server = find(std::move(options.server));
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);  // where it is ignored, a process has no exit status
  const sigset_t ends = block_ends();
  std::atomic<bool> has_failed{false};
  const auto on_failure = [&has_failed](const std::string& why) {
    if (has_failed.exchange(true)) return;
    complain(why);
    ::kill(::getpid(), SIGTERM);  // as the user would
  };
  try {
    std::list<FunctionRunner> runners;
    for (unsigned i = 0; i < options.processes; ++i) runners.emplace_back(options, on_failure);
    complain(options.name + ": calls come from " + host_text(options.server));
    int signal = 0;
    ::sigwait(&ends, &signal);
    const auto is_running = [](const FunctionRunner& runner) { return !runner.has_ended(); };
    while (signal > 0) {
      for (FunctionRunner& runner : runners) runner.stop(signal);
      // A second signal need not wait.
      for (signal = 0; signal == 0 && std::any_of(runners.begin(), runners.end(), is_running);)
        signal = std::max(::sigtimedwait(&ends, nullptr, &kLook), 0);
    }
  } catch (const std::exception& error) {
    return fail(error.what());
  }
  return has_failed ? 1 : 0;
}

}  // namespace stator
