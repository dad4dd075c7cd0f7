// Parameters and answers that the calls of STS which begin sessions share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "server/access/principals/directory.h"
#include "server/access/principals/sessions.h"
#include "server/access/sts/assume_role.h"
#include "server/access/sts/sts_xml.h"

namespace stator::access {

template <class T>
using Outcome = tl::expected<T, StsError>;

tl::unexpected<StsError> refused(std::string message, std::string_view code = "ValidationError",
                                 std::uint16_t status = 400);
// "1 validation error detected: Value 'x' at 'member' failed to satisfy constraint: rule"
tl::unexpected<StsError> broken_constraint(std::string_view value, std::string_view member,
                                           std::string_view rule);
// "User: … is not authorized to perform: …"
tl::unexpected<StsError> denied(const Identity& identity, std::string_view action,
                                std::string_view resource);

Outcome<std::int64_t> duration_in(const StsForm& form, std::int64_t standard, std::int64_t max);

// A letter or digit of ASCII, or one of _+=,.@-
bool is_name_char(char c);

// A name of a session, or a source identity, of two characters or more.
struct NameRule {
  std::string_view parameter;  // "RoleSessionName"
  std::string_view member;     // "roleSessionName", as errors have it
  std::size_t chars_max;
};
inline constexpr NameRule kSourceIdentity{"SourceIdentity", "sourceIdentity", 64};
Outcome<std::string> checked_name(std::string_view name, const NameRule& rule);
Outcome<std::string> name_in(const StsForm& form, const NameRule& rule);

// "Tags.member.1.Key"
std::string member_name(std::string_view list, std::size_t number, std::string_view member = {});
// Policy and PolicyArns.
Outcome<std::vector<Policy>> policies_in(const StsForm& form, const Directory& directory);

// <Credentials>…
std::string credentials_xml(const NewSession& made);
// <SourceIdentity>, of a session that has one; else nothing.
std::string source_identity_xml(const NewSession& made);
// The part of the policies' space that is used, in percent.
std::string packed_policy_size(const StsForm& form);

}  // namespace stator::access
