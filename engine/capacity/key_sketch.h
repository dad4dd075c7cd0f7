// KeySketch: which keys consume most, in a fixed number of entries (the "space-saving" sketch).
//
// A key that has no entry takes over the smallest one and its units, which it may owe entirely to
// keys before it: `error_milli`. So what a key really consumed lies between units - error and
// units, and every key that consumed more than the total divided by the number of entries has one.
// With fewer keys than entries all is exact.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stator::capacity {

class KeySketch {
 public:
  struct Entry {
    std::uint32_t hash = 0;
    std::string bytes;  // of the key, cut off behind bytes_max
    std::int64_t units_milli = 0;
    std::int64_t error_milli = 0;
    std::int64_t untold_milli = 0;  // since take_untold(), which alone forgets it
  };

  KeySketch(std::size_t entries_max, std::size_t bytes_max)
      : entries_max_(entries_max), bytes_max_(bytes_max) {}

  void add(std::uint32_t hash, std::string_view bytes, std::int64_t units_milli);
  // What was counted so far weighs half; what weighs nothing any more is forgotten.
  void halve();
  // In no order.
  const std::vector<Entry>& entries() const { return entries_; }
  // What was counted since the last call: entries by untold_milli, none of which is zero.
  std::vector<Entry> take_untold();

 private:
  std::size_t entries_max_;
  std::size_t bytes_max_;
  std::vector<Entry> entries_;
};

// One that many threads add to. None waits: what comes while another thread is adding is left out,
// which is a sample, as all of a sketch is. A single thread's are all counted.
class SharedKeySketch {
 public:
  SharedKeySketch(std::size_t entries_max, std::size_t bytes_max)
      : sketch_(entries_max, bytes_max) {}

  void add(std::uint32_t hash, std::string_view bytes, std::int64_t units_milli) {
    if (busy_.test_and_set(std::memory_order_acquire)) return;
    sketch_.add(hash, bytes, units_milli);
    busy_.clear(std::memory_order_release);
  }
  void halve() {
    if (busy_.test_and_set(std::memory_order_acquire)) return;
    sketch_.halve();
    busy_.clear(std::memory_order_release);
  }
  // The heaviest first; empty when a thread is adding just then.
  std::vector<KeySketch::Entry> heaviest() const;
  // As of KeySketch. Waits until no thread is adding.
  std::vector<KeySketch::Entry> take_untold() {
    while (busy_.test_and_set(std::memory_order_acquire)) {
    }
    std::vector<KeySketch::Entry> entries = sketch_.take_untold();
    busy_.clear(std::memory_order_release);
    return entries;
  }

 private:
  mutable std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  KeySketch sketch_;  // whoever has set busy_
};

}  // namespace stator::capacity
