// Text in XML that this server writes.
#pragma once

#include <string>
#include <string_view>

namespace stator {

// The text as an element's content. Control characters, which XML 1.0 does not have, become
// question marks, and so do the bytes beyond ASCII of what is not UTF-8.
std::string xml_text(std::string_view text);

}  // namespace stator
