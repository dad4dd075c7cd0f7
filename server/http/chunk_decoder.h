// ChunkDecoder: decodes the chunked transfer coding (RFC 9112, 7.1) from pieces of any size. Skips
// chunk extensions, and trailers unless they are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stator {

class ChunkDecoder {
 public:
  enum class Progress : std::uint8_t { NeedMore, Complete, Malformed, TooLarge };

  // `body_bytes_max` limits the whole body, `extra_bytes_max` all extensions and trailers together.
  // `trailers`, if there is one, gets the lines of the trailer, each with an LF; it must outlive
  // this.
  ChunkDecoder(std::size_t body_bytes_max, std::size_t extra_bytes_max,
               std::string* trailers = nullptr)
      : body_bytes_left_(body_bytes_max), extra_bytes_left_(extra_bytes_max), trailers_(trailers) {}

  // Appends to `body`. Consumes all of `bytes` unless the coding ends in it. REQUIRES: the last
  // result was NeedMore.
  struct FeedResult {
    std::size_t consumed;
    Progress progress;
  };
  FeedResult feed(std::string_view bytes, std::string& body);

 private:
  enum class State : std::uint8_t {
    Size,       // in the hexadecimal digits
    Extension,  // behind them, up to the CR
    SizeLf,     // LF behind a size line
    Data,
    DataCr,  // line end after a chunk's data
    DataLf,
    TrailerStart,  // first byte of a trailer line, or of the final empty line
    Trailer,       // in a trailer line
    TrailerLf,
    LastLf,
  };

  Progress take(char c);
  Progress take_size(char c);
  Progress take_size_end();
  Progress drop(char c, State behind_cr);
  Progress expect(char c, char expected, State next);

  std::size_t body_bytes_left_;
  std::size_t extra_bytes_left_;
  std::size_t chunk_bytes_ = 0;  // of this chunk: its size, then its remaining bytes
  std::string* trailers_;
  bool has_digit_ = false;
  State state_ = State::Size;
};

}  // namespace stator
