#include "server/cli/output/standard_output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace stator::client {

void begin_output() { std::signal(SIGPIPE, SIG_IGN); }

Output write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      pollfd watched{STDOUT_FILENO, POLLOUT, 0};
      ::poll(&watched, 1, -1);
    } else if (errno != EINTR) {
      if (errno == EPIPE) return tl::unexpected(OutputEnd{});
      return tl::unexpected(OutputEnd{"stdout: " + std::generic_category().message(errno)});
    }
  }
  return {};
}

bool has_reader() {
  pollfd watched{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&watched, 1, 0) <= 0 || (watched.revents & (POLLERR | POLLHUP)) == 0;
}

}  // namespace stator::client
