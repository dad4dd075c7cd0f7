// Node: a part of a template as a tree, with its place in the file. YAML and JSON give the same
// nodes, and a short form such as `!Ref X` the same as {"Ref": "X"}.
//
// Nodes are small values that refer to memory of a Forest. They never change, so an alias of YAML
// shares the nodes of its anchor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace stator::templates {

struct Member;

// Where a node begins. Lines and columns count from 1; 0 is unknown.
struct Spot {
  std::uint16_t file = 0;  // its number in the Forest
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

class Node {
 public:
  // Nothing is a member that does not count, as AWS::NoValue gives it.
  enum class Kind : std::uint8_t { Nothing, Scalar, List, Map };

  Node() = default;
  // `is_quoted`: the text can be no number, boolean or null, but is a string.
  static Node scalar(std::string_view text, bool is_quoted, Spot spot) {
    return {Kind::Scalar, is_quoted, text.data(), text.size(), spot};
  }
  static Node list(std::span<const Node> elements, Spot spot) {
    return {Kind::List, false, elements.data(), elements.size(), spot};
  }
  static Node map(std::span<const Member> members, Spot spot) {
    return {Kind::Map, false, members.data(), members.size(), spot};
  }

  Kind kind() const { return kind_; }
  bool is_nothing() const { return kind_ == Kind::Nothing; }
  bool is_scalar() const { return kind_ == Kind::Scalar; }
  bool is_list() const { return kind_ == Kind::List; }
  bool is_map() const { return kind_ == Kind::Map; }
  bool is_quoted() const { return is_quoted_; }
  // A plain `null`, `~` or nothing at all.
  bool is_null() const;
  Spot spot() const { return spot_; }
  // This node, at another place.
  Node at(Spot spot) const {
    Node moved = *this;
    moved.spot_ = spot;
    return moved;
  }

  // Of a Scalar, as written, without quotes and escapes; otherwise empty.
  std::string_view text() const {
    if (!is_scalar()) return {};
    return {static_cast<const char*>(data_), size_};
  }
  // Of a List; otherwise empty.
  std::span<const Node> elements() const {
    if (!is_list()) return {};
    return {static_cast<const Node*>(data_), size_};
  }
  // Of a Map, in the order of the file and without duplicates; otherwise empty.
  inline std::span<const Member> members() const;

  // The member of this name; nullptr if there is none, it is null, or the node is no Map.
  inline const Node* find(std::string_view name) const;
  // As above, through the member `name` to its member `inner`.
  const Node* find(std::string_view name, std::string_view inner) const {
    const Node* const outer = find(name);
    return outer == nullptr ? nullptr : outer->find(inner);
  }
  // The text of a member that is a Scalar; empty without it.
  std::string_view text_in(std::string_view name) const {
    const Node* const found = find(name);
    return found == nullptr ? std::string_view{} : found->text();
  }

 private:
  Node(Kind kind, bool is_quoted, const void* data, std::size_t size, Spot spot)
      : data_(data),
        size_(static_cast<std::uint32_t>(size)),
        spot_(spot),
        kind_(kind),
        is_quoted_(is_quoted) {}

  const void* data_ = nullptr;
  std::uint32_t size_ = 0;
  Spot spot_;
  Kind kind_ = Kind::Nothing;
  bool is_quoted_ = false;
};

struct Member {
  std::string_view name;
  Node value;
  Spot spot;  // of the name
};

inline std::span<const Member> Node::members() const {
  if (!is_map()) return {};
  return {static_cast<const Member*>(data_), size_};
}

inline bool Node::is_null() const {
  const std::string_view said = text();
  return is_scalar() && !is_quoted_ &&
         (said.empty() || said == "~" || said == "null" || said == "Null" || said == "NULL");
}

inline const Node* Node::find(std::string_view name) const {
  for (const Member& member : members())
    if (member.name == name) {
      return member.value.is_null() || member.value.is_nothing() ? nullptr : &member.value;
    }
  return nullptr;
}

}  // namespace stator::templates
