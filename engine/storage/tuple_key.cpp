#include "engine/storage/tuple_key.h"

#include <array>

#include "engine/storage/bytes.h"
#include "engine/storage/item_store.h"
#include "engine/storage/key_codec.h"

namespace stator {
namespace {

constexpr char kZero = '\x00';
constexpr char kEscapedZero = '\xFF';
constexpr char kElementEnd = '\x01';

}  // namespace

void append_tuple_prefix(std::string& out, std::string_view prefix) {
  for (;;) {
    const std::size_t zero = prefix.find(kZero);
    out.append(prefix.substr(0, zero));
    if (zero == std::string_view::npos) return;
    out.push_back(kZero);
    out.push_back(kEscapedZero);
    prefix.remove_prefix(zero + 1);
  }
}

void append_tuple_element(std::string& out, std::string_view ordered_bytes) {
  append_tuple_prefix(out, ordered_bytes);
  out.push_back(kZero);
  out.push_back(kElementEnd);
}

void append_tuple_hash(std::string& out, std::string_view primary_key) {
  std::array<char, 4> hash{};  // of 24 bits, so the first byte is zero
  storage::store_be(hash.data(), storage::partition_hash(primary_key));
  out.append(hash.data() + 1, storage::kHashBytes);
}

}  // namespace stator
