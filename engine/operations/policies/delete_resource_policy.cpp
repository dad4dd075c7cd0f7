// DeleteResourcePolicy.

#include "engine/operations/define.h"
#include "engine/operations/policies/policy_target.h"
#include "engine/state/mutation.h"
#include "protocol/model/shapes.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

struct DeleteResourcePolicy {
  static constexpr std::string_view name = "DeleteResourcePolicy";
  static constexpr Layer layer = Layer::Classic;
  static constexpr bool only_frees_space = true;
  struct Request {
    PolicyTarget target;
    std::optional<std::string_view> expected_revision_id;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kDeleteResourcePolicyInput));
    STATOR_CHECK(check_constraints(body, model::kDeleteResourcePolicyInput, call.wording));
    STATOR_TRY(const PolicyTarget target, parse_policy_target(body, call));
    return call.arena.make<Request>(target, string_member(body, "ExpectedRevisionId"));
  }

  // Returns the revision of the policy that it removes; without a policy, that of the last
  // deletion.
  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    STATOR_TRY(const Table* table, policy_table(request.target, snapshot, call));
    const auto& before = policy_of(*table, request.target);
    STATOR_CHECK(check_expected_revision(request.expected_revision_id, before, request.target));
    STATOR_CHECK(check_not_deleting(*table, snapshot.now()));
    if (!before) {
      call.reply = "{}";
      return {};
    }
    if (before->is_attached()) {
      STATOR_CHECK(check_settled(request.target, before, call, snapshot.now()));
      Table changed = *table;
      policy_of(changed, request.target) = changed_policy(before, {}, call, snapshot.now());
      mutation.put_table(std::move(changed));
    }
    write_revision(call, before->revision_ms);
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.target.arn});
  }
};

}  // namespace

Operation delete_resource_policy_row() { return define<DeleteResourcePolicy>(); }

}  // namespace stator
