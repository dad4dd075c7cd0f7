// UpdateContributorInsights.

#include <algorithm>

#include "engine/call/settings.h"
#include "engine/operations/define.h"
#include "engine/operations/insights/contributor_insights.h"
#include "engine/state/mutation.h"
#include "engine/tables/table_definition.h"
#include "engine/tables/table_state.h"
#include "protocol/model/shapes.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

using Mode = ContributorInsightsMode;

// The service's text is known for tables only.
Error invalid_index_state() {
  return Error::validation(
      "Table or Index is not in a valid state to update Key Access Insights: IndexStatus must be "
      "ACTIVE to enable ContributorInsights.");
}

struct UpdateContributorInsights {
  static constexpr std::string_view name = "UpdateContributorInsights";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view table_name;
    std::string_view index_name;  // empty for the table itself
    bool enables;
    std::string_view mode;  // empty if absent
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(parse_table_request(body, model::kUpdateContributorInsightsInput, call));
    return call.arena.make<Request>(call.table_name, string_member(body, "IndexName").value_or(""),
                                    *string_member(body, "ContributorInsightsAction") == "ENABLE",
                                    string_member(body, "ContributorInsightsMode").value_or(""));
  }

  // A setting that is already so stays unchanged.
  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    const Timestamp now = snapshot.now();
    STATOR_TRY(const InsightsTarget of,
               find_insighted(request.table_name, request.index_name, snapshot, call));
    STATOR_CHECK(check_changeable(*of.table, now));
    const bool is_index_ready = of.index == nullptr || of.index->is_active();
    if (request.enables && !is_index_ready) return invalid_index_state();
    const auto& before = of.insights();
    ContributorInsights wanted = before.value_or(ContributorInsights{});
    wanted.is_enabled = request.enables;
    if (request.enables) {
      wanted.mode = request.mode == to_text(Mode::ThrottledKeys) ? Mode::ThrottledKeys
                                                                 : Mode::AccessedAndThrottledKeys;
    }
    const bool is_change = before.has_value() ? before->is_enabled != wanted.is_enabled ||
                                                    (request.enables && before->mode != wanted.mode)
                                              : request.enables;
    if (is_change) {
      wanted.changed = now;
      wanted.changing_until = now.settled_after(call.settings->control_plane_delay);
      mutation.put_table(changed(of, wanted));
    }
    JsonWriter out(call.reply);
    out.begin_object();
    write_insighted_names(out, of);
    // The response shows a change in progress even if it takes no time.
    std::string_view status = insights_status(before, now);
    if (is_change) status = request.enables ? "ENABLING" : "DISABLING";
    out.member("ContributorInsightsStatus", status);
    if (before || is_change) out.member("ContributorInsightsMode", to_text(wanted.mode));
    out.end_object();
    return {};
  }

  static Table changed(const InsightsTarget& of, const ContributorInsights& wanted) {
    Table table = *of.table;
    if (of.index == nullptr) {
      table.insights = wanted;
      return table;
    }
    const auto index =
        std::find_if(table.global_indexes.begin(), table.global_indexes.end(),
                     [&](const GlobalIndex& one) { return one.space == of.index->space; });
    index->insights = wanted;
    return table;
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table_name, .index = request.index_name});
  }
};

}  // namespace

Operation update_contributor_insights_row() { return define<UpdateContributorInsights>(); }

}  // namespace stator
