// See output.h.

#include "server/log/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <utility>

#include "server/log/output_queue.h"

namespace stator::output {

namespace {

// How long a line for stdout waits for earlier lines of stderr.
constexpr std::chrono::milliseconds kOrderPatience{100};

// Never destroyed: a thread that waits for a reader may use it.
struct Queues {
  explicit Queues(std::function<std::string(std::uint64_t)> report_lost)
      : to_stderr({.fd = STDERR_FILENO, .report_lost = std::move(report_lost)}),
        to_stdout(
            {.fd = STDOUT_FILENO, .before_write = [this] { to_stderr.finish(kOrderPatience); }}) {}

  OutputQueue to_stderr;
  OutputQueue to_stdout;
};

std::atomic<Queues*> queues{nullptr};

}  // namespace

void open_missing_streams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) != -1) continue;
    // `fd` is the lowest free number.
    [[maybe_unused]] const int opened = ::open("/dev/null", O_RDWR);
  }
}

void start_queues(std::function<std::string(std::uint64_t)> report_lost) {
  queues.store(std::make_unique<Queues>(std::move(report_lost)).release());
}

void write(Stream stream, std::string_view text) {
  Queues* const started = queues.load();
  if (started != nullptr) {
    (stream == Stream::Stdout ? started->to_stdout : started->to_stderr).push(text);
    return;
  }
  std::FILE* const file = stream == Stream::Stdout ? stdout : stderr;
  std::fwrite(text.data(), 1, text.size(), file);
}

void finish(std::chrono::milliseconds patience) {
  Queues* const started = queues.load();
  if (started == nullptr) return;
  const auto until = std::chrono::steady_clock::now() + patience;
  started->to_stderr.finish(patience);
  started->to_stdout.finish(std::chrono::duration_cast<std::chrono::milliseconds>(
      until - std::chrono::steady_clock::now()));
}

}  // namespace stator::output
