// Compares the permissions that were used with those that policies grant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/access/evaluation.h"
#include "protocol/access/policy.h"

namespace stator {
class JsonWriter;
}

namespace stator::access {

// Policies of identities, and who has them: variables in resources have the values of `context`.
struct Grant {
  std::vector<Policy> policies;
  Principal principal;
  RequestContext context;
  bool is_in_force = false;  // so that what was denied is not granted, whatever the reason
};

struct ComparedUse {
  std::string_view action;
  std::string_view resource;
  bool is_denied;  // at least once
};

// Writes {"unused":[…],"not_granted":[…],"only_by_wildcard":[…]}: elements of statements that no
// use needed; uses that no statement allows; actions that a pattern alone allows. The values of
// conditions are not compared, because they differ from call to call; a Deny with conditions is no
// denial here.
void write_comparison(JsonWriter& json, const Grant& grant, std::span<const ComparedUse> uses);

}  // namespace stator::access
