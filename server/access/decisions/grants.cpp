#include "server/access/decisions/grants.h"

#include "server/access/decisions/request_facts.h"

namespace stator::access {

bool can_compare(const Directory& directory, std::string_view against) {
  return against == kOwnPolicies || directory.managed.find(against) != directory.managed.end() ||
         directory.find(against) != nullptr;
}

std::optional<Grant> grant_of(const Directory& directory, const std::string& principal,
                              std::string_view against, Timestamp now) {
  const Identity* const identity = directory.find(principal);
  if (identity == nullptr) return std::nullopt;
  Grant grant;
  grant.principal = identity->principal;
  add_identity_keys(grant.context, *identity, now);
  if (const auto managed = directory.managed.find(against); managed != directory.managed.end()) {
    grant.policies.push_back(managed->second);
    return grant;
  }
  const Identity* const other = against == kOwnPolicies ? identity : directory.find(against);
  if (other == nullptr) return std::nullopt;
  grant.policies = other->identity;
  grant.is_in_force = other == identity;
  return grant;
}

}  // namespace stator::access
