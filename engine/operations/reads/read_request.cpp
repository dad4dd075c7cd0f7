#include "engine/operations/reads/read_request.h"

#include <string>

#include "protocol/expression/condition.h"
#include "protocol/expression/projection.h"
#include "protocol/shape.h"

namespace stator {
namespace {

Select default_select(const JsonNode& body, bool has_projection) {
  if (has_projection) return Select::Specific;
  return body.find("IndexName") != nullptr ? Select::AllProjected : Select::AllAttributes;
}

// What Select is called where another member does not go with it.
std::string_view choice_text(std::string_view select) {
  return select == "COUNT" ? "only the Count" : select;
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
                                         ReadPlan& plan, Call& call) {
  if (const auto text = string_member(body, "FilterExpression")) {
    STATOR_TRY(plan.filter, expr::parse_condition(*text, "FilterExpression", placeholders,
                                                  call.wording, call.arena));
  }
  if (const auto text = string_member(body, "ProjectionExpression")) {
    STATOR_TRY(plan.projection,
               expr::parse_projection(*text, placeholders, call.wording, call.arena));
  }
  return {};
}

Result<Select> parse_select(const JsonNode& body, bool is_query, Wording wording) {
  const bool has_names = body.find("AttributesToGet") != nullptr;
  const bool has_projection = has_names || body.find("ProjectionExpression") != nullptr;
  const auto select = string_member(body, "Select");
  if (!select) return default_select(body, has_projection);
  const auto refuse = [&](std::string_view text) {
    const bool has_prefix = is_query && wording.is_new();
    return Error::validation(
        std::string(has_prefix ? kOneValidationError : std::string_view()).append(text));
  };
  if (*select == "SPECIFIC_ATTRIBUTES") {
    if (has_projection) return Select::Specific;
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

void read_resources(std::string_view table_name, const ReadPlan& plan, Resources& touched) {
  touched.push_back({.table = table_name, .index = plan.index_name.value_or("")});
}

}  // namespace stator
