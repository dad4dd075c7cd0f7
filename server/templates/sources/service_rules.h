// The service's rules for a new table, which a template can break before anything is made.
#pragma once

#include <optional>
#include <string>

namespace stator::templates {

// What CreateTable says against this body, whatever tables exist, in its own words; empty if
// nothing.
std::optional<std::string> refusal_of(std::string create_body);

}  // namespace stator::templates
