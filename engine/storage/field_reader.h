// FieldReader: members of stored JSON objects, of which an absent one has its default. Internal to
// this folder.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/seams/clock.h"
#include "protocol/arena.h"
#include "protocol/base64.h"
#include "protocol/json_tree.h"
#include "protocol/shape.h"

namespace stator::storage {

// Notes the first thing that is not as it was written.
struct FieldReader {
  bool failed = false;

  std::string text(const JsonNode& node, std::string_view name) {
    const JsonNode* found = node.find(name);
    if (found == nullptr || found->kind() != JsonNode::Kind::String) return fail<std::string>();
    return std::string(found->text());
  }
  std::string bytes(const JsonNode& node, std::string_view name) {
    const std::string encoded = text(node, name);
    if (check_base64(encoded) != Base64Error::None) return fail<std::string>();
    Arena arena;
    return std::string(decode_base64(encoded, arena));
  }
  std::int64_t integer(const JsonNode& node, std::string_view name, std::int64_t absent) {
    const JsonNode* found = node.find(name);
    if (found == nullptr) return absent;
    if (found->kind() != JsonNode::Kind::Integer) return fail<std::int64_t>();
    return integer_of(*found);
  }
  bool truth(const JsonNode& node, std::string_view name) {
    const JsonNode* found = node.find(name);
    return found != nullptr && found->kind() == JsonNode::Kind::True;
  }
  Timestamp time(const JsonNode& node, std::string_view name) { return {integer(node, name, 0)}; }
  std::optional<Timestamp> optional_time(const JsonNode& node, std::string_view name) {
    if (node.find(name) == nullptr) return std::nullopt;
    return time(node, name);
  }
  std::span<const JsonNode> list(const JsonNode& node, std::string_view name) {
    const JsonNode* found = node.find(name);
    if (found == nullptr) return {};
    if (found->kind() != JsonNode::Kind::Array) return fail<std::span<const JsonNode>>();
    return found->elements();
  }
  const JsonNode& object(const JsonNode& node, std::string_view name) {
    static const JsonNode kEmpty = JsonNode::object({});
    const JsonNode* found = node.find(name);
    if (found == nullptr || found->kind() != JsonNode::Kind::Object) {
      failed = true;
      return kEmpty;
    }
    return *found;
  }
  // The enumerator whose wire name stands there.
  template <class Enum, std::size_t Count>
  Enum enumerator(const JsonNode& node, std::string_view name, const std::array<Enum, Count>& all) {
    const std::string wanted = text(node, name);
    const auto found =
        std::find_if(all.begin(), all.end(), [&](Enum e) { return to_text(e) == wanted; });
    return found == all.end() ? fail<Enum>() : *found;
  }

  template <class T>
  T fail() {
    failed = true;
    return T{};
  }
};

}  // namespace stator::storage
