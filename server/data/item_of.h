// Items as values, from trees that a file or an endpoint gave.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "protocol/arena.h"
#include "protocol/json_tree.h"
#include "protocol/value.h"

namespace stator::data {

// Lives as long as `node` and `arena`. The error says for people why it is no item.
tl::expected<Item, std::string> item_of(const JsonNode& node, Arena& arena);

}  // namespace stator::data
