// Converts JSON from a file or an endpoint to items.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "protocol/json/json_tree.h"
#include "protocol/memory/arena.h"
#include "protocol/values/value.h"

namespace stator::data {

// Valid as long as `node` and `arena`. The error says for people why it is no item.
tl::expected<Item, std::string> item_of(const JsonNode& node, Arena& arena);

}  // namespace stator::data
