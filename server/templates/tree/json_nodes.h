// JSON to nodes. JSON has a reader of its own beside YAML's, although JSON is nearly YAML: libyaml
// refuses escaped pairs of surrogates and names of more than 1,024 characters, which sample data
// has, and is slow for megabytes. protocol/json reads a text in place, so the address of a string
// or number is its place in the file.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "server/templates/tree/forest.h"

namespace stator::templates {

// Reads one JSON value. Columns count bytes. A node without an address of its own (true, false,
// null, {}, []) has the place of its name, or of what it is in. REQUIRES and mistakes as of
// read_yaml().
tl::expected<Node, Mistake> read_json_nodes(Forest& forest, std::uint16_t file, std::string text);

}  // namespace stator::templates
