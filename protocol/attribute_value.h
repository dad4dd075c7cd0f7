// JSON attribute values ({"S":"x"}) to Value, in the service's two steps.
//
// Step one, types: the JSON shape, reported as SerializationException before any other member is
// looked at. Step two, values: what the service itself refuses, reported as ValidationException in
// a fixed order: see attribute_value.cpp and conformance/observed/errors.md 6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/arena.h"
#include "protocol/json_tree.h"
#include "protocol/limits.h"
#include "protocol/result.h"
#include "protocol/value.h"
#include "protocol/wording.h"

namespace stator {

inline constexpr std::string_view kTooDeep =
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels "
    "beyond supported limit";

// Where an attribute value stands decides the text for a scalar in its place.
enum class ValuePlace : std::uint8_t {
  Member,   // of a structure: "Unexpected field type"
  Element,  // of a list or map: "Unexpected value type in payload"
};

// Step one for one value; unknown members and null members are ignored.
Result<void> check_value_types(const JsonNode& node, ValuePlace place);

// Step two for one value whose types are right. Messages carry the wording's envelope where the
// service's do.
Result<Value> decode_value(const JsonNode& node, Wording wording, Arena& arena,
                           std::size_t depth_max = limits::kValueDepthMax);

// The same for a parameter of a statement, whose nesting is no check of its own: the first error
// in the order of the text is told, whatever it is.
Result<Value> decode_parameter(const JsonNode& node, Wording wording, Arena& arena);

// Step two for a map of values (Item, Key): decoded, sorted by name, the last of equal names kept.
// Values are checked in the order of the text.
Result<Item> decode_item(const JsonNode& node, Wording wording, Arena& arena);

// The name of an attribute, or of a member of a map: neither empty nor too long.
Result<void> check_attribute_name(std::string_view name);

}  // namespace stator
