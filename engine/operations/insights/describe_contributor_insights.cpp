// DescribeContributorInsights.

#include "engine/operations/define.h"
#include "engine/operations/insights/contributor_insights.h"
#include "engine/tables/table_definition.h"
#include "protocol/model/shapes.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

struct DescribeContributorInsights {
  static constexpr std::string_view name = "DescribeContributorInsights";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view table_name;
    std::string_view index_name;  // empty for the table itself
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(parse_table_request(body, model::kDescribeContributorInsightsInput, call));
    return call.arena.make<Request>(call.table_name, string_member(body, "IndexName").value_or(""));
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(const InsightsTarget of,
               find_insighted(request.table_name, request.index_name, snapshot, call));
    const auto& insights = of.insights();
    JsonWriter out(call.reply);
    out.begin_object();
    write_insighted_names(out, of);
    write_insights_state(out, insights, snapshot.now());
    if (insights) {
      out.key("ContributorInsightsRuleList");
      out.begin_array();
      if (!insights->is_disabled(snapshot.now())) {
        for (const std::string& rule : insights_rules(of, *insights)) out.string(rule);
      }
      out.end_array();
      out.key("LastUpdateDateTime");
      out.timestamp_ms(insights->changed.unix_ms());
    }
    out.end_object();
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table_name, .index = request.index_name});
  }
};

}  // namespace

Operation describe_contributor_insights_row() { return define<DescribeContributorInsights>(); }

}  // namespace stator
