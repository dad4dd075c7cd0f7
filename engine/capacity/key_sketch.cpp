#include "engine/capacity/key_sketch.h"

#include <algorithm>

namespace stator::capacity {

void KeySketch::add(std::uint32_t hash, std::string_view bytes, std::int64_t units_milli) {
  bytes = bytes.substr(0, bytes_max_);
  Entry* smallest = nullptr;
  for (Entry& entry : entries_) {
    if (entry.hash == hash && entry.bytes == bytes) {
      entry.units_milli += units_milli;
      entry.unreported_milli += units_milli;
      return;
    }
    if (smallest == nullptr || entry.units_milli < smallest->units_milli) smallest = &entry;
  }
  if (entries_.size() < entries_max_) {
    entries_.push_back({hash, std::string(bytes), units_milli, 0, units_milli});
    return;
  }
  smallest->hash = hash;
  smallest->bytes.assign(bytes);
  smallest->error_milli = smallest->units_milli;
  smallest->units_milli += units_milli;
  smallest->unreported_milli += units_milli;
}

std::vector<KeySketch::Entry> KeySketch::take_unreported() {
  std::vector<Entry> untold;
  for (Entry& entry : entries_) {
    if (entry.unreported_milli > 0) untold.push_back(entry);
    entry.unreported_milli = 0;
  }
  return untold;
}

void KeySketch::halve() {
  for (Entry& entry : entries_) {
    entry.units_milli /= 2;
    entry.error_milli /= 2;
  }
  std::erase_if(entries_, [](const Entry& entry) { return entry.units_milli == 0; });
}

std::vector<KeySketch::Entry> SharedKeySketch::heaviest() const {
  if (busy_.test_and_set(std::memory_order_acquire)) return {};
  std::vector<KeySketch::Entry> entries = sketch_.entries();
  busy_.clear(std::memory_order_release);
  std::sort(entries.begin(), entries.end(),
            [](const KeySketch::Entry& left, const KeySketch::Entry& right) {
              return left.units_milli > right.units_milli;
            });
  return entries;
}

}  // namespace stator::capacity
