#include "server/cli/mcp/line_reader.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace stator::mcp {

namespace {

constexpr std::size_t kReadBytes = 65'536;

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r") == std::string::npos;
}

}  // namespace

LineReader::LineReader(int descriptor, std::size_t bytes_max)
    : descriptor_{descriptor}, bytes_max_{bytes_max} {}

std::optional<LineReader::Line> LineReader::next() {
  for (;;) {
    while (auto line = take())
      if (line->is_too_long || !is_blank(line->text)) return line;
    if (fill()) continue;
    Line last = finish(std::exchange(buffer_, {}));
    if (last.is_too_long || !is_blank(last.text)) return last;
    return std::nullopt;
  }
}

// Returns false at the end.
bool LineReader::fill() {
  const std::size_t size = buffer_.size();
  buffer_.resize(size + kReadBytes);
  for (;;) {
    const ssize_t count = ::read(descriptor_, buffer_.data() + size, kReadBytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      pollfd watched{descriptor_, POLLIN, 0};
      ::poll(&watched, 1, -1);
      continue;
    }
    buffer_.resize(size + (count > 0 ? static_cast<std::size_t>(count) : 0));
    return count > 0;
  }
}

std::optional<LineReader::Line> LineReader::take() {
  const std::size_t end = buffer_.find('\n', searched_);
  if (end == std::string::npos) {
    // What is too long already is not stored.
    if (buffer_.size() > bytes_max_) is_skipping_ = true;
    if (is_skipping_) buffer_.clear();
    searched_ = buffer_.size();
    return std::nullopt;
  }
  std::string text = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  searched_ = 0;
  return finish(std::move(text));
}

LineReader::Line LineReader::finish(std::string text) {
  searched_ = 0;
  const bool is_too_long = std::exchange(is_skipping_, false) || text.size() > bytes_max_;
  if (is_too_long) return {{}, true};
  return {std::move(text)};
}

}  // namespace stator::mcp
