// Trees back to text, in one canonical form: single blanks, upper-case keywords, only the
// parentheses that are needed. Printing what was parsed from printed text gives the same text.
#pragma once

#include <string>
#include <string_view>

#include "protocol/expression/ast.h"

namespace stator::expr {

// Comparator::LessEqual as "<=": also how messages name it.
std::string_view comparator_text(Comparator comparator);

// Placeholders are printed as they were written.
void append_path(std::string& out, Path path);
void append_condition(std::string& out, const Condition& condition);
// Sections in the order SET, REMOVE, ADD, DELETE; nothing for an update without actions.
void append_update(std::string& out, const Update& update);

}  // namespace stator::expr
