// The library's memmem is linear but slow where it matters, 2 to 5 ns a byte for texts made to be
// bad for it. So places are first sieved, sixteen at once, by a few bytes of what is wanted; a
// place that passes and is none makes the byte where it failed one of those. Whoever defeats that
// too has paid for memmem: the work on places is counted.
#include "protocol/substring.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace stator {
namespace {

using Block = unsigned char __attribute__((vector_size(16)));
constexpr std::size_t kBlockBytes = sizeof(Block);
constexpr std::size_t kSieves = 4;
constexpr std::size_t kCandidateCost = 16;  // in bytes compared

bool search(std::string_view text, std::string_view wanted) {
  return memmem(text.data(), text.size(), wanted.data(), wanted.size()) != nullptr;
}

// Index of the first byte in which the two differ, `wanted.size()` when they do not.
std::size_t first_difference(const char* text, std::string_view wanted) {
  constexpr std::size_t kStep = 64;
  std::size_t at = 0;
  while (at + kStep <= wanted.size() && std::memcmp(text + at, wanted.data() + at, kStep) == 0)
    at += kStep;
  while (at < wanted.size() && text[at] == wanted[at]) ++at;
  return at;
}

class Sieve {
 public:
  explicit Sieve(std::string_view wanted) : wanted_(wanted) {
    for (std::size_t i = 0; i < kSieves; ++i) use(i * (wanted.size() - 1) / (kSieves - 1));
  }

  // Which of the sixteen places from `text` on pass.
  Block passing(const char* text) const {
    return (block(text, 0) & block(text, 1)) & (block(text, 2) & block(text, 3));
  }

  // The byte at `place` of what is wanted becomes one of those that sieve.
  void use(std::size_t place) {
    places_[next_] = place;
    values_[next_] = Block{} + static_cast<unsigned char>(wanted_[place]);
    next_ = (next_ + 1) % kSieves;
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
  std::size_t next_ = 0;
};

}  // namespace

bool contains_bytes(std::string_view text, std::string_view wanted) {
  if (wanted.empty()) return true;
  if (wanted.size() > text.size()) return false;
  const std::size_t places = text.size() - wanted.size() + 1;
  if (places < kBlockBytes) return search(text, wanted);
  Sieve sieve(wanted);
  std::size_t work_left = 4 * text.size();
  for (std::size_t i = 0;; i = std::min(i + kBlockBytes, places - kBlockBytes)) {
    std::array<std::uint64_t, 2> words;
    const Block passing = sieve.passing(text.data() + i);
    std::memcpy(words.data(), &passing, sizeof words);
    if ((words[0] | words[1]) == 0 && i + kBlockBytes <= places - kBlockBytes) continue;
    for (std::size_t w = 0; w < words.size(); ++w) {
      while (words[w] != 0) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(words[w]));
        const std::size_t place = i + 8 * w + bit / 8;
        words[w] &= ~(std::uint64_t{0xFF} << bit);
        const std::size_t differs = first_difference(text.data() + place, wanted);
        if (differs == wanted.size()) return true;
        if (differs + kCandidateCost > work_left) return search(text.substr(i), wanted);
        work_left -= differs + kCandidateCost;
        sieve.use(differs);
      }
    }
    if (i == places - kBlockBytes) return false;
  }
}

}  // namespace stator
