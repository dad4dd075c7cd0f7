#include "engine/storage/keys/tuple_key.h"

#include "engine/storage/keys/partition_hash.h"

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
  const auto hash = storage::partition_hash_bytes(primary_key);
  out.append(hash.data(), hash.size());
}

}  // namespace stator
