// Step one: the JSON shape of an attribute value.
//
// Members of type String, Blob, Boolean, List and Map each have their own texts. Skips members that
// are not modelled or null.
#include <cassert>
#include <string>

#include "protocol/service/common_errors.h"
#include "protocol/shapes/attribute_value.h"
#include "protocol/shapes/shape.h"
#include "protocol/text/base64.h"

namespace stator {
namespace {

using Kind = JsonNode::Kind;

constexpr std::string_view kStructureNotExpected =
    "Start of structure or map found where not expected";

Error serialization(std::string_view text) { return Error::serialization(std::string(text)); }

// The service's name for a scalar token.
std::string_view token_name(Kind kind) {
  switch (kind) {
    case Kind::Null:
      return "NULL_VALUE";
    case Kind::False:
      return "FALSE_VALUE";
    case Kind::True:
      return "TRUE_VALUE";
    case Kind::Integer:
      return "NUMBER_VALUE";
    case Kind::Decimal:
      return "DECIMAL_VALUE";
    case Kind::String:
      return "STRING_VALUE";
    case Kind::Array:
    case Kind::Object:
      break;
  }
  assert(false);
  return {};
}

Error not_convertible(Kind kind, std::string_view java_class) {
  return unconvertible_error(token_name(kind), java_class);
}

Result<void> check_string(const JsonNode& node) {
  if (node.kind() == Kind::String) return {};
  if (node.kind() == Kind::Array) {
    return serialization("Unrecognized collection type class java.lang.String");
  }
  if (node.kind() == Kind::Object) return serialization(kStructureNotExpected);
  return not_convertible(node.kind(), "String");
}

Result<void> check_blob(const JsonNode& node) {
  if (node.kind() == Kind::Array) {
    return serialization("Unrecognized collection type class java.nio.ByteBuffer");
  }
  if (node.kind() == Kind::Object) return serialization(kStructureNotExpected);
  if (node.kind() != Kind::String) {
    return serialization("only base-64-encoded strings are convertible to bytes");
  }
  switch (check_base64(node.text())) {
    case Base64Error::None:
      return {};
    case Base64Error::BadLength:
      return Error::serialization(
          "Base64 encoded length is expected a multiple of 4 bytes but found: " +
          std::to_string(node.text().size()));
    case Base64Error::BadText:
      break;
  }
  return serialization("Invalid last non-pad Base64 character dectected");
}

Result<void> check_boolean(const JsonNode& node) {
  switch (node.kind()) {
    case Kind::Null:
    case Kind::False:
    case Kind::True:
      return {};
    case Kind::String:
      if (is_boolean_text(node.text())) return {};
      return serialization("Unexpected token received from parser");
    case Kind::Integer:
    case Kind::Decimal:
      return not_convertible(node.kind(), "Boolean");
    case Kind::Array:
      return serialization("Unrecognized collection type class java.lang.Boolean");
    case Kind::Object:
      break;
  }
  return serialization(kStructureNotExpected);
}

Result<void> check_list(const JsonNode& node, Type type) {
  if (node.kind() == Kind::Object) return serialization(kStructureNotExpected);
  if (node.kind() != Kind::Array) return serialization("Unexpected field type");
  for (const JsonNode& element : node.elements()) {
    // A null fits every type. In a set it is a wrong element, in a list a value without members.
    if (type == Type::L) {
      STATOR_CHECK(check_value_types(element, ValuePlace::Element));
    } else if (element.is_null()) {
      continue;
    } else if (type == Type::BS) {
      STATOR_CHECK(check_blob(element));
    } else {
      STATOR_CHECK(check_string(element));
    }
  }
  return {};
}

Result<void> check_map(const JsonNode& node) {
  if (node.kind() == Kind::Array) {
    return serialization(
        "Unrecognized collection type java.util.Map<java.lang.String, "
        "com.amazonaws.dynamodb.v20120810.AttributeValue>");
  }
  if (node.kind() != Kind::Object) return serialization("Unexpected field type");
  for (const JsonMember& member : node.members()) {
    STATOR_CHECK(check_value_types(member.value, ValuePlace::Element));
  }
  return {};
}

Result<void> check_member(Type type, const JsonNode& node) {
  switch (type) {
    case Type::S:
    case Type::N:
      return check_string(node);
    case Type::B:
      return check_blob(node);
    case Type::Bool:
    case Type::Null:
      return check_boolean(node);
    case Type::SS:
    case Type::NS:
    case Type::BS:
    case Type::L:
      return check_list(node, type);
    case Type::M:
      return check_map(node);
  }
  assert(false);
  return {};
}

}  // namespace

Result<void> check_value_types(const JsonNode& node, ValuePlace place) {
  if (node.is_null()) return {};
  if (node.kind() == Kind::Array) {
    return Error::serialization(
        "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue");
  }
  if (node.kind() != Kind::Object) {
    return serialization(place == ValuePlace::Member ? "Unexpected field type"
                                                     : "Unexpected value type in payload");
  }
  for (const JsonMember& member : node.members()) {
    if (member.value.is_null()) continue;
    const auto type = find_type(member.name);
    if (type) STATOR_CHECK(check_member(*type, member.value));
  }
  return {};
}

}  // namespace stator
