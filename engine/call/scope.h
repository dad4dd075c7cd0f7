// Scopes: which tables a request can use (Settings::isolation). A scope's text is empty, a Region,
// or an access key and a Region with a slash in between. Before it may stand an account with a
// slash (Settings::scope_prefix).
#pragma once

#include <string_view>

#include "engine/call/call.h"
#include "protocol/memory/arena.h"

namespace stator {

// The scope whose tables a call uses; lives in the call's arena or in its caller.
std::string_view scope_of(const Call& call, Arena& arena);
// The scope that the call's sender has in this Region; lives in the call's arena or in `region`.
std::string_view scope_in(std::string_view region, const Call& call, Arena& arena);

// The table's name: `name_or_arn` itself, or the name inside the ARN.
std::string_view table_name_of(std::string_view name_or_arn);

}  // namespace stator
