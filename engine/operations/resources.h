// Resources: the tables, indexes and items that a parsed request touches, as far as its text says.
// Whoever decides about requests before they run reads them.
#pragma once

#include <string_view>
#include <vector>

#include "protocol/value.h"

namespace stator {

// Views into the request.
struct Resource {
  std::string_view table;       // name or ARN, as the request has it
  std::string_view index = {};  // empty: the table itself
  // The attributes that hold the key of the one item meant, perhaps among others; empty: no item in
  // particular.
  Item key = {};
};

using Resources = std::vector<Resource>;

}  // namespace stator
