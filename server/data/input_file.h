// InputFile: the bytes of a file, of several in a row or of stdin, unpacked when they are gzip, a
// block at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace stator::data {

// The longest line or item that is read: an item of 400 KB takes less, however it is escaped.
inline constexpr std::size_t kRecordBytesMax = std::size_t{16} << 20;

class InputFile {
 public:
  // "-" is stdin. The error is for people.
  static tl::expected<InputFile, std::string> open(const std::string& path);

  // The next byte without taking it, or -1 at the end. Check error() then.
  int peek() {
    if (next_ == end_ && !fill()) return -1;
    return static_cast<unsigned char>(*next_);
  }
  int take() {
    const int byte = peek();
    if (byte >= 0) {
      line_ += *next_ == '\n' ? 1 : 0;
      ++next_;
    }
    return byte;
  }
  // Appends what stands before the next line break and takes that, too. False at the end. What is
  // beyond kRecordBytesMax is left out; `is_too_long` says so.
  bool take_line(std::string& line, bool& is_too_long);
  // What comes, as far as it is known: at least `bytes` unless the file ends before.
  std::string_view look_ahead(std::size_t bytes);

  // That of UTF-8, where it comes next.
  void skip_byte_order_mark();

  // Of the next byte, from 1.
  std::uint64_t line() const { return line_; }
  // Of the file as it is on the disk; 0 and 0 for a pipe.
  std::uint64_t bytes_read() const;
  std::uint64_t bytes_total() const { return bytes_total_; }
  // Why it ended before its end; empty when it did not.
  const std::string& error() const { return error_; }
  const std::string& path() const { return path_; }

 private:
  struct Closer {
    void operator()(void* file) const;
  };
  InputFile() = default;
  bool fill();

  std::string path_;
  std::unique_ptr<void, Closer> file_;
  std::string buffer_;
  const char* next_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t line_ = 1;
  std::uint64_t bytes_total_ = 0;
  std::string error_;
};

}  // namespace stator::data
