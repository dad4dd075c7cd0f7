// LineReader: the lines of a stream, of bounded length.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace stator::mcp {

class LineReader {
 public:
  struct Line {
    std::string text;          // without its break
    bool is_too_long = false;  // then without text
  };

  // Reads from the descriptor, which stays open.
  LineReader(int descriptor, std::size_t bytes_max);

  // Waits for the next line that has more than white space. Empty at the end of the stream, or
  // after an error of reading. The last line may lack its break.
  std::optional<Line> next();

 private:
  bool fill();
  // Takes the next line of the buffer; empty if its break is not there yet.
  std::optional<Line> take();
  Line finish(std::string text);

  int descriptor_;
  std::size_t bytes_max_;
  std::string buffer_;
  std::size_t searched_ = 0;  // the buffer's bytes before have no break
  bool is_skipping_ = false;  // the rest of a line that is too long
};

}  // namespace stator::mcp
