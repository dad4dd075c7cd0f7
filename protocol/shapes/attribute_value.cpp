// Step two: converts attribute values whose JSON types are right to Value.
//
// A value has one of ten members, but a client may send several, none, or unknown ones. The checks
// cover all present members, in a fixed order. The usual case, a single modelled member, takes a
// shortcut through the same checks.
#include "protocol/shapes/attribute_value.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/errors/rule.h"
#include "protocol/number/number.h"
#include "protocol/service/common_errors.h"
#include "protocol/service/limits.h"
#include "protocol/shapes/shape.h"
#include "protocol/text/base64.h"
#include "protocol/values/byte_order.h"

namespace stator {
namespace {

using Kind = JsonNode::Kind;

constexpr std::string_view kEmptyValue =
    "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes";
constexpr std::string_view kEmptyName = "Empty attribute name";
constexpr std::string_view kNameTooLarge =
    "Attribute name is too large, must be less than 65536 bytes";

Error invalid(Wording wording, std::string statement, Rule rule,
              std::initializer_list<std::string_view> values = {}) {
  return wording.enveloped(invalid_parameter(std::move(statement)).with_rule(rule, values));
}

// `decoded` are the elements' bytes in the order of the text; the message shows their text in the
// request. The new layer shows the elements read before the first repeated one sorted by their
// bytes, and the rest in order: its set did not store the repeated one (cases PutItem-054, 055).
Error duplicates_error(Type type, const JsonNode& node, std::span<const std::string_view> decoded,
                       Wording wording) {
  const bool is_new = wording.is_new();
  std::vector<std::uint32_t> first_places;
  if (is_new)
    first_places = order_by_bytes(decoded.first(order_if_distinct(decoded).first_repeated));
  const auto sources = node.elements();
  const std::string_view between = is_new ? type == Type::BS ? "\",\"" : "\", \"" : ", ";
  std::size_t size_bytes = 0;
  for (const JsonNode& source : sources) size_bytes += source.text().size() + between.size();
  std::string elements = is_new ? "[\"" : "[";
  elements.reserve(size_bytes + 64);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (i > 0) elements.append(between);
    elements.append(sources[i < first_places.size() ? first_places[i] : i].text());
  }
  if (is_new) elements.push_back('"');
  elements.append(type == Type::BS ? "]of type BS" : "]");
  return invalid(wording, "Input collection " + elements + " contains duplicates.",
                 Rule::DistinctElements, {elements});
}

Error number_duplicates_error(Wording wording) {
  if (wording.is_new())
    return invalid(wording, "Input collection contains duplicates.", Rule::DistinctElements);
  return Error::validation("Input collection contains duplicates")
      .with_rule(Rule::DistinctElements);
}

// The text for strings is the service's (B), that for binaries an older one of it; numbers have no
// recorded one.
Error null_element_error(Type type, Wording wording) {
  std::string_view text = "An number set may not have a null number as a member";
  if (type == Type::SS) text = "An string set may not have a null string as a member";
  if (type == Type::BS) text = "Binary sets may not contain null or empty values";
  return invalid(wording, std::string(text), Rule::None);
}

// The modelled members present, by type. Of a repeated name the last counts; null counts as absent.
class PresentMembers {
 public:
  explicit PresentMembers(const JsonNode& node) {
    if (node.kind() != Kind::Object) return;  // null, as an element of a list or map
    for (const JsonMember& member : node.members()) {
      const auto type = find_type(member.name);
      if (!type) continue;
      const auto bit = 1u << static_cast<unsigned>(*type);
      bits_ = member.value.is_null() ? bits_ & ~bit : bits_ | bit;
      nodes_[static_cast<std::size_t>(*type)] = &member.value;
    }
  }

  bool none() const { return bits_ == 0; }
  bool several() const { return (bits_ & (bits_ - 1)) != 0; }
  bool has(Type type) const { return (bits_ >> static_cast<unsigned>(type) & 1) != 0; }
  const JsonNode& operator[](Type type) const { return *nodes_[static_cast<std::size_t>(type)]; }
  // REQUIRES: exactly one member is present.
  Type type() const { return static_cast<Type>(__builtin_ctz(bits_)); }

 private:
  unsigned bits_ = 0;
  std::array<const JsonNode*, 10> nodes_;
};

class Decoder {
 public:
  // When to report that an attribute is too deep: after reading all of it, or at the first value
  // that is.
  enum class DepthCheck : std::uint8_t { AtEnd, AtEach };

  Decoder(Wording wording, std::size_t depth_max, Arena& arena,
          DepthCheck depth_check = DepthCheck::AtEnd)
      : wording_(wording), depth_max_(depth_max), depth_check_(depth_check), arena_(arena) {}

  // `depth` is 1 for the attribute itself.
  Result<Value> decode(const JsonNode& node, std::size_t depth) {
    depth_seen_ = std::max(depth_seen_, depth);
    if (depth > depth_max_ && depth_check_ == DepthCheck::AtEach) return too_deep();
    const PresentMembers present(node);
    if (present.none())
      return Error::validation(std::string(kEmptyValue)).with_rule(Rule::ValueTyped);
    if (present.several()) return refuse_several(present, depth);
    return decode_member(present.type(), present[present.type()], depth);
  }

  Result<std::span<const Member>> decode_members(const JsonNode& node, std::size_t depth) {
    const auto sources = node.members();
    const auto members = arena_.allocate_array<Member>(sources.size());
    std::size_t count = 0;
    bool is_sorted = true;
    LastPlaces last_places;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      auto value = decode_named(sources[i], depth);
      if (!value) {
        // The service drops members that a later one of the same name replaces before it checks
        // values.
        if (last_places.is_replaced(sources, i)) continue;
        return std::move(value).error();
      }
      is_sorted = is_sorted && (count == 0 || members[count - 1].name < sources[i].name);
      members[count++] = Member{sources[i].name, *value};
    }
    const auto decoded = members.first(count);
    return is_sorted ? decoded : sort_members(decoded);
  }

  // Decodes a whole attribute.
  Result<Value> decode_attribute(const JsonNode& node) {
    depth_seen_ = 0;
    STATOR_TRY(Value value, decode(node, 1));
    if (depth_seen_ > depth_max_) return too_deep();
    return value;
  }

 private:
  Error too_deep() const { return wording_.enveloped(too_deep_error()); }

  Result<Value> decode_named(const JsonMember& member, std::size_t depth) {
    STATOR_CHECK(check_attribute_name(member.name));
    // At depth 0 are an item's attributes, each of which is measured on its own.
    return depth == 0 ? decode_attribute(member.value) : decode(member.value, depth + 1);
  }

  // The error for several members. If one of them is wrong in itself, that error comes first, in
  // the order of the checks.
  Error refuse_several(const PresentMembers& present, std::size_t depth) {
    constexpr std::array kCheckOrder = {Type::Null, Type::SS, Type::NS, Type::BS,
                                        Type::N,    Type::NS, Type::SS, Type::BS};
    // The first visit to a set checks only whether it is empty, the second decodes it.
    for (std::size_t i = 0; i < kCheckOrder.size(); ++i) {
      const Type type = kCheckOrder[i];
      if (!present.has(type)) continue;
      const JsonNode& node = present[type];
      if (i < 4 && is_set(type) && !node.elements().empty()) continue;
      if (auto value = decode_member(type, node, depth); !value) return std::move(value).error();
    }
    return several_types_error();
  }

  Result<Value> decode_member(Type type, const JsonNode& node, std::size_t depth) {
    switch (type) {
      case Type::S:
        return Value::string(node.text());
      case Type::N: {
        STATOR_TRY(const std::string_view bytes, decode_number_text(node.text()));
        return Value::number(bytes);
      }
      case Type::B:
        return Value::binary(decode_base64(node.text(), arena_));
      case Type::Bool:
        return Value::boolean(boolean_of(node));
      case Type::Null:
        if (boolean_of(node)) return Value::null();
        return invalid(wording_, "Null attribute value types must have the value of true",
                       Rule::NullIsTrue);
      case Type::SS:
      case Type::NS:
      case Type::BS:
        return decode_set(type, node);
      case Type::L:
        return decode_list(node, depth);
      case Type::M: {
        STATOR_TRY(const auto members, decode_members(node, depth));
        return Value::map(members);
      }
    }
    assert(false);
    return Value::null();
  }

  Result<std::string_view> decode_number_text(std::string_view text) {
    Number number;
    const NumberError error = parse_number(text, wording_.number_rules(), number);
    // The classic message has no text if there is none to show.
    const bool is_shown = wording_.is_new() || !text.empty();
    if (error != NumberError::None)
      return wording_.enveloped(number_error(error, is_shown ? std::optional(text) : std::nullopt));
    return encode_number(number, arena_);
  }

  Result<Value> decode_set(Type type, const JsonNode& node) {
    const auto sources = node.elements();
    if (sources.empty()) {
      const std::string_view elements = type == Type::SS ? "string" : "number";
      if (type == Type::BS)
        return invalid(wording_, "Binary sets should not be empty", Rule::SetNotEmpty, {"binary"});
      return invalid(wording_, std::string("An ").append(elements).append(" set  may not be empty"),
                     Rule::SetNotEmpty, {elements});
    }
    const auto elements = arena_.allocate_array<std::string_view>(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].is_null()) return null_element_error(type, wording_);
      if (type == Type::NS) {
        STATOR_TRY(elements[i], decode_number_text(sources[i].text()));
      } else {
        elements[i] =
            type == Type::SS ? sources[i].text() : decode_base64(sources[i].text(), arena_);
      }
    }
    if (!sort_by_bytes(elements)) {
      if (type == Type::NS) return number_duplicates_error(wording_);
      return duplicates_error(type, node, in_order_of_text(type, node), wording_);
    }
    return Value::set(type, elements);
  }

  // The elements' bytes before sorting, for the message about duplicates.
  std::span<const std::string_view> in_order_of_text(Type type, const JsonNode& node) {
    const auto sources = node.elements();
    const auto elements = arena_.allocate_array<std::string_view>(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      elements[i] = type == Type::BS ? decode_base64(sources[i].text(), arena_) : sources[i].text();
    }
    return elements;
  }

  Result<Value> decode_list(const JsonNode& node, std::size_t depth) {
    const auto sources = node.elements();
    const auto elements = arena_.allocate_array<Value>(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      STATOR_TRY(elements[i], decode(sources[i], depth + 1));
    }
    return Value::list(elements);
  }

  // Which members a later member of the same name replaces; computed when the first value is wrong.
  class LastPlaces {
   public:
    bool is_replaced(std::span<const JsonMember> members, std::size_t index) {
      if (is_replaced_.empty()) {
        is_replaced_.resize(members.size());
        std::vector<std::string_view> names;
        names.reserve(members.size());
        for (const JsonMember& member : members) names.push_back(member.name);
        const auto order = order_by_bytes(names);
        for (std::size_t i = 1; i < order.size(); ++i)
          is_replaced_[order[i - 1]] = names[order[i - 1]] == names[order[i]];
      }
      return is_replaced_[index];
    }

   private:
    std::vector<bool> is_replaced_;
  };

  // Sorts by name in place; of equal names the last one stays.
  static std::span<const Member> sort_members(std::span<Member> members) {
    sort_by_name(members);
    std::size_t kept = 0;
    for (const Member& member : members) {
      if (kept > 0 && members[kept - 1].name == member.name) --kept;
      members[kept++] = member;
    }
    return members.first(kept);
  }

  const Wording wording_;
  const std::size_t depth_max_;
  const DepthCheck depth_check_;
  Arena& arena_;
  std::size_t depth_seen_ = 0;
};

}  // namespace

Result<Value> decode_value(const JsonNode& node, Wording wording, Arena& arena,
                           std::size_t depth_max) {
  return Decoder(wording, depth_max, arena).decode_attribute(node);
}

Result<Value> decode_parameter(const JsonNode& node, Wording wording, Arena& arena) {
  constexpr auto kAtEach = Decoder::DepthCheck::AtEach;
  return Decoder(wording, limits::kValueDepthMax, arena, kAtEach).decode_attribute(node);
}

Result<Item> decode_item(const JsonNode& node, Wording wording, Arena& arena) {
  return Decoder(wording, limits::kValueDepthMax, arena).decode_members(node, 0);
}

Error several_types_error() {
  return Error::validation(
             "Supplied AttributeValue has more than one datatypes set, must contain exactly one of "
             "the supported datatypes")
      .with_rule(Rule::ValueOneType);
}

Error too_deep_error() {
  return nesting_error(": Attributes in the item have nested levels beyond supported limit");
}

Result<void> check_attribute_name(std::string_view name) {
  if (name.empty()) return Error::validation(std::string(kEmptyName));
  if (name.size() > limits::kAttributeNameBytesMax) {
    return Error::validation(std::string(kNameTooLarge));
  }
  return {};
}

}  // namespace stator
