// PutResourcePolicy. The order of the checks is conformance/observed/policies.md 2.

#include "engine/operations/define.h"
#include "engine/operations/policies/policy_target.h"
#include "engine/state/mutation.h"
#include "protocol/model/shapes.h"
#include "protocol/policy/policy_document.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

struct PutResourcePolicy {
  static constexpr std::string_view name = "PutResourcePolicy";
  static constexpr Layer layer = Layer::Classic;
  // ConfirmRemoveSelfResourceAccess is for access control, which knows the caller
  // (server/dispatch/access_steps.cpp).
  struct Request {
    PolicyTarget target;
    std::string_view policy;  // in its stored form
    std::optional<std::string_view> expected_revision_id;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kPutResourcePolicyInput));
    STATOR_CHECK(check_constraints(body, model::kPutResourcePolicyInput, call.wording));
    STATOR_TRY(const PolicyTarget target, parse_policy_target(body, call));
    STATOR_TRY(const std::string policy,
               stored_policy(*string_member(body, "Policy"), target.owner()));
    return call.arena.make<Request>(target, call.arena.copy(policy),
                                    string_member(body, "ExpectedRevisionId"));
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    STATOR_TRY(const Table* table, policy_table(request.target, snapshot, call));
    const auto& before = policy_of(*table, request.target);
    STATOR_CHECK(check_expected_revision(request.expected_revision_id, before, request.target));
    if (before && before->document == request.policy) {
      write_revision(call, before->revision_ms);
      return {};
    }
    STATOR_CHECK(check_not_deleting(*table, snapshot.now()));
    STATOR_CHECK(check_settled(request.target, before, call, snapshot.now()));
    ResourcePolicy policy = changed_policy(before, request.policy, call, snapshot.now());
    write_revision(call, policy.revision_ms);
    Table changed = *table;
    policy_of(changed, request.target) = std::move(policy);
    mutation.put_table(std::move(changed));
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.target.arn});
  }
};

}  // namespace

Operation put_resource_policy_row() { return define<PutResourcePolicy>(); }

}  // namespace stator
