// JsonNode: a parsed JSON document as a tree of 16-byte views into an arena and the request body.
//
// Requests are read in two steps: JSON text -> JsonNode (this file, json_reader.h), then JsonNode
// -> typed request (shape.h and the operation's own parse). The tree keeps members in the order of
// the text, with duplicates, because the service reports the first wrong member it meets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace stator {

struct JsonMember;

class JsonNode {
 public:
  // Integer and Decimal hold the number's text: Integer has neither point nor exponent.
  enum class Kind : std::uint8_t { Null, False, True, Integer, Decimal, String, Array, Object };

  JsonNode() = default;
  static JsonNode scalar(Kind kind, std::string_view text = {}) {
    return JsonNode(kind, text.data(), text.size());
  }
  static JsonNode array(std::span<const JsonNode> elements) {
    return JsonNode(Kind::Array, elements.data(), elements.size());
  }
  static JsonNode object(std::span<const JsonMember> members) {
    return JsonNode(Kind::Object, members.data(), members.size());
  }

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::Null; }

  // Text of a String (unescaped UTF-8), Integer or Decimal (as written).
  std::string_view text() const { return {static_cast<const char*>(data_), size_}; }
  // Elements of an Array.
  std::span<const JsonNode> elements() const {
    return {static_cast<const JsonNode*>(data_), size_};
  }
  // Members of an Object, in the order of the text, duplicates included.
  inline std::span<const JsonMember> members() const;

  // The last member of this name, or nullptr if it is null or absent. Of a repeated name the last
  // value counts.
  inline const JsonNode* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }

 private:
  JsonNode(Kind kind, const void* data, std::size_t size)
      : data_(data), size_(static_cast<std::uint32_t>(size)), kind_(kind) {}

  const void* data_ = nullptr;
  std::uint32_t size_ = 0;
  Kind kind_ = Kind::Null;
};

struct JsonMember {
  std::string_view name;
  JsonNode value;
};

inline std::span<const JsonMember> JsonNode::members() const {
  return {static_cast<const JsonMember*>(data_), size_};
}

// Whether two member names are equal. Inline, because names are short and a call to memcmp costs
// more than the comparison.
inline bool is_same_name(std::string_view a, std::string_view b) {
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  const auto differ = [&]<class Word>(Word first, std::size_t at) {
    Word second;
    std::memcpy(&first, a.data() + at, sizeof first);
    std::memcpy(&second, b.data() + at, sizeof second);
    return first != second;
  };
  // The last word may overlap the one before.
  if (size >= 8) {
    for (std::size_t at = 0; at + 8 < size; at += 8) {
      if (differ(std::uint64_t{}, at)) return false;
    }
    return !differ(std::uint64_t{}, size - 8);
  }
  if (size >= 4) return !differ(std::uint32_t{}, 0) && !differ(std::uint32_t{}, size - 4);
  for (std::size_t at = 0; at < size; ++at) {
    if (a[at] != b[at]) return false;
  }
  return true;
}

inline const JsonNode* JsonNode::find(std::string_view name) const {
  const auto all = members();
  for (std::size_t i = all.size(); i-- > 0;) {
    if (is_same_name(all[i].name, name)) return all[i].value.is_null() ? nullptr : &all[i].value;
  }
  return nullptr;
}

static_assert(sizeof(JsonNode) == 16);

}  // namespace stator
