// What a scalar means where a number or a boolean is asked for, and nodes written as JSON.
#pragma once

#include <optional>
#include <string>

#include "server/templates/tree/node.h"

namespace stator::templates {

// `true` and `false`, also in quotes; without quotes also the other words of YAML 1.1, such as
// `yes` and `Off`.
std::optional<bool> boolean_of(const Node& node);

// The decimal digits of a whole number, with its sign: of a decimal number, also in quotes, and
// without quotes of the octal `012` and the hexadecimal `0xA` of YAML 1.1. Of any size if decimal.
std::optional<std::string> integer_of(const Node& node);

// Whether the text is a number of JSON.
bool is_json_number(std::string_view text);

// Appends the node as JSON. A scalar without quotes is a number, boolean or null if it is one in
// JSON, and a string otherwise. REQUIRES: no Nothing except at the top, which becomes null.
void append_json(std::string& out, const Node& node);

}  // namespace stator::templates
