// Prints trees in one canonical form: single blanks, upper-case keywords, quoted names, parentheses
// around every operation inside another. Parsing and printing printed text again yields the same
// text.
#pragma once

#include <string>

#include "protocol/partiql/tree.h"

namespace stator::partiql {

void append_statement(std::string& out, const Statement& statement);
void append_node(std::string& out, const Node& node);

}  // namespace stator::partiql
