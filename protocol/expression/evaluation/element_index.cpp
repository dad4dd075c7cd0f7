#include "protocol/expression/evaluation/element_index.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <string_view>

namespace stator::expr {
namespace {

// Clients cannot know this address, so they cannot choose values with equal hashes.
std::uint64_t seed_of(std::span<const Value> elements) {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(elements.data()));
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t more) {
  hash = (hash ^ more) * 0x9E37'79B9'7F4A'7C15U;
  return hash ^ (hash >> 32);
}

std::uint64_t mix(std::uint64_t hash, std::string_view bytes) {
  return mix(mix(hash, bytes.size()), std::hash<std::string_view>{}(bytes));
}

std::uint64_t hash_of(const Value& value, std::uint64_t hash) {
  hash = mix(hash, static_cast<std::uint64_t>(value.type()) + 1);
  switch (value.type()) {
    case Type::S:
    case Type::N:
    case Type::B:
      return mix(hash, value.bytes());
    case Type::Bool:
      return mix(hash, value.truth() ? 1 : 2);
    case Type::Null:
      return hash;
    case Type::SS:
    case Type::NS:
    case Type::BS:
      for (const std::string_view element : value.set_elements()) hash = mix(hash, element);
      return hash;
    case Type::L:
      for (const Value& element : value.elements()) hash = hash_of(element, hash);
      return mix(hash, value.elements().size());
    case Type::M:
      for (const Member& member : value.members())
        hash = hash_of(member.value, mix(hash, member.name));
      return mix(hash, value.members().size());
  }
  return hash;
}

std::uint32_t short_hash(const Value& value, std::span<const Value> elements) {
  return static_cast<std::uint32_t>(hash_of(value, seed_of(elements)) >> 32);
}

constexpr std::size_t kProbesMax = 64;

// The number and the address of a value's parts; 0 and nullptr for a value without parts.
std::size_t size_of(const Value& value) {
  if (is_set(value.type())) return value.set_elements().size();
  if (value.type() == Type::L) return value.elements().size();
  return value.type() == Type::M ? value.members().size() : 0;
}
const void* place_of(const Value& value) {
  if (is_set(value.type())) return value.set_elements().data();
  if (value.type() == Type::L) return value.elements().data();
  return value.type() == Type::M ? value.members().data() : nullptr;
}

}  // namespace

ElementIndex::ElementIndex(std::span<const Value> elements)
    : elements_(elements), slots_(std::bit_ceil(2 * elements.size() + 1)) {
  for (std::size_t i = 0; i < elements.size() && is_complete_; ++i)
    enter(static_cast<std::uint32_t>(i));
}

void ElementIndex::enter(std::uint32_t position) {
  const Value& element = elements_[position];
  const std::uint32_t hash = short_hash(element, elements_);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t probe = 0; probe < kProbesMax; ++probe) {
    Slot& slot = slots_[(hash + probe) & mask];
    if (slot.position == 0) {
      slot = {hash, position + 1};
      return;
    }
    if (slot.hash == hash && elements_[slot.position - 1] == element) return;
  }
  is_complete_ = false;
}

bool ElementIndex::contains(const Value& wanted) const {
  if (!is_complete_)
    return std::find(elements_.begin(), elements_.end(), wanted) != elements_.end();
  const std::uint32_t hash = short_hash(wanted, elements_);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t probe = 0; probe < kProbesMax; ++probe) {
    const Slot& slot = slots_[(hash + probe) & mask];
    if (slot.position == 0) return false;
    if (slot.hash == hash && elements_[slot.position - 1] == wanted) return true;
  }
  return false;
}

bool KnownCollections::are_equal(const Value& a, const Value& b) {
  const std::size_t size = size_of(a);
  if (a.type() != b.type() || size != size_of(b)) return false;
  const void* const place_a = place_of(a);
  if (size == 0 || place_a == nullptr) return a == b;
  // Small lists and maps may contain large ones; sets cannot.
  if (is_set(a.type()) && size < kSizeMin) return a == b;
  if (comparisons_made_++ < kForgotten) return a == b;
  const void* const place_b = place_of(b);
  for (const Comparison& known : comparisons_) {
    if (known.a == place_a && known.b == place_b) return known.are_equal;
  }
  const bool are_equal = a == b;
  comparisons_.push_back({place_a, place_b, are_equal});
  return are_equal;
}

bool KnownCollections::contains(const Value& list, const Value& wanted) {
  const auto elements = list.elements();
  if (elements.empty()) return false;
  if (searches_made_++ < kForgotten)
    return std::find(elements.begin(), elements.end(), wanted) != elements.end();
  auto known = std::find_if(lists_.begin(), lists_.end(),
                            [&](const SearchedList& each) { return each.list == elements.data(); });
  if (known == lists_.end())
    known = lists_.insert(known, SearchedList{elements.data(), ElementIndex(elements)});
  return known->index.contains(wanted);
}

}  // namespace stator::expr
