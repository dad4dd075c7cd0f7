#include "engine/operations/transactions/fingerprint.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

namespace stator {
namespace {

// Every part begins with its kind and its size, so no two trees have the same bytes.
class TreeDigest {
 public:
  explicit TreeDigest(Arena& arena) : arena_(arena) {}

  // Recursion is as deep as the JSON, whose reader has a limit.
  void add(const JsonNode& node) {
    switch (node.kind()) {
      case JsonNode::Kind::Array:
        begin(node.kind(), node.elements().size());
        for (const JsonNode& element : node.elements()) add(element);
        break;
      case JsonNode::Kind::Object:
        add_members(node.members());
        break;
      default:
        begin(node.kind(), node.text().size());
        digest_.add(node.text());
    }
  }

  Fingerprint finish() { return digest_.finish(); }

 private:
  void begin(JsonNode::Kind kind, std::size_t size) {
    std::array<char, 1 + sizeof(std::uint32_t)> head;
    head[0] = static_cast<char>(kind);
    for (std::size_t i = 1; i < head.size(); ++i) {
      head[i] = static_cast<char>(size & 0xFF);
      size >>= 8;
    }
    digest_.add({head.data(), head.size()});
  }

  // By name; of equal names the last one counts, as everywhere in a request.
  void add_members(std::span<const JsonMember> members) {
    const auto sorted = arena_.allocate_array<const JsonMember*>(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) sorted[i] = &members[i];
    std::sort(sorted.begin(), sorted.end(), [](const JsonMember* a, const JsonMember* b) {
      return a->name != b->name ? a->name < b->name : a < b;
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const bool is_repeated = i + 1 < sorted.size() && sorted[i]->name == sorted[i + 1]->name;
      if (!is_repeated && !sorted[i]->value.is_null()) sorted[kept++] = sorted[i];
    }
    begin(JsonNode::Kind::Object, kept);
    for (const JsonMember* member : sorted.first(kept)) {
      begin(JsonNode::Kind::String, member->name.size());
      digest_.add(member->name);
      add(member->value);
    }
  }

  Arena& arena_;
  storage::Digest digest_;
};

}  // namespace

Fingerprint fingerprint_of(const JsonNode& node, Arena& arena) {
  TreeDigest digest(arena);
  digest.add(node);
  return digest.finish();
}

}  // namespace stator
