#include "engine/pages/read_plan.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/pages/page_walk.h"
#include "protocol/errors/rule.h"
#include "protocol/service/common_errors.h"
#include "protocol/service/wording.h"

namespace stator {
namespace {

// Segments are ranges of the upper 12 bits of a position in scan order; if there are more segments
// than that allows, of all its bits.
constexpr std::uint64_t kCoarseSegmentsMax = 1U << 12;

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

// The attributes that records lack, each once, in the order of the paths.
std::string names_not_carried(const ReadTarget& target, std::span<const expr::Path> paths) {
  std::vector<std::string_view> missing;
  for (const expr::Path& path : paths) {
    const std::string_view name = path.front().name;
    if (target.carries(name)) continue;
    if (std::find(missing.begin(), missing.end(), name) == missing.end()) missing.push_back(name);
  }
  std::string names;
  for (const std::string_view name : missing) names.append(names.empty() ? "" : ", ").append(name);
  return names;
}

struct FilterWeight {
  std::size_t conditions = 0;
  std::size_t operands = 0;
  std::size_t candidates_max = 0;  // operands of one IN
};

void weigh(const expr::Condition& condition, FilterWeight& weight) {
  for (const expr::Condition* child : condition.children) weigh(*child, weight);
  if (!condition.children.empty()) return;
  const std::size_t count =
      condition.call != nullptr ? condition.call->operands.size() : condition.operands.size();
  ++weight.conditions;
  weight.operands += count;
  if (condition.kind == expr::Condition::Kind::In)
    weight.candidates_max = std::max(weight.candidates_max, count - 1);
}

}  // namespace

std::size_t unlimited_operands(const expr::Condition* filter) {
  if (filter == nullptr) return 0;
  FilterWeight weight;
  weigh(*filter, weight);
  const bool is_unlimited =
      weight.conditions > expr::kOperatorsMax || weight.candidates_max > expr::kInOperandsMax;
  return is_unlimited ? weight.operands : 0;
}

std::uint32_t Segment::border(std::uint64_t of) const {
  const std::uint64_t places =
      total <= kCoarseSegmentsMax ? kCoarseSegmentsMax : capacity::kHashesEnd;
  const std::uint64_t place = (places * of + total - 1) / total;
  return static_cast<std::uint32_t>(place * (capacity::kHashesEnd / places));
}

std::span<const expr::Path> paths_of(const expr::Condition* condition, Arena& arena) {
  if (condition == nullptr) return {};
  std::vector<expr::Path> paths;
  collect_paths(*condition, paths);
  return arena.copy(std::span<const expr::Path>(paths));
}

Result<void> check_selected(const ReadTarget& target, const ReadPlan& plan) {
  if (target.global == nullptr) return {};
  const std::string& index = target.global->name;
  if (plan.select == Select::AllAttributes && !target.carries_all()) {
    return invalid_parameter(
        "Select type ALL_ATTRIBUTES is not supported for global secondary index " + index +
        " because its projection type is not ALL");
  }
  if (plan.projection == nullptr) return {};
  const std::string names = names_not_carried(target, plan.projection->paths);
  if (names.empty()) return {};
  return invalid_parameter("Global secondary index " + index + " does not project [" + names + "]");
}

Result<void> check_filter_carried(const ReadTarget& target, const QueryPlan& plan) {
  if (!target.is_index() || needs_table_items(target, plan.read)) return {};
  const std::string names =
      names_not_carried(target, plan.needed_paths.value_or(plan.read.filter_paths));
  if (names.empty()) return {};
  const std::string& index = target.name();
  const std::string printed = "[" + names + "]";
  return invalid_parameter("Secondary index " + index +
                           " does not project one or more filter attributes: " + printed)
      .with_rule(Rule::FilterInIndex, {index, printed});
}

bool needs_table_items(const ReadTarget& target, const ReadPlan& plan) {
  if (target.local == nullptr) return false;
  if (plan.select == Select::AllAttributes) return !target.carries_all();
  if (plan.projection == nullptr) return false;
  const auto& paths = plan.projection->paths;
  return std::any_of(paths.begin(), paths.end(),
                     [&](const expr::Path& path) { return !target.carries(path.front().name); });
}

}  // namespace stator
