// Tags of sessions: those of a form or a token, and those that go along to further roles.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "server/access/sts/session_parameters.h"

namespace stator::access {

inline constexpr std::size_t kSessionTagsMax = 50;

// Tags.member.1.Key and so on. Nothing has checked them.
Tags tags_in(const StsForm& form);
// TransitiveTagKeys.member.1 and so on.
std::vector<std::string> transitive_keys_in(const StsForm& form);

// Refuses tags and transitive keys that no session may have, wherever they came from.
Outcome<void> check_session_tags(const Tags& tags, const std::vector<std::string>& transitive_keys);

// aws:RequestTag/K and aws:TagKeys.
void add_request_tags(RequestContext& context, const Tags& tags);

// The transitive tags of the caller's session take the place of those that the request has.
void inherit_tags(const Identity& caller, SessionDraft& draft);

}  // namespace stator::access
