#include "server/data/interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <system_error>

namespace stator::data {

namespace {

// Readable from the first signal on.
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
  // It can only fail when it was done before, very often.
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

bool is_interrupted() { return wait_interrupted(std::chrono::milliseconds{0}); }

}  // namespace stator::data
