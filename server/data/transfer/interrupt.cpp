#include "server/data/transfer/interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <system_error>

namespace stator::data {

namespace {

// Readable after the first signal.
int interrupt_fd = -1;

extern "C" void note_interrupt(int signal) {
  const std::uint64_t one = 1;
  const ssize_t written = write(interrupt_fd, &one, sizeof one);
  if (written < 0) _exit(128 + signal);
}

}  // namespace

void prepare_interrupt() {
  interrupt_fd = eventfd(0, EFD_CLOEXEC);
  if (interrupt_fd < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void interrupt() {
  const std::uint64_t one = 1;
  // Fails only if the counter is full after very many signals.
  [[maybe_unused]] const ssize_t written = write(interrupt_fd, &one, sizeof one);
}

void watch_interrupts() {
  prepare_interrupt();
  struct sigaction action = {};
  action.sa_handler = note_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool wait_interrupted(std::chrono::milliseconds time) {
  pollfd watched{interrupt_fd, POLLIN, 0};
  return poll(&watched, 1, static_cast<int>(time.count())) > 0;
}

bool wait_readable(int fd) {
  // poll() passes over a negative descriptor: without prepare_interrupt() only `fd` ends the wait.
  std::array<pollfd, 2> watched{{{fd, POLLIN, 0}, {interrupt_fd, POLLIN, 0}}};
  while (poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) continue;
  return watched[1].revents == 0;
}

bool is_interrupted() { return wait_interrupted(std::chrono::milliseconds{0}); }

}  // namespace stator::data
