// Step two: attribute values whose types are right, to Value.
//
// A value has one of ten members, but may be sent with several, with none, with unknown ones; the
// checks see all that are there, in a fixed order. The usual case, a single
// modelled member, takes a short way through the same checks.
#include "protocol/attribute_value.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string>
#include <utility>
#include <vector>

#include "protocol/base64.h"
#include "protocol/byte_order.h"
#include "protocol/limits.h"
#include "protocol/number.h"
#include "protocol/shape.h"

namespace stator {
namespace {

using Kind = JsonNode::Kind;

constexpr std::string_view kEmptyValue =
    "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes";
constexpr std::string_view kSeveralTypes =
    "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the "
    "supported datatypes";
constexpr std::string_view kEmptyName = "Empty attribute name";
constexpr std::string_view kNameTooLarge =
    "Attribute name is too large, must be less than 65536 bytes";

Error invalid_parameter(Wording wording, std::string_view text) {
  return Error::validation(wording.enveloped(std::string(kInvalidParameter).append(text)));
}

Error number_error(NumberError error, std::string_view text, Wording wording) {
  switch (error) {
    case NumberError::NotANumber: {
      std::string message = "The parameter cannot be converted to a numeric value";
      // The classic text has nothing behind it when there is nothing to show.
      if (wording.is_new() || !text.empty()) message.append(": ").append(text);
      return Error::validation(wording.enveloped(message));
    }
    case NumberError::Overflow:
      return Error::validation(wording.enveloped(
          "Number overflow. Attempting to store a number with magnitude larger than supported "
          "range"));
    case NumberError::Underflow:
      return Error::validation(wording.enveloped(
          "Number underflow. Attempting to store a number with magnitude smaller than supported "
          "range"));
    case NumberError::TooManyDigits:
    case NumberError::None:
      break;
  }
  return Error::validation(
      wording.enveloped("Attempting to store more than 38 significant digits in a Number"));
}

// `decoded` are the elements as bytes in the order of the text; what is shown is their text in the
// request. The new layer shows those read before the first repeated one in the order of their
// bytes, as its set did not keep the other (cases PutItem-054, 055).
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
  std::string text = is_new ? "Input collection [\"" : "Input collection [";
  text.reserve(text.size() + size_bytes + 64);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (i > 0) text.append(between);
    text.append(sources[i < first_places.size() ? first_places[i] : i].text());
  }
  if (is_new) text.push_back('"');
  text.append(type == Type::BS ? "]of type BS contains duplicates." : "] contains duplicates.");
  return invalid_parameter(wording, text);
}

Error number_duplicates_error(Wording wording) {
  if (wording.is_new()) return invalid_parameter(wording, "Input collection contains duplicates.");
  return Error::validation("Input collection contains duplicates");
}

// The modelled members present, by type; the last of a repeated name, none for null.
class Present {
 public:
  explicit Present(const JsonNode& node) {
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
  // The only one.
  Type type() const { return static_cast<Type>(__builtin_ctz(bits_)); }

 private:
  unsigned bits_ = 0;
  std::array<const JsonNode*, 10> nodes_;
};

class Decoder {
 public:
  // When an attribute is too deep: once all of it is read, or where the first value is.
  enum class DepthCheck : std::uint8_t { AtEnd, AtEach };

  Decoder(Wording wording, std::size_t depth_max, Arena& arena,
          DepthCheck depth_check = DepthCheck::AtEnd)
      : wording_(wording), depth_max_(depth_max), depth_check_(depth_check), arena_(arena) {}

  // `depth` counts from 1, the attribute itself.
  Result<Value> decode(const JsonNode& node, std::size_t depth) {
    depth_seen_ = std::max(depth_seen_, depth);
    if (depth > depth_max_ && depth_check_ == DepthCheck::AtEach) return too_deep();
    const Present present(node);
    if (present.none()) return Error::validation(std::string(kEmptyValue));
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
        // A later member of the same name replaces this one before the service looks at values.
        if (last_places.is_replaced(sources, i)) continue;
        return std::move(value).error();
      }
      is_sorted = is_sorted && (count == 0 || members[count - 1].name < sources[i].name);
      members[count++] = Member{sources[i].name, *value};
    }
    const auto decoded = members.first(count);
    return is_sorted ? decoded : sort_members(decoded);
  }

  // A whole attribute.
  Result<Value> decode_attribute(const JsonNode& node) {
    depth_seen_ = 0;
    STATOR_TRY(Value value, decode(node, 1));
    if (depth_seen_ > depth_max_) return too_deep();
    return value;
  }

 private:
  Error too_deep() const { return Error::validation(wording_.enveloped(kTooDeep)); }

  Result<Value> decode_named(const JsonMember& member, std::size_t depth) {
    STATOR_CHECK(check_attribute_name(member.name));
    // Depth 0: the attributes of an item, each of which is measured on its own.
    return depth == 0 ? decode_attribute(member.value) : decode(member.value, depth + 1);
  }

  // Several members: one of them may be wrong in itself, which is reported first, in the order of
  // the checks.
  Error refuse_several(const Present& present, std::size_t depth) {
    constexpr std::array kCheckOrder = {Type::Null, Type::SS, Type::NS, Type::BS,
                                        Type::N,    Type::NS, Type::SS, Type::BS};
    // The first visit of a set asks only whether it is empty, the second decodes it.
    for (std::size_t i = 0; i < kCheckOrder.size(); ++i) {
      const Type type = kCheckOrder[i];
      if (!present.has(type)) continue;
      const JsonNode& node = present[type];
      if (i < 4 && is_set(type) && !node.elements().empty()) continue;
      if (auto value = decode_member(type, node, depth); !value) return std::move(value).error();
    }
    return Error::validation(std::string(kSeveralTypes));
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
        return invalid_parameter(wording_,
                                 "Null attribute value types must have the value of true");
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
    if (error != NumberError::None) return number_error(error, text, wording_);
    return encode_number(number, arena_);
  }

  Result<Value> decode_set(Type type, const JsonNode& node) {
    const auto sources = node.elements();
    if (sources.empty()) {
      return invalid_parameter(wording_, type == Type::SS   ? "An string set  may not be empty"
                                         : type == Type::NS ? "An number set  may not be empty"
                                                            : "Binary sets should not be empty");
    }
    const auto elements = arena_.allocate_array<std::string_view>(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
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

  // The elements' bytes before they were sorted, for the message about duplicates.
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

  // Which members another of their name stands behind; made when the first value is wrong.
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

  // Sorts by name in place and keeps the last of equal names.
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

Result<void> check_attribute_name(std::string_view name) {
  if (name.empty()) return Error::validation(std::string(kEmptyName));
  if (name.size() > limits::kAttributeNameBytesMax) {
    return Error::validation(std::string(kNameTooLarge));
  }
  return {};
}

}  // namespace stator
