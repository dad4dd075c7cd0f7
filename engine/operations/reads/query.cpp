// Query: the items of one partition of a table or index, in the order of the sort key.

#include "engine/operations/define.h"
#include "engine/operations/reads/page_answer.h"
#include "engine/operations/reads/read_request.h"
#include "engine/operations/reads/start_key.h"
#include "engine/operations/request_members.h"
#include "engine/pages/key_range.h"
#include "protocol/errors/rule.h"
#include "protocol/expression/evaluation/key_condition.h"
#include "protocol/expression/legacy/legacy_conditions.h"
#include "protocol/expression/legacy/legacy_projection.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

struct Query {
  static constexpr std::string_view name = "Query";
  static constexpr Layer layer = Layer::Bare;

  using Request = PageRequest<QueryPlan>;

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    call.wording.omits_expression_size = call.wording.is_new();
    STATOR_CHECK(check_types(body, model::kQueryInput));
    STATOR_CHECK(check_constraints(body, model::kQueryInput, call.wording));
    QueryPlan plan;
    plan.read = read_common_members(body, call);
    STATOR_CHECK(check_members(body, call.wording));
    STATOR_TRY(plan.read.filter, expr::read_filter(body, "QueryFilter", call.wording, call.arena));
    plan.is_legacy_filter = plan.read.filter != nullptr;
    STATOR_TRY(plan.read.projection, expr::read_attributes_to_get(body, call.arena));
    STATOR_TRY(plan.read.start_key, read_start_key(body, call.wording, call.arena));
    if (body.find("KeyConditions") == nullptr && body.find("KeyConditionExpression") == nullptr) {
      return Error::validation(
                 "Either the KeyConditions or KeyConditionExpression parameter must be specified "
                 "in the request.")
          .with_rule(Rule::KeyConditionGiven);
    }
    STATOR_TRY(const expr::Condition* key_condition,
               parse_read_expressions(body, plan.read, call.wording, call.arena, call.expressions));
    plan.read.filter_paths = paths_of(plan.read.filter, call.arena);
    if (key_condition != nullptr) {
      STATOR_TRY(plan.conditions,
                 expr::read_key_conditions(*key_condition, call.wording, call.arena));
    } else {
      STATOR_TRY(plan.conditions, expr::read_key_conditions(body, call.wording, call.arena));
    }
    STATOR_TRY(plan.read.select, parse_select(body, /*is_query=*/true, call.wording));
    const bool is_forward = boolean_member(body, "ScanIndexForward").value_or(true);
    plan.direction = is_forward ? storage::Direction::Forward : storage::Direction::Backward;
    return call.arena.make<Request>(call.table_name, parse_return_consumed_capacity(body), plan);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    auto found = snapshot.item_table(call, request.table_name);
    if (!found) {
      STATOR_CHECK(check_old_count(request.plan.conditions, /*has_many_keys=*/false, call.wording));
    }
    STATOR_TRY(const Table* table, std::move(found));
    PageAnswer answer(request.plan.read, call);
    STATOR_TRY(const Page page, query_page(*table, request.plan, snapshot, call, answer));
    answer.finish(page, request.table_name, request.return_consumed_capacity);
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    Resource& page = touched.emplace_back(
        touched_page(request.table_name, request.plan.read, request.return_consumed_capacity));
    page.key_source = KeySource::KeyConditions;
    page.key_conditions = request.plan.conditions;
  }

 private:
  // Checks which members may be combined.
  static Result<void> check_members(const JsonNode& body, Wording wording) {
    const bool has_key_expression = body.find("KeyConditionExpression") != nullptr;
    // KeyConditions then counts as one of the legacy parameters.
    if (has_key_expression) {
      STATOR_CHECK(check_not_mixed(
          body, {"AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions"},
          {"ProjectionExpression", "FilterExpression", "KeyConditionExpression"}, wording));
    } else {
      STATOR_CHECK(check_not_mixed(body, {"AttributesToGet", "QueryFilter", "ConditionalOperator"},
                                   {"ProjectionExpression", "FilterExpression"}, wording));
    }
    return check_placeholders_wanted(body, wording);
  }
};

}  // namespace

Operation query_row() { return define<Query>(); }

}  // namespace stator
