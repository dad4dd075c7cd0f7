// Resource policies: what PutResourcePolicy checks of a document, and the form in which the service
// stores and returns it (conformance/observed/policies.md 2 and 3).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/errors/result.h"

namespace stator {

// What a policy is attached to: that decides which actions and resources it may name.
enum class PolicyOwner : std::uint8_t { Table, Stream };

// The document in its stored form: documents that the service takes for the same have the same
// one. Minified, with all members in one order; without Version if the document names none. Error:
// the first rule that the document breaks.
Result<std::string> stored_policy(std::string_view document, PolicyOwner owner);

// The stored form as GetResourcePolicy returns it: always with a Version.
std::string shown_policy(std::string_view stored);

}  // namespace stator
