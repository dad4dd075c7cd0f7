#include "engine/operations/reads/read_request.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "engine/operations/request_members.h"
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

void collect_paths(std::span<const expr::Operand> operands, std::vector<expr::Path>& paths) {
  for (const expr::Operand& operand : operands) {
    if (operand.kind == expr::Operand::Kind::Attribute) paths.push_back(operand.path);
    if (operand.call != nullptr) collect_paths(operand.call->operands, paths);
  }
}

void collect_paths(const expr::Condition& condition, std::vector<expr::Path>& paths) {
  for (const expr::Condition* child : condition.children) collect_paths(*child, paths);
  collect_paths(condition.operands, paths);
  if (condition.call != nullptr) collect_paths(condition.call->operands, paths);
}

}  // namespace

ReadRequest read_common_members(const JsonNode& body, Call& call) {
  call.table_name = *string_member(body, "TableName");
  call.consistent_read = boolean_member(body, "ConsistentRead").value_or(false);
  ReadRequest request{};
  request.table_name = call.table_name;
  request.index_name = string_member(body, "IndexName");
  const auto limit = integer_member(body, "Limit");
  request.limit =
      limit ? static_cast<std::size_t>(*limit) : std::numeric_limits<std::size_t>::max();
  request.is_consistent = call.consistent_read;
  request.return_consumed_capacity = parse_return_consumed_capacity(body);
  return request;
}

Result<void> parse_filter_and_projection(const JsonNode& body, expr::Placeholders& placeholders,
                                         ReadRequest& request, Call& call) {
  if (const auto text = string_member(body, "FilterExpression")) {
    STATOR_TRY(request.filter, expr::parse_condition(*text, "FilterExpression", placeholders,
                                                     call.wording, call.arena));
  }
  if (const auto text = string_member(body, "ProjectionExpression")) {
    STATOR_TRY(request.projection,
               expr::parse_projection(*text, placeholders, call.wording, call.arena));
  }
  return {};
}

Result<Select> parse_select(const JsonNode& body, bool is_query, Wording wording) {
  const bool has_names = body.find("AttributesToGet") != nullptr;
  const bool has_projection = has_names || body.find("ProjectionExpression") != nullptr;
  const auto select = string_member(body, "Select");
  if (!select) return default_select(body, has_projection);
  if (*select == "SPECIFIC_ATTRIBUTES") {
    if (has_projection) return Select::Specific;
    std::string text(is_query && wording.is_new() ? kOneValidationError : std::string_view());
    return Error::validation(
        text.append("Must specify the AttributesToGet or ProjectionExpression when choosing to "
                    "get SPECIFIC_ATTRIBUTES"));
  }
  if (has_projection) {
    return Error::validation(std::string("Cannot specify the ")
                                 .append(has_names ? "AttributesToGet" : "ProjectionExpression")
                                 .append(" when choosing to get ")
                                 .append(choice_text(*select)));
  }
  if (*select == "COUNT") return Select::Count;
  if (*select == "ALL_ATTRIBUTES") return Select::AllAttributes;
  if (body.find("IndexName") != nullptr) return Select::AllProjected;
  return Error::validation(
      "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName");
}

std::span<const expr::Path> paths_of(const expr::Condition* condition, Arena& arena) {
  if (condition == nullptr) return {};
  std::vector<expr::Path> paths;
  collect_paths(*condition, paths);
  return arena.copy(std::span<const expr::Path>(paths));
}

Result<void> check_selected(const ReadTarget& target, const ReadRequest& request) {
  if (target.global == nullptr) return {};
  const std::string& index = target.global->name;
  if (request.select == Select::AllAttributes && !target.carries_all()) {
    return Error::validation(std::string(kInvalidParameter) +
                             "Select type ALL_ATTRIBUTES is not supported for global secondary "
                             "index " +
                             index + " because its projection type is not ALL");
  }
  if (request.projection == nullptr) return {};
  std::vector<std::string_view> missing;
  for (const expr::Path& path : request.projection->paths) {
    const std::string_view name = path.front().name;
    if (target.carries(name)) continue;
    if (std::find(missing.begin(), missing.end(), name) == missing.end()) missing.push_back(name);
  }
  if (missing.empty()) return {};
  std::string names;
  for (const std::string_view name : missing) names.append(names.empty() ? "" : ", ").append(name);
  return Error::validation(std::string(kInvalidParameter) + "Global secondary index " + index +
                           " does not project [" + names + "]");
}

bool needs_table_items(const ReadTarget& target, const ReadRequest& request) {
  if (target.local == nullptr) return false;
  if (request.select == Select::AllAttributes) return !target.carries_all();
  if (request.projection == nullptr) return false;
  const auto& paths = request.projection->paths;
  return std::any_of(paths.begin(), paths.end(),
                     [&](const expr::Path& path) { return !target.carries(path.front().name); });
}

}  // namespace stator
