// Values and keys as people read them: in log lines, hints, and what the commands print. The one
// place for this form.
#pragma once

#include <cstddef>
#include <string>

#include "protocol/values/value.h"

namespace stator {

// A number's digits; "text" in quotes, escaped; B and Base64 for binary; true; null; another value
// as the wire's JSON. Cut with an ellipsis if it is longer than about `bytes_max` bytes; a number
// never is.
std::string shown_value(const Value& value, std::size_t bytes_max);

// A partition key: the only value, or a list of the values of several attributes. `is_cut` says
// that more bytes of the last one follow, or more values. Shows `2013`, or `2013, "Jürgen"`.
std::string shown_key(const Value& key, bool is_cut);

}  // namespace stator
