// See chunk_decoder.h.

#include "server/http/chunk_decoder.h"

#include <algorithm>

#include "server/http/header_text.h"

namespace stator {

ChunkDecoder::FeedResult ChunkDecoder::feed(std::string_view bytes, std::string& body) {
  std::size_t i = 0;
  while (i < bytes.size()) {
    if (state_ == State::Data) {
      const std::size_t count = std::min(chunk_bytes_, bytes.size() - i);
      body.append(bytes.substr(i, count));
      i += count;
      chunk_bytes_ -= count;
      if (chunk_bytes_ == 0) state_ = State::DataCr;
      continue;
    }
    const Progress progress = take(bytes[i++]);
    if (progress != Progress::NeedMore) return {i, progress};
  }
  return {i, Progress::NeedMore};
}

ChunkDecoder::Progress ChunkDecoder::take(char c) {
  switch (state_) {
    case State::Size:
      return take_size(c);
    case State::Extension:
      return drop(c, State::SizeLf);
    case State::SizeLf:
      return c == '\n' ? take_size_end() : Progress::Malformed;
    case State::DataCr:
      return expect(c, '\r', State::DataLf);
    case State::DataLf:
      return expect(c, '\n', State::Size);
    case State::TrailerStart:
      if (c == '\r') {
        state_ = State::LastLf;
        return Progress::NeedMore;
      }
      return drop(c, State::TrailerLf);
    case State::Trailer:
      return drop(c, State::TrailerLf);
    case State::TrailerLf:
      return expect(c, '\n', State::TrailerStart);
    case State::LastLf:
      return c == '\n' ? Progress::Complete : Progress::Malformed;
    case State::Data:
      break;
  }
  return Progress::Malformed;
}

ChunkDecoder::Progress ChunkDecoder::take_size(char c) {
  const int digit = hex_digit(c);
  if (digit >= 0) {
    has_digit_ = true;
    chunk_bytes_ = chunk_bytes_ * 16 + static_cast<std::size_t>(digit);
    // Checked after every digit, so the number cannot overflow.
    return chunk_bytes_ > body_bytes_left_ ? Progress::TooLarge : Progress::NeedMore;
  }
  if (!has_digit_ || !(c == ';' || c == ' ' || c == '\t' || c == '\r')) return Progress::Malformed;
  state_ = State::Extension;
  return drop(c, State::SizeLf);
}

ChunkDecoder::Progress ChunkDecoder::take_size_end() {
  state_ = chunk_bytes_ == 0 ? State::TrailerStart : State::Data;
  body_bytes_left_ -= chunk_bytes_;
  has_digit_ = false;
  return Progress::NeedMore;
}

// Skips a byte of an extension or a trailer line, which may be wanted.
ChunkDecoder::Progress ChunkDecoder::drop(char c, State behind_cr) {
  const bool is_kept = trailers_ != nullptr && behind_cr == State::TrailerLf;
  if (c == '\r') {
    if (is_kept) trailers_->push_back('\n');
    state_ = behind_cr;
    return Progress::NeedMore;
  }
  const bool is_control = (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  if (is_control || extra_bytes_left_ == 0) return Progress::Malformed;
  --extra_bytes_left_;
  if (is_kept) trailers_->push_back(c);
  if (state_ == State::TrailerStart) state_ = State::Trailer;
  return Progress::NeedMore;
}

ChunkDecoder::Progress ChunkDecoder::expect(char c, char expected, State next) {
  state_ = next;
  return c == expected ? Progress::NeedMore : Progress::Malformed;
}

}  // namespace stator
