#include "server/cli/function_command/function_runner.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include "engine/seams/clock.h"
#include "server/log/say.h"
#include "server/options/variables.h"
#include "server/triggers/runtimes/runtime_errors.h"

namespace stator {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPauseMin{250};
constexpr milliseconds kPauseMax{10'000};
// A process that has lived for this time, or has answered, starts again at once.
constexpr std::chrono::seconds kLongLife{10};
constexpr std::chrono::seconds kEndPatience{2};
// After the time of its call, in which it may end by itself.
constexpr milliseconds kLatePatience{500};
// Without a descriptor for the end of a process.
constexpr int kLookMs = 200;

std::string url_of(const HealthOptions& server) {
  std::string url(server.is_tls ? "https://" : "http://");
  return url.append(host_text(server));
}

std::string or_else(const char* variable, std::string fallback) {
  std::string value = variable_text(variable);
  return value.empty() ? std::move(fallback) : value;
}

}  // namespace

Variables function_variables(const FunctionOptions& options, std::uint16_t port) {
  const std::string region = or_else("AWS_REGION", or_else("AWS_DEFAULT_REGION", "us-east-1"));
  const std::string url = url_of(options.server);
  Variables variables = {
      {"AWS_LAMBDA_RUNTIME_API", "127.0.0.1:" + std::to_string(port)},
      {"AWS_LAMBDA_FUNCTION_NAME", options.name},
      {"AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"},
      {"AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "128"},
      {"AWS_LAMBDA_LOG_GROUP_NAME", "/aws/lambda/" + options.name},
      {"AWS_LAMBDA_LOG_STREAM_NAME", "$LATEST"},
      {"LAMBDA_TASK_ROOT", std::filesystem::current_path().string()},
      {"AWS_REGION", region},
      {"AWS_DEFAULT_REGION", region},
      {"AWS_ACCESS_KEY_ID", or_else("AWS_ACCESS_KEY_ID", "local")},
      {"AWS_SECRET_ACCESS_KEY", or_else("AWS_SECRET_ACCESS_KEY", "local")},
      {"AWS_ENDPOINT_URL_DYNAMODB", url},
      {"AWS_ENDPOINT_URL_DYNAMODB_STREAMS", url},
      {"TZ", ":UTC"},
  };
  if (!options.handler.empty()) {
    variables.emplace_back("_HANDLER", options.handler);
  } else if (options.command.size() > 1) {
    variables.emplace_back("_HANDLER", options.command.back());
  }
  return variables;
}

WakeUp::WakeUp() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "an eventfd");
}

WakeUp::~WakeUp() { ::close(descriptor_); }

FunctionRunner::FunctionRunner(const FunctionOptions& options,
                               std::function<void(std::string)> on_failure)
    : options_(options),
      on_failure_(std::move(on_failure)),
      forwarder_(options.server, options.name,
                 {std::bind_front(&FunctionRunner::begin_call, this),
                  std::bind_front(&FunctionRunner::output_of_call, this),
                  std::bind_front(&FunctionRunner::wake, this)}),
      thread_([this] { run(); }) {}

FunctionRunner::~FunctionRunner() {
  if (!is_stopping()) stop(SIGTERM);
  thread_.join();
}

void FunctionRunner::wake() const {
  const std::uint64_t one = 1;
  const ssize_t ignored = ::write(wake_.descriptor(), &one, sizeof(one));
  static_cast<void>(ignored);
}

void FunctionRunner::stop(int signal) {
  {
    const std::scoped_lock lock(mutex_);
    signal_ = signal;
    const auto now = Clock::now();
    killed_at_ = killed_at_ ? now : now + kEndPatience;
  }
  wake();
}

bool FunctionRunner::is_stopping() {
  const std::scoped_lock lock(mutex_);
  return killed_at_.has_value();
}

void FunctionRunner::run() {
  try {
    while (!is_stopping() && run_once() && pause()) {
    }
  } catch (const std::exception& error) {
    {
      const std::scoped_lock lock(output_mutex_);
      pipes_ = {-1, -1};
    }
    on_failure_(options_.name + ": " + error.what());
  }
  has_ended_ = true;
}

// Returns false if the program cannot be started.
bool FunctionRunner::run_once() {
  forwarder_.begin_process();
  auto child = ChildProcess::start(
      options_.command, changed_environment(function_variables(options_, forwarder_.port()),
                                            {"_LAMBDA_SERVER_PORT", "AWS_LAMBDA_MAX_CONCURRENCY",
                                             "AWS_LAMBDA_INITIALIZATION_TYPE"}));
  if (!child) {
    on_failure_("cannot run " + options_.command.front() + ": " + child.error());
    return false;
  }
  {
    const std::scoped_lock lock(output_mutex_);
    pipes_ = {child->stdout_pipe(), child->stderr_pipe()};
  }
  const auto started = Clock::now();
  watch(*child);
  const Forwarder::Seen seen = forwarder_.seen();
  const bool was_useful = seen.has_answered || Clock::now() - started >= kLongLife;
  pause_ = was_useful ? milliseconds(0) : std::clamp(pause_ * 2, kPauseMin, kPauseMax);
  show_output();
  {
    const std::scoped_lock lock(output_mutex_);
    pipes_ = {-1, -1};
    stdout_.flush(seen.request_id);
    stderr_.flush(seen.request_id);
  }
  report_end(*child, seen);
  forwarder_.end_process();
  return true;
}

// Until when to sleep if nothing happens; -1: for ever.
int FunctionRunner::wait_ms(const Forwarder::Seen& seen) const {
  if (!seen.is_working) return -1;
  const auto left = seen.deadline_ms + kLatePatience.count() - SystemClock().now().unix_ms();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

// Shows the output, passes signals on, and kills a process that is late, until it has ended.
void FunctionRunner::watch(ChildProcess& child) {
  std::array<pollfd, 4> waits{{{child.stdout_pipe(), POLLIN, 0},
                               {child.stderr_pipe(), POLLIN, 0},
                               {wake_.descriptor(), POLLIN, 0},
                               {child.end_signal(), POLLIN, 0}}};
  while (!child.has_ended()) {
    const Forwarder::Seen seen = forwarder_.seen();
    int patience = wait_ms(seen);
    if (patience == 0) {
      complain(options_.name + ": killed, because the time of its call is over");
      child.signal(SIGKILL);
      patience = kLookMs;
    }
    {
      const std::scoped_lock lock(mutex_);
      if (const int signal = std::exchange(signal_, 0); signal != 0) child.signal(signal);
      if (killed_at_) {
        if (Clock::now() >= *killed_at_) child.signal(SIGKILL);
        patience = kLookMs;
      }
    }
    if (child.end_signal() < 0) patience = patience < 0 ? kLookMs : std::min(patience, kLookMs);
    if (::poll(waits.data(), waits.size(), patience) <= 0) continue;
    show_output();
    {
      const std::scoped_lock lock(output_mutex_);
      for (std::size_t i = 0; i < pipes_.size(); ++i) waits[i].fd = pipes_[i];
    }
    std::uint64_t ignored = 0;
    if (waits[2].revents != 0 && ::read(wake_.descriptor(), &ignored, sizeof(ignored)) < 0)
      continue;
  }
}

// Shows what the process has written up to now, with the id of its last call. Before the next call
// too, so that no line gets the wrong id.
void FunctionRunner::show_output() {
  const std::scoped_lock lock(output_mutex_);
  const std::string id = forwarder_.seen().request_id;
  for (std::size_t i = 0; i < pipes_.size(); ++i) {
    OutputLines& lines = i == 0 ? stdout_ : stderr_;
    pollfd wait{pipes_[i], POLLIN, 0};
    while (pipes_[i] >= 0 && ::poll(&wait, 1, 0) > 0) {
      if (!lines.read(pipes_[i], id)) pipes_[i] = -1;
    }
  }
}

void FunctionRunner::begin_call() {
  show_output();
  const std::scoped_lock lock(output_mutex_);
  tail_.clear();
}

std::string FunctionRunner::output_of_call() {
  show_output();
  const std::scoped_lock lock(output_mutex_);
  return tail_;
}

void FunctionRunner::report_end(const ChildProcess& child, const Forwarder::Seen& seen) {
  const std::string status = "exit status " + std::to_string(child.status());
  if (seen.is_working)
    forwarder_.fail_call(seen.request_id, triggers::exit_error(seen.request_id, child.status()));
  if (is_stopping()) return;
  if (!seen.has_polled && !seen.has_failed_start)
    forwarder_.fail_start(
        triggers::error_object("Runtime.ExitError", "Runtime exited with error: " + status));
  std::string line = options_.name;
  line.append(": ended, ").append(status).append(", starts again");
  if (pause_.count() > 0) line.append(" in ").append(wait_text(pause_));
  complain(line);
}

// Returns false if the function is to end.
bool FunctionRunner::pause() {
  const auto until = Clock::now() + pause_;
  while (!is_stopping()) {
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::now()).count();
    if (left <= 0) return true;
    std::array<pollfd, 1> wait{{{wake_.descriptor(), POLLIN, 0}}};
    std::uint64_t ignored = 0;
    if (::poll(wait.data(), 1, static_cast<int>(left)) > 0 &&
        ::read(wake_.descriptor(), &ignored, sizeof(ignored)) < 0)
      continue;
  }
  return false;
}

}  // namespace stator
