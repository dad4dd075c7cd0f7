// JSON of which only the beginning was kept.
#pragma once

#include <string>
#include <string_view>

namespace stator {

// What of the text is whole, with every object and array closed that was open where it ends: a
// member or an element that was cut is left out. Of what is no JSON, some text.
std::string closed_json(std::string_view beginning);

}  // namespace stator
