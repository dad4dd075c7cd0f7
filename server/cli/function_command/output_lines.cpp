#include "server/cli/function_command/output_lines.h"

#include <unistd.h>

#include <array>
#include <cerrno>

#include "server/triggers/runtimes/call_output.h"

namespace stator {

namespace {

// A longer line is shown in pieces.
constexpr std::size_t kLineBytesMax = 64 * 1024;

}  // namespace

bool OutputLines::read(int pipe, std::string_view id) {
  std::array<char, 16 * 1024> bytes{};
  const ssize_t count = ::read(pipe, bytes.data(), bytes.size());
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  rest_.append(bytes.data(), static_cast<std::size_t>(count));
  std::size_t begin = 0;
  for (std::size_t end = rest_.find('\n'); end != std::string::npos;
       end = rest_.find('\n', begin)) {
    write(std::string_view(rest_).substr(begin, end - begin), id);
    begin = end + 1;
  }
  rest_.erase(0, begin);
  if (rest_.size() > kLineBytesMax) flush(id);
  return count > 0;
}

void OutputLines::flush(std::string_view id) {
  if (!rest_.empty()) write(rest_, id);
  rest_.clear();
}

// One call of the system for a line, so that lines of several processes do not mix.
void OutputLines::write(std::string_view line, std::string_view id) {
  tail_.append(line).append("\n");
  if (tail_.size() > triggers::kOutputBytesMax)
    tail_.erase(0, tail_.size() - triggers::kOutputBytesMax);
  std::string text(id.empty() ? "-" : id);
  text.append(" ").append(line).append("\n");
  std::string_view left = text;
  while (!left.empty()) {
    const ssize_t count = ::write(target_, left.data(), left.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    left.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace stator
