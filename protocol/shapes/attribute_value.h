// JSON attribute values ({"S":"x"}) to Value, in the service's two steps.
//
// Step one checks types: the JSON shape, reported as SerializationException before any other member
// is checked. Step two checks values: what the service rejects with ValidationException, in a fixed
// order. See attribute_value.cpp and conformance/observed/errors.md 6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"
#include "protocol/memory/arena.h"
#include "protocol/service/limits.h"
#include "protocol/service/wording.h"
#include "protocol/values/value.h"

namespace stator {

// Of a value that has several types. The service says the same of a write with several requests.
Error several_types_error();
// Of an attribute that is too deep.
Error too_deep_error();

// Where an attribute value stands; decides the error text for a scalar in its place.
enum class ValuePlace : std::uint8_t {
  Member,   // of a structure: "Unexpected field type"
  Element,  // of a list or map: "Unexpected value type in payload"
};

// Step one for one value. Ignores unknown members and null members.
Result<void> check_value_types(const JsonNode& node, ValuePlace place);

// Step two for one value that passed step one. Messages have the wording's envelope where the
// service's do.
Result<Value> decode_value(const JsonNode& node, Wording wording, Arena& arena,
                           std::size_t depth_max = limits::kValueDepthMax);

// Step two for a parameter of a statement. Checks the depth at each value, not at the end, so it
// reports the first error in the order of the text.
Result<Value> decode_parameter(const JsonNode& node, Wording wording, Arena& arena);

// Step two for a map of values (Item, Key). Sorts by name; of equal names the last one counts.
// Values are checked in the order of the text.
Result<Item> decode_item(const JsonNode& node, Wording wording, Arena& arena);

// Checks the name of an attribute or of a map's member: not empty, not too long.
Result<void> check_attribute_name(std::string_view name);

}  // namespace stator
