// Which headers of a request are stored, for its parser.
#pragma once

#include <optional>
#include <string_view>

#include <boost/beast/http/field.hpp>

#include "server/http/http_request.h"

namespace stator {

// Empty for one that is not stored. `field` is what Beast's own lookup found for the name.
std::optional<Header> find_header(boost::beast::http::field field, std::string_view name);

// Whether the name begins with X-Amz-.
bool is_amz_name(std::string_view name);

}  // namespace stator
