// RuntimeHead: the head of a POST to the Runtime API, without the header that clients in Python
// send with an error: a description of up to a megabyte that nothing reads. The parser, whose limit
// is far lower, gets the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stator {

class RuntimeHead {
 public:
  enum class Progress : std::uint8_t { NeedMore, Complete, TooLong };

  // Whether a request that begins with `bytes` is such a POST.
  enum class Start : std::uint8_t { No, Yes, TooShortToTell };
  static Start start_of(std::string_view bytes);

  // `bytes_max` limits what text() holds.
  explicit RuntimeHead(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // Consumes all of `bytes` unless the head ends in it. REQUIRES: the last result was NeedMore.
  struct FeedResult {
    std::size_t consumed;
    Progress progress;
  };
  FeedResult feed(std::string_view bytes);

  // The head up to its empty line.
  std::string_view text() const { return text_; }

 private:
  bool take_line_end(bool& is_last);

  const std::size_t bytes_max_;
  std::string text_;
  std::size_t line_ = 0;      // where the line that is being read begins in text_
  bool is_dropping_ = false;  // the line is the header to leave out; its name is in text_
  bool was_dropped_ = false;  // the line before was
  std::size_t dropped_ = 0;   // bytes
};

}  // namespace stator
