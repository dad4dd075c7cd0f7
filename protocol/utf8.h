// UTF-8 validation and counting, per RFC 3629: no overlong forms, no surrogates, nothing above
// U+10FFFF.
#pragma once

#include <cstddef>
#include <string_view>

namespace stator {

bool is_valid_utf8(std::string_view text);
// Length in Unicode characters of valid UTF-8: what the model's length limits count.
std::size_t utf8_length(std::string_view text);

}  // namespace stator
