// Advised policies as text for tools that deploy them. Account, Region and partition of tables
// become the tool's own, so that the text fits every stage.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "server/access/advisor/advised_policy.h"

namespace stator::access {

enum class PolicyFormat : std::uint8_t { Json, Terraform, Cdk, Sam };

// "terraform"; empty if there is none of this name.
std::optional<PolicyFormat> policy_format_of(std::string_view name);
std::string_view policy_format_name(PolicyFormat format);

// REQUIRES: `format` is not Json.
std::string policies_text(std::span<const AdvisedPolicy> policies, PolicyFormat format);

}  // namespace stator::access
