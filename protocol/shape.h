// Shapes: what the API model says of a request's members, as constexpr tables, and the two generic
// checks made from them. The tables of all requests are written at build time: protocol/model.
//
// check_types() finds the first member, in the order of the text, whose JSON type is wrong
// (SerializationException). check_constraints() collects up to ten violations in the order of the
// tables (ValidationException): so the tables list members in the service's order, not the model's.
// Values of type AttributeValue are checked by attribute_value.h.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "protocol/json_tree.h"
#include "protocol/result.h"
#include "protocol/wording.h"

namespace stator {

struct FieldSpec;

struct TypeSpec {
  enum class Kind : std::uint8_t {
    String,
    Integer,
    Long,
    Double,
    Timestamp,  // seconds, with a fraction
    Boolean,
    List,
    Map,
    Structure,
    AttributeValue
  };
  static constexpr std::int64_t kNoMin = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kNoMax = std::numeric_limits<std::int64_t>::max();

  Kind kind;
  // Name of a Structure in the model; printed in error texts.
  std::string_view name = {};
  std::span<const FieldSpec> fields = {};  // Structure
  const TypeSpec* element = nullptr;       // List, Map

  // Constraints: characters of a String, entries of a List or Map, value of an Integer or Long.
  std::int64_t min = kNoMin;
  std::int64_t max = kNoMax;
  bool name_pattern = false;   // String: [a-zA-Z0-9_.-]+
  bool table_arn_too = false;  // String: a table's ARN is as good as its name
  bool table_keys = false;     // Map: its keys are tables' names or ARNs
  // Map: wrong keys are reported only when no member before it is wrong.
  bool keys_yield = false;
  std::span<const std::string_view> values =
      {};  // String: an enum, in the order in which the service prints it
  // The whole text of the enum's violation in the enveloped wording, where it differs.
  std::string_view enveloped_enum_text = {};
  // Whether the enum's violation hides all others there, and whether it then has no count of
  // violations before it.
  bool is_reported_alone = false;
  bool is_bare = false;
  // Whether the violation of a bound names the member as the model does in every wording.
  bool min_as_model = false;
  bool max_as_model = false;
  // Map: whether wrong keys show the map as JSON in the new layer.
  bool echoed_as_json = false;
};

struct FieldSpec {
  std::string_view name;  // as in the model: "TableName"
  const TypeSpec* type;
  bool required = false;
};

// `body` is any JSON value; `shape` a Structure.
Result<void> check_types(const JsonNode& body, const TypeSpec& shape);

// REQUIRES: check_types passed.
Result<void> check_constraints(const JsonNode& body, const TypeSpec& shape, Wording wording);

// Reading members whose types and constraints have passed; absent members give empty.
std::optional<std::string_view> string_member(const JsonNode& node, std::string_view name);
std::optional<std::int64_t> integer_member(const JsonNode& node, std::string_view name);
std::optional<bool> boolean_member(const JsonNode& node, std::string_view name);
// Elements of a list member; empty span also when absent.
std::span<const JsonNode> list_member(const JsonNode& node, std::string_view name);

// Whole number of an Integer or Decimal node, its fraction dropped, held to 64 bits.
std::int64_t integer_of(const JsonNode& node);
bool boolean_of(const JsonNode& node);

// Shared by check_types and check_value_types: texts for a JSON value where a type of that Java
// name is expected.
bool is_boolean_text(std::string_view text);
bool matches_name_pattern(std::string_view text);

inline constexpr TypeSpec kStringType{.kind = TypeSpec::Kind::String};
inline constexpr TypeSpec kIntegerType{.kind = TypeSpec::Kind::Integer};
inline constexpr TypeSpec kLongType{.kind = TypeSpec::Kind::Long};
inline constexpr TypeSpec kDoubleType{.kind = TypeSpec::Kind::Double};
inline constexpr TypeSpec kTimestampType{.kind = TypeSpec::Kind::Timestamp};
inline constexpr TypeSpec kBooleanType{.kind = TypeSpec::Kind::Boolean};
inline constexpr TypeSpec kAttributeValueType{.kind = TypeSpec::Kind::AttributeValue,
                                              .name = "AttributeValue"};

}  // namespace stator
