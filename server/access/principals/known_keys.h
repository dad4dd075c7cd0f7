// The condition keys that requests can have here.
#pragma once

#include <string_view>

namespace stator::access {

// `key` in lower case. Keys of federations come from sessions, so all of their names are known.
bool is_known_key(std::string_view key);

// Whether requests have a list for this key, in any case.
bool is_list_key(std::string_view key);

}  // namespace stator::access
