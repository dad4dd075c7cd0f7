// Arguments of a tool against its schema, and their values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/json/json_tree.h"

namespace stator::mcp {

// Returns what is wrong with the arguments, in one line; empty if nothing is. Knows of JSON Schema
// what the tools use: properties, required, additionalProperties, type, enum, minimum, maximum,
// maxItems.
std::optional<std::string> find_mistake(const JsonNode& schema, const JsonNode& arguments);

// The text of a member that is a string or a number; empty: there is no such member.
std::optional<std::string> word_in(const JsonNode& object, std::string_view name);

// The member as JSON; empty without it.
std::string json_in(const JsonNode& object, std::string_view name);
std::string json_of(const JsonNode& node);

// Appends ,"name":"text" unless the text is empty.
void append_text_member(std::string& out, std::string_view name, std::string_view text);

}  // namespace stator::mcp
