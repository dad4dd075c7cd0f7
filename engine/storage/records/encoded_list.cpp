#include "engine/storage/records/encoded_list.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "engine/storage/records/record_layout.h"

namespace stator::storage {
namespace {

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

// Distinct for distinct bytes of one length. REQUIRES: 1 to 8 bytes.
std::uint64_t word_of(std::string_view bytes) {
  const char* const begin = bytes.data();
  const char* const end = begin + bytes.size();
  if (bytes.size() >= 4)
    return load_le<std::uint32_t>(begin) | std::uint64_t{load_le<std::uint32_t>(end - 4)} << 32;
  if (bytes.size() >= 2)
    return load_le<std::uint16_t>(begin) | std::uint64_t{load_le<std::uint16_t>(end - 2)} << 16;
  return static_cast<unsigned char>(*begin);
}

// How many copies of the element `bytes` starts with, at most `most`. Near the end of the bytes it
// misses copies of short elements.
std::size_t copies_of(std::string_view element, std::string_view bytes, std::size_t most) {
  std::size_t count = 0;
  if (element.size() > kWordBytes) {
    while (count < most && bytes.substr(count * element.size()).starts_with(element)) ++count;
    return count;
  }
  if (bytes.size() < kWordBytes) return 0;
  const std::uint64_t mask = ~std::uint64_t{0} >> (8 * (kWordBytes - element.size()));
  const std::uint64_t word = load_le<std::uint64_t>(element.data()) & mask;
  const char* const last = bytes.data() + bytes.size() - kWordBytes;
  for (const char* next = bytes.data(); count < most && next <= last; next += element.size()) {
    if ((load_le<std::uint64_t>(next) & mask) != word) break;
    ++count;
  }
  return count;
}

}  // namespace

template <class IsLast>
bool EncodedList::any_of(IsLast is_last) const {
  RecordReader reader(list_);
  for (std::size_t left = reader.count(); left > 0; --left) {
    const char* const begin = reader.rest().data();
    reader.skip_payload(reader.type());
    const std::string_view element(begin, reader.rest().data());
    if (is_last(element)) return true;
    // Of equal neighbours one is enough.
    const std::size_t alike = copies_of(element, reader.rest(), left - 1);
    reader.go_on_at(reader.rest().data() + alike * element.size());
    left -= alike;
  }
  return false;
}

bool EncodedList::contains(std::string_view wanted) {
  if (!std::exchange(was_walked_, true)) return walk(wanted);
  if (slots_.empty()) enter_all();
  if (!is_complete_) return walk(wanted);
  const std::uint32_t hash = hash_of(wanted);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t probe = 0; probe < kProbesMax; ++probe) {
    const Slot& slot = slots_[(hash + probe) & mask];
    if (slot.end == 0) return false;
    if (slot.hash == hash && element_of(slot) == wanted) return true;
  }
  return false;
}

bool EncodedList::walk(std::string_view wanted) const {
  return any_of([wanted](std::string_view element) { return element == wanted; });
}

// Equal elements share a slot, so the number of slots is not known beforehand.
void EncodedList::enter_all() {
  constexpr std::size_t kSlotsFirst = 256;
  slots_.resize(kSlotsFirst);
  is_complete_ = !any_of([this](std::string_view element) { return !enter(element); });
}

bool EncodedList::enter(std::string_view element) {
  if (2 * used_ >= slots_.size() && !double_slots()) return false;
  const auto end = static_cast<std::size_t>(element.data() - list_.data()) + element.size();
  return enter({hash_of(element), static_cast<std::uint32_t>(end),
                static_cast<std::uint32_t>(element.size())});
}

bool EncodedList::enter(const Slot& element) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t probe = 0; probe < kProbesMax; ++probe) {
    Slot& slot = slots_[(element.hash + probe) & mask];
    if (slot.end == 0) {
      slot = element;
      ++used_;
      return true;
    }
    if (slot.hash == element.hash && element_of(slot) == element_of(element)) return true;
  }
  return false;
}

bool EncodedList::double_slots() {
  std::vector<Slot> before(2 * slots_.size());
  before.swap(slots_);
  used_ = 0;
  return std::all_of(before.begin(), before.end(),
                     [this](const Slot& slot) { return slot.end == 0 || enter(slot); });
}

// The seed is an address that clients cannot know, so they cannot choose colliding values.
std::uint32_t EncodedList::hash_of(std::string_view bytes) const {
  const auto seed = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(list_.data()));
  std::uint64_t word =
      bytes.size() <= kWordBytes ? word_of(bytes) : std::hash<std::string_view>{}(bytes);
  word = (word ^ bytes.size() ^ seed) * 0x9E37'79B9'7F4A'7C15U;
  word = (word ^ (word >> 32)) * 0x9E37'79B9'7F4A'7C15U;
  return static_cast<std::uint32_t>(word >> 32);
}

}  // namespace stator::storage
