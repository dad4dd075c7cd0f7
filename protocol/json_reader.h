// JSON text to JsonNode, for untrusted input: strict RFC 8259, valid UTF-8 only, bounded depth.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "protocol/arena.h"
#include "protocol/json_tree.h"

namespace stator {

// Deepest nesting read; deeper documents count as malformed (as the service's own reader has such a
// bound).
inline constexpr int kJsonDepthMax = 1000;
// Spare capacity that `body` should have: without it read_json() copies it once.
inline constexpr std::size_t kJsonSpareBytes = 16;

// Parses `body` in place: strings are unescaped inside it, so the tree refers to `body` and `arena`
// and lives as long as the shorter-lived of the two. Empty when the text is not one complete JSON
// value: syntax error, invalid UTF-8, lone surrogate escape, raw control character, NUL byte, text
// behind the value, too deep. Numbers of any size are kept as text.
std::optional<JsonNode> read_json(std::string& body, Arena& arena);

// Whether arrays and objects stand in each other more than `levels` deep, `node` itself counted.
// For trees that read_json() made: the recursion is bounded by kJsonDepthMax.
bool is_deeper_than(const JsonNode& node, std::size_t levels);

}  // namespace stator
