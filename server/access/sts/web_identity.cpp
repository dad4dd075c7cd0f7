#include "server/access/sts/web_identity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "engine/seams/iso_time.h"
#include "protocol/access/evaluation.h"
#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "protocol/text/base64.h"
#include "server/access/sts/session_parameters.h"
#include "server/access/sts/session_tags.h"
#include "server/http/header_text.h"

namespace stator::access {

namespace {

using Kind = JsonNode::Kind;

constexpr std::int64_t kWebDurationMax_s = 43'200;
constexpr std::int64_t kWebDuration_s = 3'600;
constexpr NameRule kWebSessionName{"RoleSessionName", "roleSessionName", 64};

// Providers that trust policies name as they are; others have an ARN in the account.
constexpr std::array<std::string_view, 4> kKnownProviders{"accounts.google.com",
                                                          "cognito-identity.amazonaws.com",
                                                          "graph.facebook.com", "www.amazon.com"};

// What a token says about its holder.
struct Claims {
  std::string issuer;  // without its scheme
  std::string subject;
  std::string audience;
  std::vector<std::string> methods = {};  // amr
  std::optional<std::int64_t> expires_s = {};
  std::string source_identity = {};
  Tags tags = {};
  std::vector<std::string> transitive_tags = {};
};

tl::unexpected<StsError> invalid_token(std::string message) {
  return refused(std::move(message), "InvalidIdentityToken");
}

std::string text_of(const JsonNode& object, std::string_view name) {
  const JsonNode* const member = object.find(name);
  if (member == nullptr || member->kind() != Kind::String) return {};
  return std::string(member->text());
}

// The strings of a list, or a string by itself.
std::vector<std::string> texts_of(const JsonNode& object, std::string_view name) {
  std::vector<std::string> texts;
  const JsonNode* const member = object.find(name);
  if (member == nullptr) return texts;
  if (member->kind() == Kind::String) texts.emplace_back(member->text());
  if (member->kind() != Kind::Array) return texts;
  for (const JsonNode& element : member->elements()) {
    if (element.kind() == Kind::String) texts.emplace_back(element.text());
  }
  return texts;
}

// The bytes of a part of the token, in the alphabet of URLs and without padding; empty if it is
// none.
std::string decoded_part(std::string_view part) {
  std::string text(part);
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  while (text.size() % 4 != 0) text += '=';
  if (check_base64(text) != Base64Error::None) return {};
  Arena arena;
  return std::string(decode_base64(text, arena));
}

// {"principal_tags":{"tenant":["a"]},"transitive_tag_keys":["tenant"]}
Outcome<void> read_tags(const JsonNode& payload, Claims& claims) {
  const JsonNode* const object = payload.find("https://aws.amazon.com/tags");
  if (object == nullptr || object->kind() != Kind::Object) return {};
  claims.transitive_tags = texts_of(*object, "transitive_tag_keys");
  const JsonNode* const tags = object->find("principal_tags");
  if (tags == nullptr || tags->kind() != Kind::Object) return {};
  for (const JsonMember& tag : tags->members()) {
    const JsonNode* value = &tag.value;
    const bool is_single = value->kind() == Kind::Array && value->elements().size() == 1;
    if (is_single) value = &value->elements()[0];
    if (value->kind() != Kind::String)
      return invalid_token("The token has not one text for the tag " + std::string(tag.name));
    claims.tags.emplace_back(tag.name, value->text());
  }
  return {};
}

Outcome<Claims> read_token(std::string_view token) {
  const auto no_token = [] {
    return invalid_token(
        "The ID Token provided is not a valid JWT. (You may see this error if you "
        "sent an Access Token)");
  };
  std::string_view rest = token;
  next_part(rest, '.');
  std::string json = decoded_part(next_part(rest, '.'));
  const std::string whole = json;
  Arena arena;
  json.reserve(json.size() + kJsonSpareBytes);
  const auto payload = read_json(json, arena);
  if (whole.empty() || !payload || payload->kind() != Kind::Object) return no_token();
  Claims claims;
  claims.issuer = text_of(*payload, "iss");
  constexpr std::string_view kScheme = "https://";
  if (claims.issuer.starts_with(kScheme)) claims.issuer.erase(0, kScheme.size());
  claims.subject = text_of(*payload, "sub");
  const auto audiences = texts_of(*payload, "aud");
  if (!audiences.empty()) claims.audience = audiences.front();
  if (claims.issuer.empty() || claims.subject.empty()) return no_token();
  claims.methods = texts_of(*payload, "amr");
  if (const JsonNode* const end = payload->find("exp"); end != nullptr) {
    std::int64_t seconds = 0;
    const std::string_view text = end->text();
    std::from_chars(text.data(), text.data() + text.size(), seconds);
    claims.expires_s = seconds;
  }
  claims.source_identity = text_of(*payload, "https://aws.amazon.com/source_identity");
  if (auto read = read_tags(*payload, claims); !read)
    return tl::unexpected(std::move(read).error());
  return claims;
}

Principal provider_of(const Claims& claims, const std::string& account) {
  Principal provider;
  provider.kind = PrincipalKind::WebIdentity;
  provider.account = account;
  const bool is_known = std::find(kKnownProviders.begin(), kKnownProviders.end(), claims.issuer) !=
                        kKnownProviders.end();
  if (!is_known) provider.arn.append("arn:aws:iam::").append(account).append(":oidc-provider/");
  provider.arn.append(claims.issuer);
  return provider;
}

bool is_trusted(const Role& role, const Claims& claims, const SessionDraft& draft,
                std::string_view action) {
  if (!role.trust) return false;
  RequestContext context;
  for (const auto& [key, value] : draft.context) context.set(key, value);
  if (!claims.methods.empty()) context.set_list(claims.issuer + ":amr", claims.methods);
  context.set("sts:RoleSessionName", draft.name);
  if (!draft.source_identity.empty()) context.set("sts:SourceIdentity", draft.source_identity);
  add_request_tags(context, draft.tags);
  const Principal& owner = role.identity->principal;
  Policies policies;
  policies.resource = {&*role.trust};
  return evaluate(provider_of(claims, owner.account), policies,
                  {action, owner.arn, owner.account, context})
      .is_allowed();
}

Outcome<SessionDraft> draft_of(AccessControl& access, const StsForm& form, const Claims& claims) {
  SessionDraft draft;
  draft.issued = access.clock().now();
  auto name = name_in(form, kWebSessionName);
  if (!name) return tl::unexpected(std::move(name).error());
  draft.name = *std::move(name);
  draft.tags = claims.tags;
  draft.transitive_tags = claims.transitive_tags;
  if (auto checked = check_session_tags(draft.tags, draft.transitive_tags); !checked)
    return tl::unexpected(std::move(checked).error());
  auto policies = policies_in(form, *access.directory());
  if (!policies) return tl::unexpected(std::move(policies).error());
  draft.policies = *std::move(policies);
  if (!claims.source_identity.empty()) {
    auto source = checked_name(claims.source_identity, kSourceIdentity);
    if (!source) return tl::unexpected(std::move(source).error());
    draft.source_identity = *std::move(source);
  }
  draft.context.emplace_back(claims.issuer + ":sub", claims.subject);
  if (!claims.audience.empty()) draft.context.emplace_back(claims.issuer + ":aud", claims.audience);
  return draft;
}

}  // namespace

Outcome<std::string> assume_role_with_web_identity(AccessControl& access, const StsForm& form) {
  const auto directory = access.directory();
  const bool is_accepted = access.mode() == AuthMode::Audit || directory->trusts_web_identity;
  if (!is_accepted)
    return invalid_token(
        "This server verifies no tokens; \"webIdentity\": \"trust\" in its access file accepts "
        "them as they are");
  const auto seconds = duration_in(form, kWebDuration_s, kWebDurationMax_s);
  if (!seconds) return tl::unexpected(seconds.error());
  const auto claims = read_token(form.text("WebIdentityToken"));
  if (!claims) return tl::unexpected(claims.error());
  auto draft = draft_of(access, form, *claims);
  if (!draft) return tl::unexpected(std::move(draft).error());
  if (claims->expires_s && *claims->expires_s <= draft->issued.unix_s())
    return refused("Token expired: current date/time must be before the expiration date/time",
                   "ExpiredTokenException");

  const std::string arn(form.text("RoleArn"));
  const auto role = directory->roles.find(arn);
  for (const auto& [action, is_used] :
       {std::pair<std::string_view, bool>{"sts:AssumeRoleWithWebIdentity", true},
        {"sts:TagSession", !draft->tags.empty()},
        {"sts:SetSourceIdentity", !draft->source_identity.empty()}}) {
    const bool is_fine = !is_used || (role != directory->roles.end() &&
                                      is_trusted(role->second, *claims, *draft, action));
    if (!is_fine && (access.mode() != AuthMode::Audit || role == directory->roles.end()))
      return refused("Not authorized to perform " + std::string(action), "AccessDenied", 403);
  }
  const Timestamp expires = draft->issued.plus(std::chrono::seconds(*seconds));
  const auto made = access.begin_session({arn, *std::move(draft), expires});
  if (!made)
    return refused("Not authorized to perform sts:AssumeRoleWithWebIdentity", "AccessDenied", 403);
  const Identity& session = *made->credential.identity;
  std::string out = credentials_xml(*made);
  out.append("<AssumedRoleUser>");
  out.append(xml_elements({{"AssumedRoleId", session.id}, {"Arn", session.principal.arn}}));
  out.append("</AssumedRoleUser>");
  out.append(source_identity_xml(*made));
  return out.append(xml_elements({{"SubjectFromWebIdentityToken", claims->subject},
                                  {"Audience", claims->audience},
                                  {"Provider", provider_of(*claims, session.principal.account).arn},
                                  {"PackedPolicySize", packed_policy_size(form)}}));
}

}  // namespace stator::access
