// Sealed tokens: positions that clients return, as typed fields under a seal (HMAC-SHA256). The
// seal lets a token survive a restart and exposes tokens that this store did not issue.
//
//   base64(fields | seal of head and fields)
//
// `head` is sealed too but not part of the token: it says what the token is for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/memory/arena.h"

namespace stator {

class TokenWriter {
 public:
  void u8(std::uint8_t value);
  void u32(std::uint32_t value);
  void u64(std::uint64_t value);
  // Bytes whose number the reader knows.
  void raw(std::string_view bytes);
  // Bytes after their number.
  void bytes(std::string_view bytes);

  // Appends the token of the fields so far to `out`.
  void append_sealed(std::string& out, std::string_view head, std::string_view secret) const;

 private:
  std::string fields_;
};

// Reads the fields in the order in which they were written. Reads beyond the end return zeros.
class TokenReader {
 public:
  // Empty unless a TokenWriter sealed `text` with this head and secret. Views into the arena.
  static std::optional<TokenReader> open(std::string_view text, std::string_view head,
                                         std::string_view secret, Arena& arena);

  // Without a check of the seal, for a text that this server has just written or accepted.
  static std::optional<TokenReader> open_own(std::string_view text, Arena& arena);

  std::uint8_t u8();
  std::uint32_t u32();
  std::uint64_t u64();
  std::string_view raw(std::size_t size_bytes);
  std::string_view bytes();

  // Whether all fields were there and nothing is left.
  bool is_whole() const { return !is_damaged_ && rest_.empty(); }

 private:
  explicit TokenReader(std::string_view fields) : rest_(fields) {}
  template <class Read>
  auto take(const Read& read);

  std::string_view rest_;
  bool is_damaged_ = false;
};

}  // namespace stator
