// JSON for people.
#pragma once

#include <string>
#include <string_view>

namespace stator::templates {

// Breaks and indents valid JSON without white space, with a line break at the end. Objects and
// arrays without content stay together.
std::string indented_json(std::string_view json);

}  // namespace stator::templates
