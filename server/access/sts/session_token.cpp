// The calls of STS that users make for themselves: GetSessionToken and GetFederationToken.
#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "protocol/access/evaluation.h"
#include "server/access/decisions/request_facts.h"
#include "server/access/sts/session_parameters.h"
#include "server/access/sts/session_tags.h"

namespace stator::access {

namespace {

constexpr std::int64_t kTokenDurationMax_s = 129'600;
constexpr std::int64_t kTokenDuration_s = 43'200;
constexpr std::int64_t kRootTokenDuration_s = 3'600;
constexpr NameRule kFederatedName{"Name", "name", 32};

bool is_of_session(const Identity& identity) {
  return identity.is_session() || identity.principal.kind == PrincipalKind::AssumedRole;
}

// Root's sessions end after an hour, whatever it asks for.
Outcome<std::int64_t> token_seconds(const StsForm& form, const Identity& identity) {
  const bool is_root = identity.principal.kind == PrincipalKind::Root;
  auto seconds =
      duration_in(form, is_root ? kRootTokenDuration_s : kTokenDuration_s, kTokenDurationMax_s);
  if (seconds && is_root) *seconds = std::min(*seconds, kRootTokenDuration_s);
  return seconds;
}

// Whether the user's own policies allow the action; notes it.
bool may_federate(AccessControl& access, const Identity& identity, const RequestContext& context,
                  std::string_view action, std::string_view resource, Timestamp now) {
  const Decision decision = evaluate(identity.principal, policies_of(identity),
                                     {action, resource, identity.principal.account, context});
  access.advisor().note(identity, action, resource, context, decision.is_allowed(), now);
  return decision.is_allowed() || !access.enforces();
}

}  // namespace

Outcome<std::string> session_token(AccessControl& access, const StsForm& form,
                                   const Identity& identity) {
  if (is_of_session(identity))
    return refused("Cannot call GetSessionToken with session credentials", "AccessDenied", 403);
  const auto seconds = token_seconds(form, identity);
  if (!seconds) return tl::unexpected(seconds.error());
  SessionRequest request{identity.principal.arn, {}, {}};
  request.draft.issued = access.clock().now();
  request.expires = request.draft.issued.plus(std::chrono::seconds(*seconds));
  const auto made = access.begin_session(std::move(request));
  if (!made) return denied(identity, "sts:GetSessionToken", identity.principal.arn);
  return credentials_xml(*made);
}

Outcome<std::string> federation_token(AccessControl& access, const StsForm& form,
                                      const HttpRequest& request, const Identity& identity,
                                      std::string_view region) {
  if (is_of_session(identity))
    return refused("Cannot call GetFederationToken with session credentials", "AccessDenied", 403);
  const auto seconds = token_seconds(form, identity);
  if (!seconds) return tl::unexpected(seconds.error());
  SessionRequest asked{identity.principal.arn, {}, {}, /*is_federated=*/true};
  SessionDraft& draft = asked.draft;
  draft.issued = access.clock().now();
  asked.expires = draft.issued.plus(std::chrono::seconds(*seconds));
  auto name = name_in(form, kFederatedName);
  if (!name) return tl::unexpected(std::move(name).error());
  draft.name = *std::move(name);
  draft.tags = tags_in(form);
  if (auto checked = check_session_tags(draft.tags, {}); !checked)
    return tl::unexpected(std::move(checked).error());
  auto policies = policies_in(form, *access.directory());
  if (!policies) return tl::unexpected(std::move(policies).error());
  draft.policies = *std::move(policies);

  const std::string arn = federated_arn(identity.principal.account, draft.name);
  if (access.evaluates()) {
    RequestContext context;
    add_global_keys(context, identity, request, region, draft.issued);
    add_request_tags(context, draft.tags);
    for (const auto& [action, is_used] :
         {std::pair<std::string_view, bool>{"sts:GetFederationToken", true},
          {"sts:TagSession", !draft.tags.empty()}}) {
      if (is_used && !may_federate(access, identity, context, action, arn, draft.issued))
        return denied(identity, action, arn);
    }
  }
  const auto made = access.begin_session(std::move(asked));
  if (!made) return denied(identity, "sts:GetFederationToken", arn);
  std::string out = credentials_xml(*made);
  out.append("<FederatedUser>");
  out.append(xml_elements({{"FederatedUserId", made->credential.identity->id}, {"Arn", arn}}));
  return out.append("</FederatedUser>")
      .append(xml_elements({{"PackedPolicySize", packed_policy_size(form)}}));
}

}  // namespace stator::access
