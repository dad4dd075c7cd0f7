// Denials of requests that were sent, explained statement by statement.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "server/access/recent_denials.h"

namespace stator::access {

struct DenialQuery {
  std::string principal = {};   // ARN of the sender, or of a session's role; empty: all
  std::string request_id = {};  // empty: all
  std::size_t limit = RecentDenials::kDenialsMax;
};

// {"count":1,"denials":[{"time":…,"request_id":…,"principal":…,"action":…,"resource":…,
// "context":{…},"decision":"denied","reason":…,"message":…,"statements":[…]}]}, the newest first.
// By the policies and the condition keys of then. A key whose value could not be known is null.
std::string denials_json(const RecentDenials& denials, const DenialQuery& query);
// {"count":1,"text":…}: the same for people.
std::string denials_text(const RecentDenials& denials, const DenialQuery& query);

}  // namespace stator::access
