// Billed bytes: one sum over the value's tree.
#include "protocol/item_size.h"

#include <cassert>

#include "protocol/number.h"

namespace stator {
namespace {

constexpr std::size_t kCollectionBytes = 3;  // of an L or M itself
constexpr std::size_t kEntryBytes = 1;       // of each of its elements

std::size_t set_size_bytes(const Value& set) {
  std::size_t sum = 0;
  for (const std::string_view element : set.set_elements()) {
    sum += set.type() == Type::NS ? number_size_bytes(element) : element.size();
  }
  return sum;
}

}  // namespace

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
      for (const Value& element : value.elements()) sum += kEntryBytes + value_size_bytes(element);
      return sum;
    }
    case Type::M:
      return kCollectionBytes + kEntryBytes * value.members().size() +
             item_size_bytes(value.members());
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
