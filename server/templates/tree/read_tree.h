// Reads a file of YAML or JSON to nodes.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "server/templates/tree/forest.h"

namespace stator::templates {

// The whole file; "-" is stdin. The mistake names a file that cannot be read, or has more than
// kTextBytesMax.
tl::expected<std::string, Mistake> read_text_file(const std::string& path);

// Adds a file with this text to the forest and reads it. JSON is recognised by its first character.
// A byte order mark of UTF-8 is left out. A mistake is NUL, invalid UTF-8, or one of the readers
// (yaml_reader.h, json_nodes.h).
tl::expected<Node, Mistake> read_tree(Forest& forest, const std::string& path, std::string text);

}  // namespace stator::templates
