// JSON text to JsonNode, for untrusted input: strict RFC 8259, valid UTF-8 only, bounded depth.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "protocol/json/json_tree.h"
#include "protocol/memory/arena.h"

namespace stator {

// Maximum nesting; a deeper document counts as malformed. The service's reader has such a bound
// too.
inline constexpr int kJsonDepthMax = 1000;
// Spare capacity that `body` should have; without it read_json() copies the body once.
inline constexpr std::size_t kJsonSpareBytes = 16;

// Parses `body` in place: strings are unescaped inside it, so the tree refers to `body` and `arena`
// and both must outlive it. Empty if the text is not one complete JSON value: syntax error, invalid
// UTF-8, lone surrogate escape, raw control character, NUL byte, text after the value, too deep.
// Numbers of any size stay text.
// `error_at`, if given, then has the byte at which the reader gave up.
std::optional<JsonNode> read_json(std::string& body, Arena& arena, std::size_t* error_at = nullptr);

// Whether arrays and objects are nested more than `levels` deep, counting `node`. REQUIRES: the
// tree is from read_json(), so that kJsonDepthMax bounds the recursion.
bool is_deeper_than(const JsonNode& node, std::size_t levels);

}  // namespace stator
