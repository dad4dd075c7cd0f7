// CreateTable in a line, for tests that need some table:
//
//   Things (pk, sk:N), local by_la (la) KEYS_ONLY, global by_gh (gh+g2, gr:N) INCLUDE note {more}
//
// Attributes are strings unless a type is given; + joins several keys of one kind. Tables are
// billed on demand unless `more`, further members of the request, says otherwise.
#pragma once

#include <string>
#include <string_view>

namespace stator::test {

// The request as JSON. Throws std::runtime_error for text that is none of the above.
std::string create_table_request(std::string_view text);

}  // namespace stator::test
