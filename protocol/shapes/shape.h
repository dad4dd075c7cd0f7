// Shapes: the API model's rules for a request's members, as constexpr tables, and the two generic
// checks that use them. protocol/model writes the tables of all requests at build time.
//
// check_types() finds the first member, in the order of the text, whose JSON type is wrong
// (SerializationException). check_constraints() collects up to ten violations in the order of the
// tables (ValidationException). Hence the tables list members in the service's order, not the
// model's. attribute_value.h checks values of type AttributeValue.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"
#include "protocol/service/wording.h"

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
  // String: the minimum in the classic wording, of what is not empty.
  std::int64_t classic_min = kNoMin;
  bool name_pattern = false;   // String: [a-zA-Z0-9_.-]+
  bool table_arn_too = false;  // String: may also be a table's ARN
  bool table_keys = false;     // Map: its keys are tables' names or ARNs
  // Map: reports wrong keys only if no earlier member is wrong.
  bool keys_yield = false;
  std::span<const std::string_view> values =
      {};  // String: an enum, in the order in which the service prints it
  // The enum violation's full text in the enveloped wording, if it differs.
  std::string_view enveloped_enum_text = {};
  // Whether the enum violation is the only one reported, and whether it then has no leading count
  // of violations.
  bool is_reported_alone = false;
  bool is_bare = false;
  // Whether a violated minimum or maximum names the member as the model does, in every wording.
  bool min_as_model = false;
  bool max_as_model = false;
  // Map: whether the new layer shows the map with wrong keys as JSON.
  bool echoed_as_json = false;
};

struct FieldSpec {
  std::string_view name;  // as in the model: "TableName"
  const TypeSpec* type;
  bool required = false;
};

// REQUIRES: `shape` is a Structure. `body` may be any JSON value.
Result<void> check_types(const JsonNode& body, const TypeSpec& shape);

// REQUIRES: check_types passed.
Result<void> check_constraints(const JsonNode& body, const TypeSpec& shape, Wording wording);

// Read members whose types and constraints were checked. Empty if absent.
std::optional<std::string_view> string_member(const JsonNode& node, std::string_view name);
std::optional<std::int64_t> integer_member(const JsonNode& node, std::string_view name);
std::optional<bool> boolean_member(const JsonNode& node, std::string_view name);
// Elements of a list member; an empty span if absent.
std::span<const JsonNode> list_member(const JsonNode& node, std::string_view name);

// The whole number of an Integer or Decimal node: fraction dropped, clamped to 64 bits.
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
