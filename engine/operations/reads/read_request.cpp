#include "engine/operations/reads/read_request.h"

#include <string>

#include "protocol/expression/evaluation/condition.h"
#include "protocol/expression/evaluation/key_condition.h"
#include "protocol/expression/evaluation/projection.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

Select default_select(const JsonNode& body, bool has_projection) {
  if (has_projection) return Select::Specific;
  return body.find("IndexName") != nullptr ? Select::AllProjected : Select::AllAttributes;
}

// The name of a Select value in the error that another member excludes it.
std::string_view choice_text(std::string_view select) {
  return select == "COUNT" ? "only the Count" : select;
}

std::string_view to_text(Select select) {
  switch (select) {
    case Select::AllProjected:
      return "ALL_PROJECTED_ATTRIBUTES";
    case Select::Specific:
      return "SPECIFIC_ATTRIBUTES";
    case Select::Count:
      return "COUNT";
    case Select::AllAttributes:
      break;
  }
  return "ALL_ATTRIBUTES";
}

}  // namespace

ReadPlan read_common_members(const JsonNode& body, Call& call) {
  call.table_name = *string_member(body, "TableName");
  call.consistent_read = boolean_member(body, "ConsistentRead").value_or(false);
  ReadPlan plan;
  plan.index_name = string_member(body, "IndexName");
  if (const auto limit = integer_member(body, "Limit"))
    plan.limit = static_cast<std::size_t>(*limit);
  plan.is_consistent = call.consistent_read;
  return plan;
}

Result<void> parse_filter_and_projection(const JsonNode& body, expr::Placeholders& placeholders,
                                         ReadPlan& plan, Wording wording, Arena& arena) {
  if (const auto text = string_member(body, "FilterExpression")) {
    STATOR_TRY(plan.filter,
               expr::parse_condition(*text, "FilterExpression", placeholders, wording, arena));
  }
  if (const auto text = string_member(body, "ProjectionExpression")) {
    STATOR_TRY(plan.projection, expr::parse_projection(*text, placeholders, wording, arena));
  }
  return {};
}

Result<void> check_placeholders_wanted(const JsonNode& body, Wording wording) {
  const bool may_use_values = body.has("KeyConditionExpression") || body.has("FilterExpression");
  return expr::Placeholders::check_wanted(
      body, may_use_values || body.has("ProjectionExpression"),
      may_use_values ? "" : "FilterExpression and KeyConditionExpression are null", wording);
}

Result<const expr::Condition*> parse_read_expressions(const JsonNode& body, ReadPlan& plan,
                                                      Wording wording, Arena& arena,
                                                      expr::ExpressionCache* cache) {
  STATOR_TRY(auto placeholders, expr::Placeholders::read(body, wording, arena, cache));
  const expr::Condition* key_condition = nullptr;
  if (const auto text = string_member(body, "KeyConditionExpression")) {
    STATOR_TRY(key_condition, expr::parse_key_condition(*text, placeholders, wording, arena));
  }
  STATOR_CHECK(parse_filter_and_projection(body, placeholders, plan, wording, arena));
  STATOR_CHECK(placeholders.check_all_used(wording));
  return key_condition;
}

Result<Select> parse_select(const JsonNode& body, bool is_query, Wording wording) {
  const bool has_names = body.find("AttributesToGet") != nullptr;
  const bool has_projection = has_names || body.find("ProjectionExpression") != nullptr;
  const auto select = string_member(body, "Select");
  if (!select) return default_select(body, has_projection);
  bool has_prefix = is_query && wording.is_new();
  const auto refuse = [&](std::string_view text) {
    return Error::validation(std::string(text))
        .within(has_prefix ? kOneValidationError : std::string_view());
  };
  if (*select == "SPECIFIC_ATTRIBUTES") {
    if (has_projection) return Select::Specific;
    has_prefix = has_prefix || wording.profile == Profile::Next;
    return refuse(
        "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
        "SPECIFIC_ATTRIBUTES");
  }
  if (has_projection) {
    return refuse(std::string("Cannot specify the ")
                      .append(has_names ? "AttributesToGet" : "ProjectionExpression")
                      .append(" when choosing to get ")
                      .append(choice_text(*select)));
  }
  if (*select == "COUNT") return Select::Count;
  if (*select == "ALL_ATTRIBUTES") return Select::AllAttributes;
  if (body.find("IndexName") != nullptr) return Select::AllProjected;
  return refuse("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName");
}

Resource touched_page(std::string_view table_name, const ReadPlan& plan,
                      ReturnConsumedCapacity return_consumed_capacity) {
  return {.table = table_name,
          .index = plan.index_name.value_or(""),
          .condition = plan.filter,
          .projection = plan.projection,
          .select = to_text(plan.select),
          .return_consumed_capacity = to_text(return_consumed_capacity)};
}

}  // namespace stator
