// The in-situ stream and the encoding with which RapidJSON reads a body; only for
// protocol/json/json_reader.cpp.
//
// RapidJSON 1.1.0 has a vectorised scan for its own stream. That scan reads every string, however
// short, byte by byte up to an aligned address, and accepts the control characters 1A to 1F. Here
// the scan starts when RapidJSON has found a plain character and asks its encoding to copy it. It
// stops at every control character. Escapes go through the encoding too, so the encoding detects
// lone low surrogates, which RapidJSON does not check.
#pragma once

#include <cstddef>
#include <cstring>

// RapidJSON's assertions sit in the innermost loops and only guard against misuse of its streams.
// It inlines these functions only if all assertions are off.
#define RAPIDJSON_ASSERT(condition) static_cast<void>(0)
// NOLINTNEXTLINE(readability-identifier-naming)
#define RAPIDJSON_FORCEINLINE __attribute__((always_inline))
#include <rapidjson/reader.h>

#include "protocol/json/json_buffer.h"

namespace stator::json {

// Reads and unescapes a text in place. REQUIRES: a NUL byte, which no rule of JSON accepts, and
// kJsonSpareBytes readable bytes follow the text.
class BodyStream {
 public:
  using Ch = char;

  explicit BodyStream(char* text) : source_(text), head_(text) {}
  // RapidJSON copies the stream for each string and number and assigns the copy back. The write
  // position need not survive that. Members are copied one by one: each was just stored alone, and
  // a wider load would stall on those stores.
  BodyStream(const BodyStream& other)
      : source_(other.source_), head_(other.head_), is_refused_(other.is_refused_) {}
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment)
  BodyStream& operator=(const BodyStream& other) {
    source_ = other.source_;
    is_refused_ = other.is_refused_;
    return *this;
  }

  // Called by RapidJSON under these names. NOLINTBEGIN(readability-identifier-naming)
  Ch Peek() const { return *source_; }
  Ch Take() { return *source_++; }
  std::size_t Tell() const { return static_cast<std::size_t>(source_ - head_); }
  Ch* PutBegin() { return target_ = source_; }
  void Put(Ch c) { *target_++ = c; }
  std::size_t PutEnd(const Ch* begin) const { return static_cast<std::size_t>(target_ - begin); }
  // NOLINTEND(readability-identifier-naming)

  // Copies the characters up to the next quote, backslash or control character.
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

  // Moves to the `offset`th character, counted as by Tell().
  void go_to(std::size_t offset) { source_ = head_ + offset; }
  char* place() const { return source_; }

  // Marks the text as invalid although RapidJSON found no error.
  void refuse() { is_refused_ = true; }
  bool is_refused() const { return is_refused_; }

 private:
  using Block = json_detail::Bytes16;
  static constexpr std::size_t kBlockBytes = sizeof(Block);

  static Block load(const char* p) {
    Block block;
    std::memcpy(&block, p, kBlockBytes);
    return block;
  }

  // Number of characters in the block before the first that is not plain.
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

// The encoding of a body, whose UTF-8 was validated before.
struct BodyEncoding : rapidjson::UTF8<> {
  // Writes the character of an escape. A low surrogate arrives here only if no high one precedes
  // it. NOLINTNEXTLINE(readability-identifier-naming)
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

// Lets RapidJSON work on a local copy of the stream, which the compiler can hold in registers.
template <>
struct StreamTraits<stator::json::BodyStream> {
  enum { copyOptimization = 1 };  // NOLINT(readability-identifier-naming)
};

template <>
inline void SkipWhitespace(stator::json::BodyStream& stream) {
  stream.skip_space();
}

RAPIDJSON_NAMESPACE_END
