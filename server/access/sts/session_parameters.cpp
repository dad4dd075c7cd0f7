#include "server/access/sts/session_parameters.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "engine/seams/iso_time.h"

namespace stator::access {

namespace {

constexpr std::int64_t kDurationMin_s = 900;
constexpr std::size_t kPlainPolicyCharsMax = 2'048;
constexpr std::size_t kPolicyArnsMax = 10;
constexpr std::size_t kNameCharsMin = 2;

}  // namespace

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_+=,.@-").find(c) != std::string_view::npos;
}

tl::unexpected<StsError> refused(std::string message, std::string_view code, std::uint16_t status) {
  return tl::unexpected<StsError>(StsError{status, code, std::move(message)});
}

tl::unexpected<StsError> broken_constraint(std::string_view value, std::string_view member,
                                           std::string_view rule) {
  std::string message("1 validation error detected: Value '");
  message.append(value).append("' at '").append(member);
  message.append("' failed to satisfy constraint: ").append(rule);
  return refused(std::move(message));
}

tl::unexpected<StsError> denied(const Identity& identity, std::string_view action,
                                std::string_view resource) {
  std::string message("User: ");
  message.append(identity.principal.arn).append(" is not authorized to perform: ");
  message.append(action).append(" on resource: ").append(resource);
  return refused(std::move(message), "AccessDenied", 403);
}

Outcome<std::int64_t> duration_in(const StsForm& form, std::int64_t standard, std::int64_t max) {
  if (!form.has("DurationSeconds")) return standard;
  const std::string_view text = form.text("DurationSeconds");
  std::int64_t seconds = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size())
    return broken_constraint(text, "durationSeconds", "Member must be a number");
  if (seconds < kDurationMin_s)
    return broken_constraint(text, "durationSeconds",
                             "Member must have value greater than or equal to 900");
  if (seconds > max)
    return broken_constraint(text, "durationSeconds",
                             "Member must have value less than or equal to " + std::to_string(max));
  return seconds;
}

Outcome<std::string> checked_name(std::string_view name, const NameRule& rule) {
  if (!std::all_of(name.begin(), name.end(), is_name_char))
    return broken_constraint(name, rule.member,
                             "Member must satisfy regular expression pattern: [\\w+=,.@-]*");
  if (name.size() < kNameCharsMin)
    return broken_constraint(name, rule.member,
                             "Member must have length greater than or equal to 2");
  if (name.size() > rule.chars_max)
    return broken_constraint(
        name, rule.member,
        "Member must have length less than or equal to " + std::to_string(rule.chars_max));
  return std::string(name);
}

Outcome<std::string> name_in(const StsForm& form, const NameRule& rule) {
  return checked_name(form.text(rule.parameter), rule);
}

std::string member_name(std::string_view list, std::size_t number, std::string_view member) {
  std::string name(list);
  name.append(".member.").append(std::to_string(number));
  if (!member.empty()) name.append(".").append(member);
  return name;
}

Outcome<std::vector<Policy>> policies_in(const StsForm& form, const Directory& directory) {
  std::vector<Policy> policies;
  if (const std::string_view text = form.text("Policy"); !text.empty()) {
    if (text.size() > kPlainPolicyCharsMax)
      return broken_constraint(text, "policy",
                               "Member must have length less than or equal to 2048");
    auto compiled = compile_policy(text, PolicyKind::Identity);
    if (!compiled) return refused(compiled.error().text, "MalformedPolicyDocument");
    policies.push_back(*std::move(compiled));
  }
  for (std::size_t i = 1; form.has(member_name("PolicyArns", i, "arn")); ++i) {
    const std::string_view arn = form.text(member_name("PolicyArns", i, "arn"));
    if (i > kPolicyArnsMax)
      return broken_constraint(arn, "policyArns",
                               "Member must have length less than or equal to 10");
    const auto known = directory.managed.find(arn);
    if (known == directory.managed.end())
      return refused("the access file has no managed policy " + std::string(arn),
                     "MalformedPolicyDocument");
    policies.push_back(known->second);
  }
  return policies;
}

std::string credentials_xml(const NewSession& made) {
  constexpr std::size_t kSecondChars = 19;
  std::string out("<Credentials>");
  out.append(xml_elements(
      {{"AccessKeyId", made.access_key},
       {"SecretAccessKey", made.credential.secret},
       {"SessionToken", made.credential.token},
       {"Expiration", iso_extended(*made.credential.expires).substr(0, kSecondChars) + "Z"}}));
  return out.append("</Credentials>");
}

std::string source_identity_xml(const NewSession& made) {
  const std::string& source = made.credential.identity->source_identity;
  return source.empty() ? "" : xml_elements({{"SourceIdentity", source}});
}

std::string packed_policy_size(const StsForm& form) {
  return form.has("Policy") || form.has("Tags.member.1.Key") ? "1" : "0";
}

}  // namespace stator::access
