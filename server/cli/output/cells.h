// Cells of a table on a terminal: their text, their width, and how columns share a line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/values/value.h"

namespace stator::client {

// Between two columns.
inline constexpr std::size_t kGapWidth = 2;
// A column that is cut has at least this width.
inline constexpr std::size_t kColumnWidthMin = 8;

// A string as it is, an empty one as "", other values as plain JSON. Control characters are
// escaped, so that no item can move the cursor.
std::string cell_text(const Value& value);

// The number of a terminal's columns that valid UTF-8 takes. Characters of East Asian scripts and
// emoji take two, combining marks none.
std::size_t text_width(std::string_view text);

// Cuts the text to the width; a cut text ends with an ellipsis.
std::string cut_text(std::string_view text, std::size_t width);

// Returns the widths of the columns that have space in `width`, which are the first ones and at
// least one. Wide columns give way first.
std::vector<std::size_t> fitted_widths(std::vector<std::size_t> natural, std::size_t width);

}  // namespace stator::client
