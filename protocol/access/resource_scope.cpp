#include "protocol/access/resource_scope.h"

#include <algorithm>
#include <array>

#include "protocol/policy/policy_names.h"

namespace stator::access {
namespace {

// What principals of other accounts may be granted, in lower case.
constexpr auto kSharedActions = std::to_array<std::string_view>({
    "batchgetitem",
    "batchwriteitem",
    "conditioncheckitem",
    "deleteitem",
    "deletetable",
    "describestream",
    "describetable",
    "getitem",
    "getrecords",
    "getsharditerator",
    "listtagsofresource",
    "putitem",
    "query",
    "scan",
    "searchvectors",
    "tagresource",
    "untagresource",
    "updateitem",
    "updatetable",
});

}  // namespace

ResourceScope resource_scope(std::string_view action) {
  constexpr std::string_view kService = "dynamodb:";
  if (!action.starts_with(kService)) return ResourceScope::AllAccounts;
  const std::string_view name = action.substr(kService.size());
  if (std::find(kSharedActions.begin(), kSharedActions.end(), name) != kSharedActions.end())
    return ResourceScope::AllAccounts;
  const bool is_named =
      is_policy_action(action, PolicyOwner::Table) || is_policy_action(action, PolicyOwner::Stream);
  return is_named ? ResourceScope::OwnAccount : ResourceScope::Nothing;
}

}  // namespace stator::access
