// Billed bytes: one sum over the value's tree.
#include "protocol/values/item_size.h"

#include <algorithm>
#include <cassert>

#include "protocol/number/number.h"

namespace stator {
namespace {

constexpr std::size_t kCollectionBytes = 3;  // of an L or M itself
constexpr std::size_t kEntryBytes = 1;       // of each of its elements

// Whether the value's size is that of its bytes. Avoids a call for most elements of long lists.
bool is_plain(const Value& value) { return value.type() == Type::S || value.type() == Type::B; }

std::size_t run_size_bytes(const ElementRun& run) {
  return run.count * kEntryBytes + run.size_bytes;
}

// Size of a list element, or of a run of elements.
std::size_t entry_size_bytes(const Value& value) {
  if (is_plain(value)) return kEntryBytes + value.bytes().size();
  if (value.is_run()) return run_size_bytes(value.run());
  return kEntryBytes + value_size_bytes(value);
}

// Size of a map's member, or of a run of members.
std::size_t entry_size_bytes(const Member& member) {
  if (member.value.is_run()) return run_size_bytes(member.value.run());
  return kEntryBytes + member.name.size() + value_size_bytes(member.value);
}

std::size_t set_size_bytes(const Value& set) {
  std::size_t sum = 0;
  for (const std::string_view element : set.set_elements()) {
    sum += set.type() == Type::NS ? number_size_bytes(element) : element.size();
  }
  return sum;
}

bool take(std::size_t size_bytes, std::size_t& left_bytes) {
  if (size_bytes > left_bytes) return false;
  left_bytes -= size_bytes;
  return true;
}

}  // namespace

bool take_value_size(const Value& value, std::size_t& left_bytes) {
  if (is_set(value.type())) {
    const auto elements = value.set_elements();
    return std::all_of(elements.begin(), elements.end(), [&](std::string_view element) {
      return take(value.type() == Type::NS ? number_size_bytes(element) : element.size(),
                  left_bytes);
    });
  }
  if (value.type() == Type::L) {
    const auto elements = value.elements();
    return take(kCollectionBytes, left_bytes) &&
           std::all_of(elements.begin(), elements.end(), [&](const Value& element) {
             if (is_plain(element) || element.is_run())
               return take(entry_size_bytes(element), left_bytes);
             return take(kEntryBytes, left_bytes) && take_value_size(element, left_bytes);
           });
  }
  if (value.type() == Type::M) {
    const auto members = value.members();
    return take(kCollectionBytes, left_bytes) &&
           std::all_of(members.begin(), members.end(), [&](const Member& member) {
             if (member.value.is_run()) return take(entry_size_bytes(member), left_bytes);
             return take(kEntryBytes + member.name.size(), left_bytes) &&
                    take_value_size(member.value, left_bytes);
           });
  }
  return take(value_size_bytes(value), left_bytes);
}

bool take_attribute_size(std::string_view name, const Value& value, std::size_t& left_bytes) {
  return take(name.size(), left_bytes) && take_value_size(value, left_bytes);
}

std::size_t value_size_bytes(const Value& value) {
  switch (value.type()) {
    case Type::S:
    case Type::B:
      return value.bytes().size();
    case Type::N:
      return number_size_bytes(value.bytes());
    case Type::Bool:
    case Type::Null:
      return 1;
    case Type::SS:
    case Type::NS:
    case Type::BS:
      return set_size_bytes(value);
    case Type::L: {
      std::size_t sum = kCollectionBytes;
      for (const Value& element : value.elements()) sum += entry_size_bytes(element);
      return sum;
    }
    case Type::M: {
      std::size_t sum = kCollectionBytes;
      for (const Member& member : value.members()) sum += entry_size_bytes(member);
      return sum;
    }
  }
  assert(false);
  return 0;
}

std::size_t item_size_bytes(Item item) {
  std::size_t sum = 0;
  for (const Member& attribute : item) {
    sum += attribute.name.size() + value_size_bytes(attribute.value);
  }
  return sum;
}

}  // namespace stator
