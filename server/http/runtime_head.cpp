#include "server/http/runtime_head.h"

#include <algorithm>
#include <array>

#include "server/http/header_text.h"

namespace stator {

namespace {

constexpr std::array<std::string_view, 2> kStarts = {"POST /2018-06-01/runtime/",
                                                     "POST /_stator/function/"};
constexpr std::string_view kDropped = "lambda-runtime-function-xray-error-cause:";
// Clients send at most a megabyte.
constexpr std::size_t kDroppedBytesMax = (std::size_t{1} << 20) + 64 * 1024;

}  // namespace

RuntimeHead::Start RuntimeHead::start_of(std::string_view bytes) {
  for (const std::string_view start : kStarts) {
    if (bytes.starts_with(start)) return Start::Yes;
    if (bytes.size() < start.size() && start.starts_with(bytes)) return Start::TooShortToTell;
  }
  return Start::No;
}

RuntimeHead::FeedResult RuntimeHead::feed(std::string_view bytes) {
  std::size_t consumed = 0;
  while (consumed < bytes.size()) {
    const std::size_t lf = bytes.find('\n', consumed);
    const bool has_end = lf != std::string_view::npos;
    const std::size_t end = has_end ? lf + 1 : bytes.size();
    std::string_view piece = bytes.substr(consumed, end - consumed);
    consumed = end;
    if (!is_dropping_) {
      // As much of the line as its name needs, then the rest if it is another one.
      const std::size_t of_line = text_.size() - line_;
      const std::size_t name_left = kDropped.size() - std::min(of_line, kDropped.size());
      const std::string_view name = piece.substr(0, name_left);
      text_.append(name);
      piece.remove_prefix(name.size());
      is_dropping_ = equals_ignoring_case(std::string_view(text_).substr(line_), kDropped);
    }
    if (is_dropping_) {
      dropped_ += piece.size();
    } else {
      text_.append(piece);
    }
    if (dropped_ > kDroppedBytesMax || text_.size() > bytes_max_)
      return {consumed, Progress::TooLong};
    if (!has_end) continue;
    bool is_last = false;
    if (!take_line_end(is_last)) return {consumed, Progress::TooLong};
    if (is_last) return {consumed, Progress::Complete};
  }
  return {consumed, Progress::NeedMore};
}

// Returns false if the line continues one that was left out.
bool RuntimeHead::take_line_end(bool& is_last) {
  const std::string_view line = std::string_view(text_).substr(line_);
  if (is_dropping_) {
    text_.resize(line_);
  } else if (was_dropped_ && (line.starts_with(' ') || line.starts_with('\t'))) {
    return false;
  }
  is_last = !is_dropping_ && line == "\r\n";
  was_dropped_ = is_dropping_;
  is_dropping_ = false;
  line_ = text_.size();
  return true;
}

}  // namespace stator
