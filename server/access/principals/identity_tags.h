// Tags of identities by their keys.
#pragma once

#include <string_view>

#include "server/access/principals/directory.h"

namespace stator::access {

// Where the tag with this key is, end() if there is none. Keys that differ only in case are one.
Tags::const_iterator find_tag(const Tags& tags, std::string_view key);

}  // namespace stator::access
