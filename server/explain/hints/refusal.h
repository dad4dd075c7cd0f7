// Refusals: which rule a request broke, and which part of it. Computed on demand.
#pragma once

#include <string>

#include "server/explain/requests/recent_requests.h"

namespace stator {

// Members are empty if unknown.
struct Refusal {
  std::string rule;       // the rule in words
  std::string attribute;  // an attribute, a member of the request or a placeholder
  std::string expected;
  std::string given;
};

// The refusal of a failed request. If its error names no rule, the error's message is the rule.
Refusal read_refusal(const RecentRequest& request);

}  // namespace stator
