// Prints trees in one canonical form: single blanks, upper-case keywords, only the necessary
// parentheses. Parsing and printing printed text again yields the same text.
#pragma once

#include <string>
#include <string_view>

#include "protocol/expression/syntax/ast.h"

namespace stator::expr {

// Comparator::LessEqual is "<="; messages use this text too.
std::string_view comparator_text(Comparator comparator);

// Print placeholders as written.
void append_path(std::string& out, Path path);
void append_condition(std::string& out, const Condition& condition);
// Prints sections in the order SET, REMOVE, ADD, DELETE; nothing for an update without actions.
void append_update(std::string& out, const Update& update);

}  // namespace stator::expr
