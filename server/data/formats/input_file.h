// InputFile: reads a file, stdin or an object block by block, and unpacks gzip and zstd
// (server/data/packing/unpacker.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "server/data/packing/byte_source.h"
#include "server/data/packing/packing.h"
#include "server/data/packing/unpacker.h"
#include "server/data/recognition/utf16.h"

namespace stator::data {

// The longest line or item accepted. An item of 400 KB needs less, whatever its escapes.
inline constexpr std::size_t kRecordBytesMax = std::size_t{16} << 20;
inline constexpr std::string_view kTooLong = "it is longer than 16 MiB, which no item is";

class InputFile {
 public:
  // "-" means stdin. Without `packing` the content decides whether it is packed. The error is for
  // people.
  static tl::expected<InputFile, std::string> open(const std::string& path,
                                                   std::optional<Packing> packing = {});

  // Takes ownership of an open file; messages name it `path`.
  static tl::expected<InputFile, std::string> of(int fd, std::string path,
                                                 std::optional<Packing> packing = {});
  // The bytes of another source, such as an object.
  static InputFile of_source(std::unique_ptr<ByteSource> source, std::string path,
                             std::optional<Packing> packing = {});
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;

  // Returns the next byte without consuming it, or -1 at the end; then check error().
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
  // Appends the next line to `line`, without its line break. Returns false at the end and on an
  // error, such as a line longer than kRecordBytesMax.
  bool take_line(std::string& line);
  // Consumes the buffered bytes without counting lines; empty at the end. The view is valid until
  // the next call.
  std::string_view take_block();
  // Returns buffered bytes without consuming them: at least `bytes` unless the file ends before.
  std::string_view look_ahead(std::size_t bytes);

  // Turns all that is not consumed yet from UTF-16 into UTF-8, its byte order mark too.
  void decode_utf16(Utf16Decoder::Order order);

  // Skips a byte order mark of UTF-8.
  void skip_byte_order_mark();

  // Line of the next byte, from 1.
  std::uint64_t line() const { return line_; }
  // Bytes on the disk; both are 0 for a pipe and for of_source().
  std::uint64_t bytes_read() const;
  std::uint64_t bytes_total() const { return bytes_total_; }
  // The reason why reading stopped early; empty if it did not.
  const std::string& error() const { return error_; }
  // Stops reading with an error that names the file and the line.
  void fail(std::string_view why);
  const std::string& path() const { return path_; }

 private:
  InputFile();
  bool fill();
  bool fill_decoded(std::size_t left);

  std::string path_;
  std::unique_ptr<Unpacker> source_;
  std::optional<Utf16Decoder> decoder_;
  std::string units_;  // what the decoder takes
  std::string buffer_;
  const char* next_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t line_ = 1;
  std::uint64_t bytes_total_ = 0;
  std::string error_;
};

// Reads a file of text, of at most kRecordBytesMax bytes, without a byte order mark. The error is
// for people.
tl::expected<std::string, std::string> read_file(const std::string& path);

}  // namespace stator::data
