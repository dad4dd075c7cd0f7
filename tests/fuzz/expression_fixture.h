// What the expression fuzzers share: a check that ends the run, JSON that is known to be right, and
// the placeholders and the item that every input is tried on, read once.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include "protocol/expression/resolution/placeholders.h"
#include "protocol/expression/syntax/cache.h"
#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "protocol/shapes/attribute_value.h"

namespace stator::expr {

inline void require(bool condition) {
  if (!condition) std::abort();
}

// Valid JSON; the result refers to `text` and the arena.
inline JsonNode read(std::string& text, Arena& arena) {
  const auto node = read_json(text, arena);
  require(node.has_value());
  return *node;
}

struct Fixture {
  Fixture(std::string_view body, std::string_view item_json, ExpressionCache* cache = nullptr)
      : body_text(body), item_text(item_json) {
    auto read_placeholders = Placeholders::read(read(body_text, arena), Wording{}, arena, cache);
    require(read_placeholders.has_value());
    placeholders = *read_placeholders;
    item = read_item(item_text);
  }

  // Refers to `text`.
  Item read_item(std::string& text) {
    const auto decoded = decode_item(read(text, arena), Wording{}, arena);
    require(decoded.has_value());
    return *decoded;
  }

  Arena arena;
  std::string body_text;
  std::string item_text;
  Placeholders placeholders;
  Item item;
};

}  // namespace stator::expr
