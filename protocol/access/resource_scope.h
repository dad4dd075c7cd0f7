// For which actions the policy of a table or stream counts.
#pragma once

#include <cstdint>
#include <string_view>

namespace stator::access {

enum class ResourceScope : std::uint8_t {
  Nothing,     // the action cannot be granted by the policy of a resource
  OwnAccount,  // only to principals of the resource's account
  AllAccounts,
};

// `action` is in lower case. Actions of other services count everywhere.
ResourceScope resource_scope(std::string_view action);

}  // namespace stator::access
