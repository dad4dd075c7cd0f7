// RecentRequests: the last requests of operations and what became of them, for whoever asks why one
// failed.
//
// A ring of slots of one size, allocated once. Whoever answers a request copies what is known of it
// into the next slot: no lock, no allocation, no formatting. A slot belongs to one thread at a
// time; who finds it taken goes on without, so nobody ever waits for anybody.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "engine/call/call.h"
#include "engine/seams/clock.h"

namespace stator {

// One request. No header is kept, and of the signature only what its scope tells.
class RecentRequest {
 public:
  // Texts, of which the first bytes are kept.
  enum class Part : std::uint8_t {
    Id,
    Operation,  // as it was named, built or not
    Table,
    Region,
    AccessKey,
    Error,  // empty: it succeeded
    Message,
    Asked,     // the body, unpacked
    Answered,  // the body of an answer that is no error
    Index,     // that was read last; empty: the table
    Limits,    // that refused parts of a batch, or in the cloud would have refused what was served
    Reasons,   // of a cancelled transaction: members of its answer; of a batch of statements: the
               // first error
  };
  static constexpr std::array<std::uint16_t, 12> kPartBytesMax{64,   128,  256, 64,  128, 64,
                                                               3456, 4096, 256, 256, 256, 1024};
  static constexpr std::size_t bytes_max(Part part) {
    return kPartBytesMax[static_cast<std::size_t>(part)];
  }

  // Forgets all texts. To be called before set().
  void clear_texts() {
    used_bytes_ = 0;
    texts_ = {};
  }
  // Of a text of `whole_bytes` that begins with `text`. REQUIRES: not set since clear_texts().
  void set(Part part, std::string_view text, std::size_t whole_bytes) {
    const std::size_t kept = std::min(text.size(), bytes_max(part));
    std::copy_n(text.data(), kept, bytes_.data() + used_bytes_);
    texts_[static_cast<std::size_t>(part)] = {whole_bytes, used_bytes_,
                                              static_cast<std::uint16_t>(kept)};
    used_bytes_ = static_cast<std::uint16_t>(used_bytes_ + kept);
  }
  void set(Part part, std::string_view text) { set(part, text, text.size()); }

  std::string_view text(Part part) const {
    const Text& text = texts_[static_cast<std::size_t>(part)];
    return {bytes_.data() + text.begin, text.kept_bytes};
  }
  std::size_t whole_bytes(Part part) const {
    return texts_[static_cast<std::size_t>(part)].whole_bytes;
  }
  bool is_whole(Part part) const { return text(part).size() == whole_bytes(part); }
  bool has_failed() const { return status >= 400; }
  // Whether a part of it was refused for want of throughput, though the rest was served.
  bool is_throttled_in_part() const {
    return undone.throttled > 0 || walked.end == Walked::End::Throttling;
  }

  std::uint64_t number = 0;  // in the order of answers, from 1; 0: there is none
  Timestamp time;            // of the answer, by the engine's clock
  std::chrono::microseconds took{0};
  std::int64_t units_milli = 0;  // capacity units in thousandths
  std::uint16_t status = 0;
  Walked walked;      // its index is Part::Index
  LeftUndone undone;  // its error is Part::Reasons

 private:
  struct Text {
    std::size_t whole_bytes = 0;
    std::uint16_t begin = 0;
    std::uint16_t kept_bytes = 0;
  };
  static constexpr std::size_t kBytesMax = [] {
    std::size_t sum = 0;
    for (const std::uint16_t bytes_max : kPartBytesMax) sum += bytes_max;
    return sum;
  }();

  std::array<Text, kPartBytesMax.size()> texts_{};
  std::uint16_t used_bytes_ = 0;
  // One behind the other, so that a short request touches few cache lines. Not set before used.
  std::array<char, kBytesMax> bytes_;
};

// Most requests that may be kept.
inline constexpr std::size_t kRecentRequestsMax = 10'000;

// Everything is safe from any thread.
class RecentRequests {
 public:
  // Keeps so many. REQUIRES: 1 to kRecentRequestsMax.
  explicit RecentRequests(std::size_t count)
      : count_(count),
        is_taken_(std::make_unique<std::atomic<bool>[]>(count)),
        slots_(std::make_unique_for_overwrite<RecentRequest[]>(count)) {}

  // Lets `fill` set what is known; texts are empty before. A request that would have to wait is
  // left out.
  template <class Fill>
  void add(const Fill& fill) {
    const std::uint64_t number = last_number_.fetch_add(1, std::memory_order_relaxed) + 1;
    const std::size_t place = number % count_;
    if (is_taken_[place].exchange(true, std::memory_order_acquire)) return;
    RecentRequest& slot = slots_[place];
    slot.number = number;
    slot.clear_texts();
    fill(slot);
    is_taken_[place].store(false, std::memory_order_release);
  }

  // Shows `look`, newest first, what is there, until it answers false. Each is shown as a copy,
  // which is overwritten by the next.
  template <class Look>
  void look(const Look& look) const {
    const auto copy = std::make_unique<RecentRequest>();
    const std::uint64_t last = last_number_.load(std::memory_order_relaxed);
    for (std::uint64_t number = last; number > 0 && number + count_ > last; --number) {
      const std::size_t place = number % count_;
      if (is_taken_[place].exchange(true, std::memory_order_acquire)) continue;
      const bool is_there = slots_[place].number == number;
      if (is_there) *copy = slots_[place];
      is_taken_[place].store(false, std::memory_order_release);
      if (is_there && !look(*copy)) return;
    }
  }

  // Of an x-amzn-RequestId; nullptr: it is not kept.
  std::unique_ptr<RecentRequest> find(std::string_view id) const;

 private:
  const std::size_t count_;
  std::atomic<std::uint64_t> last_number_{0};
  std::unique_ptr<std::atomic<bool>[]> is_taken_;
  std::unique_ptr<RecentRequest[]> slots_;  // each guarded by its flag
};

}  // namespace stator
