#include "server/access/sts/assume_role.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "protocol/access/evaluation.h"
#include "server/access/decisions/request_facts.h"
#include "server/access/sts/session_parameters.h"
#include "server/access/sts/session_tags.h"
#include "server/log/log.h"

namespace stator::access {

namespace {

constexpr std::int64_t kRoleDurationMax_s = 43'200;
constexpr std::int64_t kRoleDuration_s = 3'600;
constexpr std::int64_t kChainedDurationMax_s = 3'600;
constexpr NameRule kRoleSessionName{"RoleSessionName", "roleSessionName", 64};

// Asks for a draft of a session. Tags of the caller's session that are transitive go along.
struct Assumption {
  AccessControl& access;
  const StsForm& form;
  const HttpRequest& request;
  const Identity& caller;
  const Role& role;
  std::string_view region;
};

RequestContext context_of(const Assumption& asked, const SessionDraft& draft) {
  RequestContext context;
  add_global_keys(context, asked.caller, asked.request, asked.region, draft.issued);
  context.set("sts:RoleSessionName", draft.name);
  if (asked.form.has("ExternalId")) context.set("sts:ExternalId", asked.form.text("ExternalId"));
  if (!draft.source_identity.empty()) context.set("sts:SourceIdentity", draft.source_identity);
  add_request_tags(context, draft.tags);
  if (!draft.transitive_tags.empty())
    context.set_list("sts:TransitiveTagKeys", draft.transitive_tags);
  return context;
}

const Policy& whole_permission() {
  static const Policy kPolicy = *compile_policy(
      R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"*","Resource":"*"}})",
      PolicyKind::Identity);
  return kPolicy;
}

// Whether the trust policy itself allows the caller, or the caller's account, the action: as asked
// from another account, where the caller's own policies never do instead.
bool trusts(const Role& role, const Identity& caller, const AccessRequest& request) {
  if (!role.trust) return false;
  Policies policies;
  policies.identity = {&whole_permission()};
  policies.resource = {&*role.trust};
  return evaluate(caller.principal, policies,
                  {request.action, request.resource, /*account=*/"", request.context})
      .is_allowed();
}

// Whether the role's trust policy, and the caller's own policies where the former names the account
// alone, allow the action.
Outcome<void> check_trust(const Assumption& asked, const SessionDraft& draft,
                          std::string_view action) {
  const RequestContext context = context_of(asked, draft);
  const Principal& owner = asked.role.identity->principal;
  Policies policies = policies_of(asked.caller);
  if (asked.role.trust) policies.resource.push_back(&*asked.role.trust);
  const AccessRequest request{action, owner.arn, owner.account, context};
  // A role decides who assumes it. The own policies of a caller take no place of its trust.
  const bool is_allowed = evaluate(asked.caller.principal, policies, request).is_allowed() &&
                          trusts(asked.role, asked.caller, request);
  const bool is_new_denial = asked.access.advisor().note(asked.caller, action, owner.arn, context,
                                                         is_allowed, draft.issued);
  if (is_allowed) return {};
  if (asked.access.enforces()) return denied(asked.caller, action, owner.arn);
  if (is_new_denial) {
    std::string line("access: ");
    line.append(asked.caller.principal.arn).append(" would be denied ").append(action);
    log::warn(line.append(" on ").append(owner.arn));
  }
  return {};
}

// The source identity of the session. The first session of a chain says it; further ones keep it.
Outcome<std::string> source_identity_of(const Assumption& asked) {
  const std::string& before = asked.caller.source_identity;
  if (!asked.form.has(kSourceIdentity.parameter)) return before;
  auto sent = name_in(asked.form, kSourceIdentity);
  if (sent && !before.empty() && *sent != before)
    return denied(asked.caller, "sts:SetSourceIdentity", asked.role.identity->principal.arn);
  return sent;
}

Outcome<SessionDraft> draft_of(const Assumption& asked) {
  SessionDraft draft;
  draft.issued = asked.access.clock().now();
  auto name = name_in(asked.form, kRoleSessionName);
  if (!name) return tl::unexpected(std::move(name).error());
  draft.name = *std::move(name);
  draft.tags = tags_in(asked.form);
  draft.transitive_tags = transitive_keys_in(asked.form);
  if (auto checked = check_session_tags(draft.tags, draft.transitive_tags); !checked)
    return tl::unexpected(std::move(checked).error());
  auto policies = policies_in(asked.form, *asked.access.directory());
  if (!policies) return tl::unexpected(std::move(policies).error());
  draft.policies = *std::move(policies);
  auto source = source_identity_of(asked);
  if (!source) return tl::unexpected(std::move(source).error());
  draft.source_identity = *std::move(source);
  return draft;
}

}  // namespace

Outcome<std::string> assume_role(AccessControl& access, const StsForm& form,
                                 const HttpRequest& request, const Identity& identity,
                                 std::string_view region) {
  const std::string arn(form.text("RoleArn"));
  const auto directory = access.directory();
  const auto role = directory->roles.find(arn);
  const bool is_root = identity.principal.kind == PrincipalKind::Root;
  if (is_root && access.enforces())
    return refused("Roles may not be assumed by root accounts.", "AccessDenied", 403);
  const auto seconds = duration_in(form, kRoleDuration_s, kRoleDurationMax_s);
  if (!seconds) return tl::unexpected(seconds.error());
  if (identity.principal.kind == PrincipalKind::AssumedRole && *seconds > kChainedDurationMax_s)
    return refused(
        "The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role "
        "chaining");
  if (role == directory->roles.end()) return denied(identity, "sts:AssumeRole", arn);

  const Assumption asked{access, form, request, identity, role->second, region};
  auto draft = draft_of(asked);
  if (!draft) return tl::unexpected(std::move(draft).error());
  if (access.evaluates()) {
    for (const auto& [action, is_used] :
         {std::pair<std::string_view, bool>{"sts:AssumeRole", true},
          {"sts:TagSession", !draft->tags.empty()},
          {"sts:SetSourceIdentity", !draft->source_identity.empty()}}) {
      if (!is_used) continue;
      if (auto trusted = check_trust(asked, *draft, action); !trusted)
        return tl::unexpected(std::move(trusted).error());
    }
  }
  inherit_tags(identity, *draft);
  const Timestamp expires = draft->issued.plus(std::chrono::seconds(*seconds));
  const auto made = access.begin_session({arn, *std::move(draft), expires});
  if (!made) return denied(identity, "sts:AssumeRole", arn);
  std::string out = credentials_xml(*made);
  out.append("<AssumedRoleUser>");
  out.append(xml_elements({{"AssumedRoleId", made->credential.identity->id},
                           {"Arn", made->credential.identity->principal.arn}}));
  out.append("</AssumedRoleUser>");
  return out.append(xml_elements({{"PackedPolicySize", packed_policy_size(form)}}))
      .append(source_identity_xml(*made));
}

}  // namespace stator::access
