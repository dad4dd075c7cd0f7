#include "server/access/decisions/request_facts.h"

#include <string>

#include "engine/seams/iso_time.h"
#include "server/http/header_text.h"

namespace stator::access {

namespace {

std::string_view type_name(PrincipalKind kind) {
  switch (kind) {
    case PrincipalKind::Root:
      return "Account";
    case PrincipalKind::User:
      return "User";
    case PrincipalKind::AssumedRole:
    case PrincipalKind::WebIdentity:
      return "AssumedRole";
    case PrincipalKind::FederatedUser:
      return "FederatedUser";
  }
  return "Anonymous";
}

// "2027-01-01T00:00:00Z": policies compare whole seconds.
std::string second_text(Timestamp time) {
  constexpr std::size_t kSecondChars = 19;
  return iso_extended(time).substr(0, kSecondChars) + "Z";
}

void add_pointers(std::vector<const Policy*>& out, const std::vector<Policy>& policies) {
  for (const Policy& policy : policies) out.push_back(&policy);
}

}  // namespace

void add_identity_keys(RequestContext& context, const Identity& identity, Timestamp now) {
  context.set("aws:PrincipalArn", identity.principal_arn);
  context.set("aws:PrincipalAccount", identity.principal.account);
  context.set("aws:PrincipalType", type_name(identity.principal.kind));
  context.set("aws:userid", identity.id);
  if (!identity.name.empty()) context.set("aws:username", identity.name);
  for (const auto& [name, value] : identity.tags) {
    std::string key("aws:PrincipalTag/");
    context.set(key.append(name), value);
  }
  if (!identity.source_identity.empty())
    context.set("aws:SourceIdentity", identity.source_identity);
  if (identity.is_session()) {
    context.set("aws:TokenIssueTime", second_text(*identity.issued));
    context.set("aws:MultiFactorAuthPresent", "false");
  }
  for (const auto& [key, value] : identity.context) context.set(key, value);
  context.set("aws:CurrentTime", second_text(now));
  context.set("aws:EpochTime", std::to_string(now.unix_s()));
  context.set("aws:ViaAWSService", "false");
}

void add_global_keys(RequestContext& context, const Identity& identity, const HttpRequest& request,
                     std::string_view region, Timestamp now) {
  add_identity_keys(context, identity, now);
  const HttpRequest::Origin& origin = request.origin();
  if (!origin.address.empty()) context.set("aws:SourceIp", origin.address);
  context.set("aws:SecureTransport", origin.is_tls ? "true" : "false");
  context.set("aws:RequestedRegion", region);
  if (request.has(Header::UserAgent))
    context.set("aws:UserAgent", request.header(Header::UserAgent));
  request.for_each_field([&context](std::string_view name, std::string_view value) {
    constexpr std::string_view kReferer = "referer";
    if (name.size() == kReferer.size() && equals_ignoring_case(name, kReferer))
      context.set("aws:Referer", value);
  });
}

Policies policies_of(const Identity& identity) {
  Policies policies;
  add_pointers(policies.identity, identity.identity);
  add_pointers(policies.boundary, identity.boundary);
  add_pointers(policies.session, identity.session);
  return policies;
}

}  // namespace stator::access
