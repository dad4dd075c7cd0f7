// What a request's value looks like in the text of a violated constraint.
#pragma once

#include <cstddef>
#include <string>

#include "protocol/json_tree.h"
#include "protocol/shape.h"

namespace stator {

// The value as the service's Java prints it, which may be several times as long as it was sent.
// REQUIRES: check_types passed.
void append_printed(std::string& out, const JsonNode& node, const TypeSpec& type);
std::size_t printed_size_bytes(const JsonNode& node, const TypeSpec& type);

// As in the request, without blanks.
void append_json(std::string& out, const JsonNode& node);

}  // namespace stator
