#include "server/cli/function_command/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

namespace stator {

namespace {

struct Pipe {
  std::array<int, 2> ends{-1, -1};

  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) ends = {-1, -1};
  }
  ~Pipe() {
    for (const int end : ends) {
      if (end >= 0) ::close(end);
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int release(std::size_t end) { return std::exchange(ends[end], -1); }
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> made;
  made.reserve(texts.size() + 1);
  for (const std::string& text : texts) made.push_back(const_cast<char*>(text.c_str()));
  made.push_back(nullptr);
  return made;
}

// In the child: only what is safe after a fork of a process with threads.
[[noreturn]] void become(char* const* command, char* const* environment, const Pipe& out,
                         const Pipe& err, const Pipe& failure, int no_input) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGINT, SIGTERM, SIGPIPE}) std::signal(number, SIG_DFL);
  ::dup2(no_input, STDIN_FILENO);
  ::dup2(out.ends[1], STDOUT_FILENO);
  ::dup2(err.ends[1], STDERR_FILENO);
  ::execvpe(command[0], command, environment);
  const int why = errno;
  const ssize_t ignored = ::write(failure.ends[1], &why, sizeof(why));
  static_cast<void>(ignored);
  ::_exit(127);
}

}  // namespace

std::vector<std::string> changed_environment(const Variables& changes,
                                             const std::vector<std::string>& removed) {
  const auto is_named = [](std::string_view variable, std::string_view name) {
    return variable.starts_with(name) && variable.substr(name.size()).starts_with('=');
  };
  std::vector<std::string> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const bool is_changed =
        std::any_of(changes.begin(), changes.end(),
                    [&](const auto& change) { return is_named(text, change.first); }) ||
        std::any_of(removed.begin(), removed.end(),
                    [&](const std::string& name) { return is_named(text, name); });
    if (!is_changed) environment.emplace_back(text);
  }
  for (const auto& [name, value] : changes) {
    std::string variable = name;
    environment.push_back(variable.append("=").append(value));
  }
  return environment;
}

tl::expected<ChildProcess, std::string> ChildProcess::start(
    const std::vector<std::string>& command, const std::vector<std::string>& environment) {
  Pipe out;
  Pipe err;
  Pipe failure;
  const int no_input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (out.ends[0] < 0 || err.ends[0] < 0 || failure.ends[0] < 0 || no_input < 0)
    return tl::unexpected(std::string(std::strerror(errno)));
  const std::vector<char*> words = pointers(command);
  const std::vector<char*> variables = pointers(environment);
  const pid_t pid = ::fork();
  if (pid == 0) become(words.data(), variables.data(), out, err, failure, no_input);
  const int fork_error = errno;
  ::close(no_input);
  if (pid < 0) return tl::unexpected(std::string(std::strerror(fork_error)));
  ::setpgid(pid, pid);
  ::close(failure.release(1));
  int why = 0;
  if (::read(failure.ends[0], &why, sizeof(why)) == sizeof(why)) {
    ::waitpid(pid, nullptr, 0);
    return tl::unexpected(std::string(std::strerror(why)));
  }
  return ChildProcess(pid, out.release(0), err.release(0));
}

ChildProcess::ChildProcess(pid_t pid, int stdout_pipe, int stderr_pipe)
    : pid_(pid),
      pidfd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))),
      pipes_{stdout_pipe, stderr_pipe} {
  for (const int pipe : pipes_) ::fcntl(pipe, F_SETFL, O_NONBLOCK);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pidfd_(std::exchange(other.pidfd_, -1)),
      pipes_{std::exchange(other.pipes_[0], -1), std::exchange(other.pipes_[1], -1)},
      status_(other.status_),
      has_ended_(other.has_ended_) {}

ChildProcess::~ChildProcess() {
  if (pid_ >= 0) {
    signal(SIGKILL);  // also to descendants that are left
    if (!has_ended_) ::waitpid(pid_, nullptr, 0);
  }
  for (const int fd : {pidfd_, pipes_[0], pipes_[1]}) {
    if (fd >= 0) ::close(fd);
  }
}

void ChildProcess::signal(int number) const { ::kill(-pid_, number); }

bool ChildProcess::has_ended() {
  if (has_ended_) return true;
  int status = 0;
  const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
  if (ended == 0) return false;
  has_ended_ = true;
  if (ended < 0) return true;  // its status is lost
  status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return true;
}

}  // namespace stator
