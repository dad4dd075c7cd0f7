// The library's memmem is linear, but takes 2 to 5 ns a byte for texts made to be bad for it. So a
// sieve first tests sixteen positions at once for a few bytes of the wanted string. When a position
// passes the sieve but does not match, the byte that differed joins the sieve. The newest byte is
// tested first, alone, then with the others. A text that defeats this too falls back to memmem
// after a bounded amount of work on candidates.
#include "protocol/text/substring.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace stator {
namespace {

using Block = unsigned char __attribute__((vector_size(16)));
constexpr std::size_t kBlockBytes = sizeof(Block);
constexpr std::size_t kRunBytes = 4 * kBlockBytes;
constexpr std::size_t kSieves = 4;
constexpr std::size_t kCandidateCost = 16;  // in compared bytes

bool search(std::string_view text, std::string_view wanted) {
  return memmem(text.data(), text.size(), wanted.data(), wanted.size()) != nullptr;
}

std::array<std::uint64_t, 2> words_of(Block block) {
  std::array<std::uint64_t, 2> words;
  std::memcpy(words.data(), &block, sizeof words);
  return words;
}

bool has_any(Block block) {
  const auto words = words_of(block);
  return (words[0] | words[1]) != 0;
}

class Sieve {
 public:
  explicit Sieve(std::string_view wanted) : wanted_(wanted) {
    for (std::size_t i = 0; i < kSieves; ++i) use(i * (wanted.size() - 1) / (kSieves - 1));
  }

  // Which of the sixteen positions from `text` on pass.
  Block passing(const char* text) const {
    return (block(text, 0) & block(text, 1)) & (block(text, 2) & block(text, 3));
  }

  // The first offset from `from` on whose run may contain a position that passes; `end` bounds the
  // positions. Tests the newest byte alone first: in many texts that rejects nearly every run.
  std::size_t skip(const char* text, std::size_t from, std::size_t end) const {
    const std::size_t newest = newest_;
    for (; from + kRunBytes <= end; from += kRunBytes) {
      const char* const at = text + from;
      if (has_any((block(at, newest) | block(at + kBlockBytes, newest)) |
                  (block(at + 2 * kBlockBytes, newest) | block(at + 3 * kBlockBytes, newest))) &&
          has_any((passing(at) | passing(at + kBlockBytes)) |
                  (passing(at + 2 * kBlockBytes) | passing(at + 3 * kBlockBytes))))
        break;
    }
    return from;
  }

  // Makes the wanted byte at `place` one of the sieve's bytes.
  void use(std::size_t place) {
    newest_ = (newest_ + 1) % kSieves;
    places_[newest_] = place;
    values_[newest_] = Block{} + static_cast<unsigned char>(wanted_[place]);
  }

 private:
  Block block(const char* text, std::size_t sieve) const {
    Block bytes;
    std::memcpy(&bytes, text + places_[sieve], sizeof bytes);
    return bytes == values_[sieve];
  }

  std::string_view wanted_;
  std::array<std::size_t, kSieves> places_{};
  std::array<Block, kSieves> values_{};
  std::size_t newest_ = kSieves - 1;
};

// One search. REQUIRES: the text has at least as many positions as a block.
class Search {
 public:
  Search(std::string_view text, std::string_view wanted)
      : text_(text),
        wanted_(wanted),
        last_(text.size() - wanted.size() + 1 - kBlockBytes),
        work_left_(4 * text.size()),
        sieve_(wanted) {}

  bool run() {
    for (std::size_t at = 0;;) {
      at = sieve_.skip(text_.data(), at, last_ + kBlockBytes);
      // More blocks of the same run may pass.
      for (const std::size_t end = at + kRunBytes; at < end; at += kBlockBytes) {
        const auto found = try_places(std::min(at, last_));
        if (found) return *found;
        if (at >= last_) return false;
      }
    }
  }

 private:
  // Compares the positions of a block from `first` on that pass. Empty if none matches.
  std::optional<bool> try_places(std::size_t first) {
    std::array<std::uint64_t, 2> words = words_of(sieve_.passing(text_.data() + first));
    for (std::size_t w = 0; w < words.size(); ++w) {
      while (words[w] != 0) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(words[w]));
        const std::size_t place = first + 8 * w + bit / 8;
        words[w] &= ~(std::uint64_t{0xFF} << bit);
        const std::size_t differs = first_difference(text_.data() + place, wanted_);
        if (differs == wanted_.size()) return true;
        if (differs + kCandidateCost > work_left_) return search(text_.substr(first), wanted_);
        work_left_ -= differs + kCandidateCost;
        sieve_.use(differs);
      }
    }
    return std::nullopt;
  }

  const std::string_view text_;
  const std::string_view wanted_;
  const std::size_t last_;  // the last position where a block may begin
  std::size_t work_left_;
  Sieve sieve_;
};

}  // namespace

std::size_t first_difference(const char* text, std::string_view wanted) {
  constexpr std::size_t kStep = 64;
  std::size_t at = 0;
  while (at + kStep <= wanted.size() && std::memcmp(text + at, wanted.data() + at, kStep) == 0)
    at += kStep;
  while (at < wanted.size() && text[at] == wanted[at]) ++at;
  return at;
}

bool contains_bytes(std::string_view text, std::string_view wanted) {
  if (wanted.empty()) return true;
  if (wanted.size() > text.size()) return false;
  if (text.size() - wanted.size() + 1 < kBlockBytes) return search(text, wanted);
  return Search(text, wanted).run();
}

}  // namespace stator
