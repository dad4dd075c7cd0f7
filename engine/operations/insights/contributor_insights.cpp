#include "engine/operations/insights/contributor_insights.h"

#include "engine/tables/table_state.h"
#include "protocol/service/common_errors.h"

namespace stator {
namespace {

// A rule's name has up to 128 characters; its prefix and the milliseconds take 46.
constexpr std::size_t kNameCharsMax = 82;

}  // namespace

Result<InsightsTarget> find_insighted(std::string_view table_name, std::string_view index_name,
                                      const Snapshot& snapshot, Call& call) {
  const Timestamp now = snapshot.now();
  STATOR_TRY(const Table* table, snapshot.control_table(call, table_name));
  if (table->status(now) == TableStatus::Creating) return table_not_found(table->name);
  if (index_name.empty()) return InsightsTarget{table, nullptr};
  const GlobalIndex* index = table->find_global_index(index_name, now);
  if (index != nullptr) return InsightsTarget{table, index};
  return resource_not_found("Index: " + std::string(index_name) +
                            " not found for table: " + table->name);
}

std::string_view insights_status(const std::optional<ContributorInsights>& insights,
                                 Timestamp now) {
  if (!insights || insights->is_disabled(now)) return "DISABLED";
  if (now < insights->changing_until) return insights->is_enabled ? "ENABLING" : "DISABLING";
  return "ENABLED";
}

void write_insighted_names(JsonWriter& out, const InsightsTarget& of) {
  out.member("TableName", std::string_view(of.table->name));
  if (of.index != nullptr) out.member("IndexName", std::string_view(of.index->name));
}

void write_insights_state(JsonWriter& out, const std::optional<ContributorInsights>& insights,
                          Timestamp now) {
  out.member("ContributorInsightsStatus", insights_status(insights, now));
  if (insights) out.member("ContributorInsightsMode", to_text(insights->mode));
}

std::vector<std::string> insights_rules(const InsightsTarget& of,
                                        const ContributorInsights& insights) {
  std::string name = of.table->name;
  if (of.index != nullptr) name += "-" + of.index->name;
  if (name.size() > kNameCharsMax) name.resize(kNameCharsMax);
  const bool has_sort_key =
      of.index != nullptr ? !of.index->sort_keys.empty() : of.table->sort_key.has_value();
  const bool has_accessed = insights.mode == ContributorInsightsMode::AccessedAndThrottledKeys;
  std::vector<std::string> rules;
  const auto add = [&](std::string_view kind) {
    rules.push_back("DynamoDBContributorInsights-" + std::string(kind) + "-" + name + "-" +
                    std::to_string(insights.changed.unix_ms()));
  };
  if (has_accessed) add("PKC");
  if (has_accessed && has_sort_key) add("SKC");
  add("PKT");
  if (has_sort_key) add("SKT");
  return rules;
}

}  // namespace stator
