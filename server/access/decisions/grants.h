// What policies of the access file grant, for comparisons with what was used.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/seams/clock.h"
#include "server/access/advisor/comparison.h"
#include "server/access/principals/directory.h"

namespace stator::access {

// Compares each principal with its own policies.
inline constexpr std::string_view kOwnPolicies = "own";

// Whether `against` is kOwnPolicies, or the ARN of a managed policy or of a principal in the file.
bool can_compare(const Directory& directory, std::string_view against);

// The policies that `against` names, as if `principal` had them. Empty if the file no longer has
// such a principal. REQUIRES: can_compare().
std::optional<Grant> grant_of(const Directory& directory, const std::string& principal,
                              std::string_view against, Timestamp now);

}  // namespace stator::access
