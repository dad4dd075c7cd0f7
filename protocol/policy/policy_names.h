// What the texts of a resource policy may name: actions, resources, principals and keys of
// conditions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "protocol/policy/policy_document.h"

namespace stator {

// Whether `text`, in any case, is `lower_word`.
bool is_same_word(std::string_view text, std::string_view lower_word);

// Whether a policy of this owner may name the action; in any case, with wildcards that match one.
bool is_policy_action(std::string_view action, PolicyOwner owner);

// What follows the account in an ARN; empty if the text is no ARN of DynamoDB. Any part may have
// wildcards.
std::optional<std::string_view> relative_id_of(std::string_view arn);
// Whether a policy of this owner may name a resource with this relative id.
bool is_policy_resource(std::string_view relative_id, PolicyOwner owner);

// Whether the text has the form of a principal of this type ("AWS", "Service", …). Which
// principals exist is not known here.
bool is_policy_principal(std::string_view type, std::string_view text);
// An account's number as the ARN of its root; other principals as they are.
std::string full_principal(std::string_view principal);

// Whether a condition with this operator and key, on values without wildcards, restricts who may
// call.
bool is_restricting_operator(std::string_view name);
bool is_restricting_key(std::string_view name);

}  // namespace stator
