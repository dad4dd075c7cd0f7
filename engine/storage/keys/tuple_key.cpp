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

TupleElement take_tuple_element(std::string_view& tuple, Arena& arena) {
  std::string bytes;
  bool is_whole = false;
  while (!tuple.empty() && !is_whole) {
    const char first = tuple.front();
    const bool is_cut_mark = first == kZero && tuple.size() == 1;
    is_whole = first == kZero && !is_cut_mark && tuple[1] == kElementEnd;
    if (!is_whole && !is_cut_mark) bytes.push_back(first);
    tuple.remove_prefix(first == kZero && !is_cut_mark ? 2 : 1);
  }
  return {arena.copy(std::string_view(bytes)), is_whole};
}

}  // namespace stator
