// KeySketch: which keys consume most, in a fixed number of entries (the "space-saving" sketch).
//
// A key without an entry takes over the smallest entry with its units, all of which may come from
// earlier keys: `error_milli`. So a key's true consumption is between units - error and units, and
// every key that consumed more than the total divided by the number of entries has an entry. With
// fewer keys than entries all counts are exact.
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
    std::string bytes;  // the key, truncated to bytes_max
    std::int64_t units_milli = 0;
    std::int64_t error_milli = 0;
    std::int64_t unreported_milli = 0;  // since take_unreported(), which alone resets it
  };

  KeySketch(std::size_t entries_max, std::size_t bytes_max)
      : entries_max_(entries_max), bytes_max_(bytes_max) {}

  void add(std::uint32_t hash, std::string_view bytes, std::int64_t units_milli);
  // Halves all counts; drops keys that reach zero.
  void halve();
  // In no particular order.
  const std::vector<Entry>& entries() const { return entries_; }
  // Returns the counts since the last call: entries with unreported_milli, none zero.
  std::vector<Entry> take_unreported();

 private:
  std::size_t entries_max_;
  std::size_t bytes_max_;
  std::vector<Entry> entries_;
};

// A sketch that many threads add to without waiting. Drops a count if another thread is adding at
// that moment, which is acceptable in a sketch. Counts of a single thread are complete.
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
  // Heaviest first; empty if a thread is adding at that moment.
  std::vector<KeySketch::Entry> heaviest() const;
  // As KeySketch::take_unreported(). Waits until no thread is adding.
  std::vector<KeySketch::Entry> take_unreported() {
    while (busy_.test_and_set(std::memory_order_acquire)) {
    }
    std::vector<KeySketch::Entry> entries = sketch_.take_unreported();
    busy_.clear(std::memory_order_release);
    return entries;
  }

 private:
  mutable std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  KeySketch sketch_;  // guarded by busy_
};

}  // namespace stator::capacity
