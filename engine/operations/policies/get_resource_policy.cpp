// GetResourcePolicy.

#include "engine/operations/define.h"
#include "engine/operations/policies/policy_target.h"
#include "protocol/json/json_writer.h"
#include "protocol/model/shapes.h"
#include "protocol/policy/policy_document.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

struct GetResourcePolicy {
  static constexpr std::string_view name = "GetResourcePolicy";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    PolicyTarget target;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kGetResourcePolicyInput));
    STATOR_CHECK(check_constraints(body, model::kGetResourcePolicyInput, call.wording));
    STATOR_TRY(const PolicyTarget target, parse_policy_target(body, call));
    return call.arena.make<Request>(target);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(const Table* table, policy_table(request.target, snapshot, call));
    const auto& policy = policy_of(*table, request.target);
    const Timestamp now = snapshot.now();
    if (!policy || policy->document_at(now).empty()) return policy_not_found(request.target.arn);
    JsonWriter out(call.reply);
    out.begin_object();
    out.member("Policy", std::string_view(shown_policy(policy->document_at(now))));
    out.member("RevisionId", std::string_view(std::to_string(policy->revision_at(now))));
    out.end_object();
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.target.arn});
  }
};

}  // namespace

Operation get_resource_policy_row() { return define<GetResourcePolicy>(); }

}  // namespace stator
