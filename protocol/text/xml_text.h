// Text in XML that this server writes.
#pragma once

#include <string>
#include <string_view>

namespace stator {

// The text as an element's content. Control characters, which XML 1.0 does not have, become
// question marks.
std::string xml_text(std::string_view text);

}  // namespace stator
