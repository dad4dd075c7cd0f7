// ListContributorInsights: tables and global indexes with contributor insights, in the order of
// names, a page at a time.

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/catalog/catalog.h"
#include "engine/operations/define.h"
#include "engine/operations/insights/contributor_insights.h"
#include "engine/tables/table_definition.h"
#include "protocol/model/shapes.h"
#include "protocol/service/limits.h"
#include "protocol/shapes/shape.h"
#include "protocol/text/base64.h"

namespace stator {
namespace {

// Never part of a name.
constexpr char kBetweenNames = '/';

// The names of a table and of an index, which is empty for the table itself.
using Place = std::pair<std::string_view, std::string_view>;

Place place_of(const InsightsTarget& of) {
  return {of.table->name, of.index != nullptr ? std::string_view(of.index->name) : ""};
}

// Our own wording: none is recorded.
Error invalid_token() { return Error::validation("Invalid NextToken"); }

Result<Place> read_token(std::string_view text, Arena& arena) {
  if (text.empty() || check_base64(text) != Base64Error::None) return invalid_token();
  const std::string_view names = decode_base64(text, arena);
  const std::size_t between = names.find(kBetweenNames);
  if (between == 0 || between == std::string_view::npos) return invalid_token();
  return Place{names.substr(0, between), names.substr(between + 1)};
}

std::string write_token(const Place& place) {
  std::string text;
  append_base64(text, std::string(place.first) + kBetweenNames + std::string(place.second));
  return text;
}

struct ListContributorInsights {
  static constexpr std::string_view name = "ListContributorInsights";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view table_name;  // empty for all tables
    Place behind;
    std::size_t count_max;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kListContributorInsightsInput));
    STATOR_CHECK(check_constraints(body, model::kListContributorInsightsInput, call.wording));
    call.table_name = string_member(body, "TableName").value_or("");
    Place behind;
    if (const auto token = string_member(body, "NextToken")) {
      STATOR_TRY(behind, read_token(*token, call.arena));
    }
    // The model has no minimum: a value below one counts as absent.
    std::int64_t count_max =
        integer_member(body, "MaxResults").value_or(limits::kListContributorInsightsPageMax);
    if (count_max < 1) count_max = limits::kListContributorInsightsPageMax;
    return call.arena.make<Request>(call.table_name, behind, static_cast<std::size_t>(count_max));
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    std::vector<InsightsTarget> found;  // one more than the page has, if any
    const std::size_t wanted = request.count_max + 1;
    if (!request.table_name.empty()) {
      STATOR_TRY(const Table* table, snapshot.control_table(call, request.table_name));
      add(*table, snapshot.now(), request.behind, found);
    } else {
      const Catalog::Names& names = snapshot.catalog().tables(scope_of(call, call.arena));
      const std::string_view begun = request.behind.first;
      // The token's table may have further indexes.
      const auto* table = begun.empty() ? nullptr : names.find(begun);
      if (table != nullptr) add(**table, snapshot.now(), request.behind, found);
      const auto* next = begun.empty() ? names.first() : names.after(begun);
      for (; next != nullptr && found.size() < wanted; next = names.after(next->key))
        add(*next->value, snapshot.now(), request.behind, found);
    }
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("ContributorInsightsSummaries");
    out.begin_array();
    const std::size_t count = std::min(found.size(), request.count_max);
    for (std::size_t i = 0; i < count; ++i) {
      out.begin_object();
      write_insighted_names(out, found[i]);
      write_insights_state(out, found[i].insights(), snapshot.now());
      out.end_object();
    }
    out.end_array();
    if (found.size() > count)
      out.member("NextToken", std::string_view(write_token(place_of(found[count - 1]))));
    out.end_object();
    return {};
  }

  // Adds the table and its indexes after the position, if they have insights.
  static void add(const Table& table, Timestamp now, const Place& behind,
                  std::vector<InsightsTarget>& found) {
    if (table.status(now) == TableStatus::Gone) return;
    std::vector<InsightsTarget> all{{&table, nullptr}};
    for (const GlobalIndex& index : table.global_indexes) {
      if (index.status(now) != TableStatus::Gone) all.push_back({&table, &index});
    }
    std::sort(all.begin(), all.end(), [](const InsightsTarget& a, const InsightsTarget& b) {
      return place_of(a) < place_of(b);
    });
    for (const InsightsTarget& of : all) {
      const auto& insights = of.insights();
      if (insights && !insights->is_disabled(now) && behind < place_of(of)) found.push_back(of);
    }
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table_name, .reach = Reach::AllTables});
  }
};

}  // namespace

Operation list_contributor_insights_row() { return define<ListContributorInsights>(); }

}  // namespace stator
