// Globs: `*` stands for any text, `?` for one byte; everything else, for itself.
#pragma once

#include <string_view>

namespace stator::faults {

bool is_glob(std::string_view text);

// Takes at most `pattern.size() * text.size()` steps.
bool glob_fits(std::string_view pattern, std::string_view text);

}  // namespace stator::faults
