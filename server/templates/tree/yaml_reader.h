// YAML to nodes, for untrusted input: libyaml's events, without its recursion.
//
// Anchors, aliases and merge keys (`<<`) are resolved here. A short form of CloudFormation becomes
// its long form: `!Ref X` {"Ref": "X"}, `!GetAtt A.B` {"Fn::GetAtt": "A.B"}.
#pragma once

#include <string_view>

#include <tl/expected.hpp>

#include "server/templates/tree/forest.h"

namespace stator::templates {

// Reads the one document of a text. REQUIRES: valid UTF-8 of at most kTextBytesMax, without a byte
// order mark and NUL. A mistake is one of syntax, a duplicate or complex key, a second document,
// or a bound of forest.h.
tl::expected<Node, Mistake> read_yaml(Forest& forest, std::uint16_t file, std::string_view text);

}  // namespace stator::templates
