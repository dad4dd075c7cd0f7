// What RapidJSON reads a body through: an in-situ stream and its encoding, both ours, for
// protocol/json_reader.cpp alone.
//
// RapidJSON 1.1.0 has a vectorised scan for its own stream, but starts it for every string, however
// short, byte by byte up to an aligned address, and lets the control characters 1A to 1F pass. Here
// the scan starts where RapidJSON has found a plain character and wants it copied, which is its
// encoding's business, and it stops at every control character. Escapes come by the encoding, too:
// so that is where a lone low surrogate, which RapidJSON does not look for, is seen.
#pragma once

#include <cstddef>
#include <cstring>

// Its assertions stand in the innermost loops and guard only against misuse of its streams. It
// inlines them only where all assertions are off.
#define RAPIDJSON_ASSERT(condition) static_cast<void>(0)
// NOLINTNEXTLINE(readability-identifier-naming)
#define RAPIDJSON_FORCEINLINE __attribute__((always_inline))
#include <rapidjson/reader.h>

#include "protocol/json_buffer.h"

namespace stator::json {

// Reads and unescapes a text in place. Behind it stand a NUL byte, which no rule of JSON accepts,
// and kJsonSpareBytes that may be read.
class BodyStream {
 public:
  using Ch = char;

  explicit BodyStream(char* text) : source_(text), head_(text) {}
  // RapidJSON works on a copy for each string and number, and assigns it back. What is written
  // where does not outlive that. Nothing is copied as a block: its place was just written alone,
  // and a load of more than what was written has to wait.
  BodyStream(const BodyStream& other)
      : source_(other.source_), head_(other.head_), is_refused_(other.is_refused_) {}
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment)
  BodyStream& operator=(const BodyStream& other) {
    source_ = other.source_;
    is_refused_ = other.is_refused_;
    return *this;
  }

  // Called by RapidJSON, by its names.
  // NOLINTBEGIN(readability-identifier-naming)
  Ch Peek() const { return *source_; }
  Ch Take() { return *source_++; }
  std::size_t Tell() const { return static_cast<std::size_t>(source_ - head_); }
  Ch* PutBegin() { return target_ = source_; }
  void Put(Ch c) { *target_++ = c; }
  std::size_t PutEnd(const Ch* begin) const { return static_cast<std::size_t>(target_ - begin); }
  // NOLINTEND(readability-identifier-naming)

  // Takes and puts the characters up to the next quote, backslash or control character.
  void copy_plain() {
    if (source_ == target_) {
      source_ = target_ = plain_end(source_);
      return;
    }
    while (true) {
      const Block block = load(source_);
      const std::size_t length = plain_length(block);
      if (length < kBlockBytes) {
        for (std::size_t i = 0; i < length; ++i) *target_++ = *source_++;
        return;
      }
      std::memcpy(target_, &block, kBlockBytes);
      source_ += kBlockBytes;
      target_ += kBlockBytes;
    }
  }

  void skip_space() {
    while (*source_ == ' ' || *source_ == '\n' || *source_ == '\r' || *source_ == '\t') ++source_;
  }

  // Goes to the `offset`th character, counted as by Tell().
  void go_to(std::size_t offset) { source_ = head_ + offset; }
  char* place() const { return source_; }

  // The text is to be refused, though RapidJSON found nothing wrong.
  void refuse() { is_refused_ = true; }
  bool is_refused() const { return is_refused_; }

 private:
  using Block = json_detail::SixteenBytes;
  static constexpr std::size_t kBlockBytes = sizeof(Block);

  static Block load(const char* p) {
    Block block;
    std::memcpy(&block, p, kBlockBytes);
    return block;
  }

  // How many characters of the block are before the first that ends a run of plain ones.
  static std::size_t plain_length(Block block) {
    return json_detail::first_of(json_detail::escapes_in(block));
  }

  static char* plain_end(char* p) {
    while (true) {
      const std::size_t length = plain_length(load(p));
      p += length;
      if (length < kBlockBytes) return p;
    }
  }

  char* source_;
  char* target_ = nullptr;
  char* head_;
  bool is_refused_ = false;
};

// UTF-8 as it stands in a body, which was validated before.
struct BodyEncoding : rapidjson::UTF8<> {
  // The character of an escape. A low surrogate comes here only without a high one before it.
  // NOLINTNEXTLINE(readability-identifier-naming)
  static void Encode(BodyStream& stream, unsigned code_point) {
    if (code_point >= 0xDC00 && code_point <= 0xDFFF) stream.refuse();
    rapidjson::UTF8<>::Encode(stream, code_point);
  }
};

}  // namespace stator::json

RAPIDJSON_NAMESPACE_BEGIN

template <>
struct Transcoder<stator::json::BodyEncoding, stator::json::BodyEncoding>
    : Transcoder<UTF8<>, UTF8<>> {
  using Stream = stator::json::BodyStream;
  // NOLINTNEXTLINE(readability-identifier-naming)
  static bool TranscodeUnsafe(Stream& stream, Stream& /*itself*/) {
    stream.copy_plain();
    return true;
  }
};

// What is copied back is all that a function knows of its stream, so a local one stays in
// registers.
template <>
struct StreamTraits<stator::json::BodyStream> {
  enum { copyOptimization = 1 };  // NOLINT(readability-identifier-naming)
};

template <>
inline void SkipWhitespace(stator::json::BodyStream& stream) {
  stream.skip_space();
}

RAPIDJSON_NAMESPACE_END
