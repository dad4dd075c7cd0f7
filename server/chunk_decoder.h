// ChunkDecoder: the chunked transfer coding (RFC 9112, 7.1), byte by byte if need be. Chunk
// extensions and trailers are read and dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stator {

class ChunkDecoder {
 public:
  enum class Progress : std::uint8_t { NeedMore, Complete, Malformed, TooLarge };

  // `body_bytes_max`: for the whole body. `extra_bytes_max`: for all extensions and trailers
  // together.
  ChunkDecoder(std::size_t body_bytes_max, std::size_t extra_bytes_max)
      : body_bytes_left_(body_bytes_max), extra_bytes_left_(extra_bytes_max) {}

  // Appends to `body`. Takes all of `bytes` unless the coding ends in it. REQUIRES: the last answer
  // was NeedMore.
  struct Fed {
    std::size_t consumed;
    Progress progress;
  };
  Fed feed(std::string_view bytes, std::string& body);

 private:
  enum class State : std::uint8_t {
    Size,       // in the hexadecimal digits
    Extension,  // behind them, up to the CR
    SizeLf,     // LF behind a size line
    Data,
    DataCr,  // line end behind a chunk's data
    DataLf,
    TrailerStart,  // first byte of a trailer line, or of the empty line that ends it all
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
  std::size_t chunk_bytes_ = 0;  // of this chunk: its size, then what is left of it
  bool has_digit_ = false;
  State state_ = State::Size;
};

}  // namespace stator
