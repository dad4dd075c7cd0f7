#include "server/access/decisions/request_facts.h"

#include <algorithm>
#include <string>

#include "engine/seams/iso_time.h"
#include "protocol/access/language/names.h"
#include "protocol/text/ascii_text.h"
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

// Sets a key if it is wanted; `value_of` makes its value.
template <class ValueOf>
void set_wanted(RequestContext& context, const WantedKeys& wanted, std::string_view name,
                const ValueOf& value_of) {
  if (wanted.has(name)) context.set(name, value_of());
}

constexpr std::string_view kPrincipalTag = "aws:PrincipalTag/";

}  // namespace

WantedKeys::WantedKeys(const Identity& identity) : is_all_(false) {
  for (const auto* list : {&identity.identity, &identity.boundary, &identity.session}) {
    for (const Policy& policy : *list) add(policy);
  }
}

void WantedKeys::add(const Policy& policy) {
  for (const std::string& key : policy.keys())
    heads_.push_back(std::string_view(key).substr(0, key.find('/')));
}

bool WantedKeys::has(std::string_view name) const {
  if (is_all_) return true;
  const std::string_view head = name.substr(0, name.find('/'));
  const bool is_listed = std::any_of(heads_.begin(), heads_.end(), [head](std::string_view wanted) {
    return is_same_key(wanted, head);
  });
  // Only letters of ASCII are compared without regard to case.
  return is_listed || !is_ascii(head);
}

void add_identity_keys(RequestContext& context, const Identity& identity, Timestamp now,
                       const WantedKeys& wanted) {
  const auto set = [&](std::string_view name, std::string_view value) {
    set_wanted(context, wanted, name, [value] { return value; });
  };
  set("aws:PrincipalArn", identity.principal_arn);
  set("aws:PrincipalAccount", identity.principal.account);
  set("aws:PrincipalType", type_name(identity.principal.kind));
  set("aws:userid", identity.id);
  if (!identity.name.empty()) set("aws:username", identity.name);
  if (wanted.has(kPrincipalTag)) {
    for (const auto& [name, value] : identity.tags)
      context.set(std::string(kPrincipalTag).append(name), value);
  }
  if (!identity.source_identity.empty()) set("aws:SourceIdentity", identity.source_identity);
  if (identity.is_session()) {
    set_wanted(context, wanted, "aws:TokenIssueTime",
               [&identity] { return second_text(*identity.issued); });
    set("aws:MultiFactorAuthPresent", "false");
  }
  for (const auto& [key, value] : identity.context) set(key, value);
  set_wanted(context, wanted, "aws:CurrentTime", [now] { return second_text(now); });
  set_wanted(context, wanted, "aws:EpochTime", [now] { return std::to_string(now.unix_s()); });
  set("aws:ViaAWSService", "false");
}

void add_global_keys(RequestContext& context, const Identity& identity, const HttpRequest& request,
                     std::string_view region, Timestamp now, const WantedKeys& wanted) {
  const auto set = [&](std::string_view name, std::string_view value) {
    set_wanted(context, wanted, name, [value] { return value; });
  };
  add_identity_keys(context, identity, now, wanted);
  const HttpRequest::Origin& origin = request.origin();
  if (!origin.address.empty()) set("aws:SourceIp", origin.address);
  set("aws:SecureTransport", origin.is_tls ? "true" : "false");
  set("aws:RequestedRegion", region);
  if (request.has(Header::UserAgent)) set("aws:UserAgent", request.header(Header::UserAgent));
  if (!wanted.has("aws:Referer")) return;
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
