#include "engine/operations/exports/export_filter.h"

#include <array>
#include <string_view>
#include <utility>

#include "engine/operations/reads/read_request.h"
#include "engine/pages/read_checks.h"
#include "engine/pages/read_target.h"
#include "protocol/errors/error.h"
#include "protocol/expression/evaluation/condition.h"
#include "protocol/expression/evaluation/key_condition.h"
#include "protocol/expression/evaluation/projection.h"
#include "protocol/json/json_node_text.h"
#include "protocol/json/json_reader.h"
#include "protocol/json/json_writer.h"

namespace stator {
namespace {

constexpr std::array<std::string_view, 5> kMembers{
    "FilterExpression", "ProjectionExpression", "KeyConditionExpression",
    "ExpressionAttributeNames", "ExpressionAttributeValues"};

}  // namespace

std::string export_filter_text(const JsonNode& specification) {
  std::string text;
  JsonWriter out(text);
  out.begin_object();
  for (const std::string_view name : kMembers) {
    const JsonNode* member = specification.find(name);
    if (member == nullptr) continue;
    std::string value;
    append_node_json(value, *member);
    out.key(name);
    out.raw(value);
  }
  out.end_object();
  return text;
}

Result<QueryPlan> parse_export_filter(const JsonNode& specification, Wording wording, Arena& arena,
                                      expr::ExpressionCache* cache) {
  STATOR_CHECK(check_placeholders_wanted(specification, wording));
  QueryPlan plan;
  STATOR_TRY(const expr::Condition* key_condition,
             parse_read_expressions(specification, plan.read, wording, arena, cache));
  plan.read.filter_paths = paths_of(plan.read.filter, arena);
  if (key_condition != nullptr) {
    STATOR_TRY(plan.conditions, expr::read_key_conditions(*key_condition, wording, arena));
  }
  return plan;
}

Result<std::optional<KeyRange>> fit_export_filter(const QueryPlan& plan, const Table& table,
                                                  Wording wording, Arena& arena) {
  ReadTarget target;
  target.table = &table;
  std::optional<KeyRange> range;
  if (plan.conditions.empty()) {
    STATOR_CHECK(check_paths(target, plan.read));
    return range;
  }
  STATOR_CHECK(check_old_count(plan.conditions, target.has_many_keys(), wording));
  STATOR_TRY(range, key_range(target, plan.conditions, wording, arena));
  STATOR_CHECK(check_paths(target, plan));
  return range;
}

Result<std::shared_ptr<const ExportFilter>> ExportFilter::read(std::string text,
                                                               const Table& table) {
  const auto filter = std::make_shared<ExportFilter>(std::move(text));
  const auto specification = read_json(filter->text_, filter->arena_);
  if (!specification || specification->kind() != JsonNode::Kind::Object)
    return Error(ErrorCode::InternalServerError, "the filter of an export cannot be read");
  STATOR_TRY(filter->plan_,
             parse_export_filter(*specification, Wording{}, filter->arena_, /*cache=*/nullptr));
  STATOR_TRY(filter->range_, fit_export_filter(filter->plan_, table, Wording{}, filter->arena_));
  return std::shared_ptr<const ExportFilter>(filter);
}

bool ExportFilter::has_key(const PrimaryKey& key) const {
  return !range_ || (key.partition == range_->partition && range_->contains(key.sort));
}

bool ExportFilter::matches(Item item) const {
  return plan_.read.filter == nullptr || expr::matches(*plan_.read.filter, item);
}

Item ExportFilter::projected(Item item, Arena& arena) const {
  if (plan_.read.projection == nullptr) return item;
  return expr::project(*plan_.read.projection, item, arena);
}

}  // namespace stator
