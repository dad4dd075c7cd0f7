// check_types(): checks the JSON types of a request's members, in the order of the text. Texts:
// conformance/observed/errors.md 4, pinned by tests/cases/validation-cases.json.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>

#include "protocol/service/common_errors.h"
#include "protocol/shapes/attribute_value.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

constexpr std::string_view kStructureUnexpected =
    "Start of structure or map found where not expected";
constexpr std::string_view kModelPackage = "com.amazonaws.dynamodb.v20120810.";

using Kind = JsonNode::Kind;

std::string_view java_name(TypeSpec::Kind kind) {
  switch (kind) {
    case TypeSpec::Kind::String:
      return "java.lang.String";
    case TypeSpec::Kind::Integer:
      return "java.lang.Integer";
    case TypeSpec::Kind::Long:
      return "java.lang.Long";
    case TypeSpec::Kind::Double:
      return "java.lang.Double";
    case TypeSpec::Kind::Timestamp:
      return "java.util.Date";
    case TypeSpec::Kind::Boolean:
      return "java.lang.Boolean";
    case TypeSpec::Kind::List:
    case TypeSpec::Kind::Map:
    case TypeSpec::Kind::Structure:
    case TypeSpec::Kind::AttributeValue:
      break;
  }
  return {};
}

// The name of a map's value type as the service prints it.
std::string element_name(const TypeSpec& element) {
  switch (element.kind) {
    case TypeSpec::Kind::Structure:
    case TypeSpec::Kind::AttributeValue:
      return std::string(kModelPackage) + std::string(element.name);
    case TypeSpec::Kind::List:
      return "java.util.List<" + element_name(*element.element) + ">";
    case TypeSpec::Kind::Map:
      return "java.util.Map<java.lang.String, " + element_name(*element.element) + ">";
    case TypeSpec::Kind::String:
    case TypeSpec::Kind::Integer:
    case TypeSpec::Kind::Long:
    case TypeSpec::Kind::Double:
    case TypeSpec::Kind::Timestamp:
    case TypeSpec::Kind::Boolean:
      break;
  }
  return std::string(java_name(element.kind));
}

Error cannot_convert(std::string_view token, TypeSpec::Kind kind) {
  // The service writes "can not" in this text only.
  if (kind == TypeSpec::Kind::Timestamp) {
    return Error::serialization(std::string(token) +
                                " can not be converted to milliseconds since epoch");
  }
  const std::string_view name = java_name(kind);
  return unconvertible_error(token, name.substr(name.rfind('.') + 1));
}

// A scalar of the model.
Result<void> check_scalar(const JsonNode& node, TypeSpec::Kind kind) {
  const bool wants_text = kind == TypeSpec::Kind::String;
  const bool wants_boolean = kind == TypeSpec::Kind::Boolean;
  const bool wants_number = !wants_text && !wants_boolean;
  switch (node.kind()) {
    case Kind::Null:
      return {};
    case Kind::True:
      if (wants_boolean) return {};
      return cannot_convert("TRUE_VALUE", kind);
    case Kind::False:
      if (wants_boolean) return {};
      return cannot_convert("FALSE_VALUE", kind);
    case Kind::Integer:
      if (wants_number) return {};
      return cannot_convert("NUMBER_VALUE", kind);
    case Kind::Decimal:
      if (wants_number) return {};
      return cannot_convert("DECIMAL_VALUE", kind);
    case Kind::String:
      if (wants_text) return {};
      if (wants_number) return cannot_convert("STRING_VALUE", kind);
      if (is_boolean_text(node.text())) return {};
      return Error::serialization("Unexpected token received from parser");
    case Kind::Array:
      return Error::serialization("Unrecognized collection type class " +
                                  std::string(java_name(kind)));
    case Kind::Object:
      return Error::serialization(std::string(kStructureUnexpected));
  }
  return {};
}

Result<void> check_node(const JsonNode& node, const TypeSpec& type, ValuePlace place);

Error scalar_in_place(ValuePlace place) {
  return Error::serialization(place == ValuePlace::Member ? "Unexpected field type"
                                                          : "Unexpected value type in payload");
}

// The service's text if a list is in a map or a map in a list and the value is neither.
constexpr std::string_view kParameterizedType =
    "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class "
    "java.lang.Class "
    "(sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in "
    "module java.base of loader "
    "'bootstrap')";

Result<void> check_list(const JsonNode& node, const TypeSpec& type, ValuePlace place) {
  if (node.kind() == Kind::Object) return Error::serialization(std::string(kStructureUnexpected));
  if (node.kind() != Kind::Array) {
    if (place == ValuePlace::Element) return Error::serialization(std::string(kParameterizedType));
    return Error::serialization("Unexpected field type");
  }
  for (const JsonNode& element : node.elements()) {
    STATOR_CHECK(check_node(element, *type.element, ValuePlace::Element));
  }
  return {};
}

Result<void> check_map(const JsonNode& node, const TypeSpec& type, ValuePlace place) {
  if (node.kind() == Kind::Array) {
    return Error::serialization("Unrecognized collection type java.util.Map<java.lang.String, " +
                                element_name(*type.element) + ">");
  }
  if (node.kind() != Kind::Object) {
    if (place == ValuePlace::Element) return Error::serialization(std::string(kParameterizedType));
    return Error::serialization("Unexpected field type");
  }
  for (const JsonMember& member : node.members()) {
    STATOR_CHECK(check_node(member.value, *type.element, ValuePlace::Element));
  }
  return {};
}

Result<void> check_structure(const JsonNode& node, const TypeSpec& type, ValuePlace place) {
  if (node.kind() == Kind::Array) {
    return Error::serialization("Unrecognized collection type class " + element_name(type));
  }
  if (node.kind() != Kind::Object) return scalar_in_place(place);
  for (const JsonMember& member : node.members()) {
    const auto field =
        std::find_if(type.fields.begin(), type.fields.end(),
                     [&](const FieldSpec& f) { return is_same_name(f.name, member.name); });
    if (field == type.fields.end()) continue;
    STATOR_CHECK(check_node(member.value, *field->type, ValuePlace::Member));
  }
  return {};
}

Result<void> check_node(const JsonNode& node, const TypeSpec& type, ValuePlace place) {
  if (node.is_null()) return {};
  switch (type.kind) {
    case TypeSpec::Kind::String:
    case TypeSpec::Kind::Integer:
    case TypeSpec::Kind::Long:
    case TypeSpec::Kind::Double:
    case TypeSpec::Kind::Timestamp:
    case TypeSpec::Kind::Boolean:
      return check_scalar(node, type.kind);
    case TypeSpec::Kind::List:
      return check_list(node, type, place);
    case TypeSpec::Kind::Map:
      return check_map(node, type, place);
    case TypeSpec::Kind::Structure:
      return check_structure(node, type, place);
    case TypeSpec::Kind::AttributeValue:
      return check_value_types(node, place);
  }
  return {};
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
}

}  // namespace

Result<void> check_types(const JsonNode& body, const TypeSpec& shape) {
  // No recording shows a body that is no object; returned as unparsable.
  if (body.kind() != Kind::Object) return Error::serialization();
  return check_structure(body, shape, ValuePlace::Member);
}

bool is_boolean_text(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTexts{"true", "false", "1", "0", "yes", "no"};
  return std::any_of(kTexts.begin(), kTexts.end(),
                     [&](std::string_view known) { return equals_ignoring_case(text, known); });
}

bool boolean_of(const JsonNode& node) {
  if (node.kind() != Kind::String) return node.kind() == Kind::True;
  return equals_ignoring_case(node.text(), "true") || equals_ignoring_case(node.text(), "yes") ||
         node.text() == "1";
}

std::int64_t integer_of(const JsonNode& node) {
  const std::string_view text = node.text();
  if (node.kind() == Kind::Integer) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size()) return value;
    return text.front() == '-' ? std::numeric_limits<std::int64_t>::min()
                               : std::numeric_limits<std::int64_t>::max();
  }
  // Decimals in integer members are rare and only need their whole part; a double is exact enough
  // for values that pass the constraints.
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr double kEdge = 9.2e18;
  if (value >= kEdge) return std::numeric_limits<std::int64_t>::max();
  if (value <= -kEdge) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

std::optional<std::string_view> string_member(const JsonNode& node, std::string_view name) {
  const JsonNode* found = node.find(name);
  if (found == nullptr) return std::nullopt;
  return found->text();
}

std::optional<std::int64_t> integer_member(const JsonNode& node, std::string_view name) {
  const JsonNode* found = node.find(name);
  if (found == nullptr) return std::nullopt;
  return integer_of(*found);
}

std::optional<bool> boolean_member(const JsonNode& node, std::string_view name) {
  const JsonNode* found = node.find(name);
  if (found == nullptr) return std::nullopt;
  return boolean_of(*found);
}

std::span<const JsonNode> list_member(const JsonNode& node, std::string_view name) {
  const JsonNode* found = node.find(name);
  if (found == nullptr) return {};
  return found->elements();
}

}  // namespace stator
