// ChildProcess: a program with its output in pipes, in a process group of its own.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace stator {

using Variables = std::vector<std::pair<std::string, std::string>>;

// The environment of this process, without `removed`, with `changes`.
std::vector<std::string> changed_environment(const Variables& changes,
                                             const std::vector<std::string>& removed);

class ChildProcess {
 public:
  // Starts `command`, whose first word is looked up in PATH. It is killed when the thread that
  // called this ends, so also when this process is killed. The error says why it cannot be run.
  static tl::expected<ChildProcess, std::string> start(const std::vector<std::string>& command,
                                                       const std::vector<std::string>& environment);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  // Readable once it has ended; -1 if the system has no such thing.
  int end_signal() const { return pidfd_; }
  int stdout_pipe() const { return pipes_[0]; }
  int stderr_pipe() const { return pipes_[1]; }
  // To it and all its descendants in its group.
  void signal(int number) const;
  // Whether it has ended; then what a shell would say: 128 and the signal's number, or its status.
  bool has_ended();
  int status() const { return status_; }

 private:
  ChildProcess(pid_t pid, int stdout_pipe, int stderr_pipe);

  pid_t pid_;
  int pidfd_;
  int pipes_[2];
  int status_ = 0;
  bool has_ended_ = false;
};

}  // namespace stator
