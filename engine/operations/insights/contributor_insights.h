// Contributor insights of one table or global index: finds the target of a request and writes its
// state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/call/call.h"
#include "engine/schema/table.h"
#include "engine/state/snapshot.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_writer.h"

namespace stator {

// A table, or one of its global indexes.
struct InsightsTarget {
  const Table* table = nullptr;
  const GlobalIndex* index = nullptr;  // nullptr for the table itself

  const std::optional<ContributorInsights>& insights() const {
    return index != nullptr ? index->insights : table->insights;
  }
};

// An empty index name means the table itself. Errors: ResourceNotFoundException for missing tables
// and indexes, and for tables that are being created.
Result<InsightsTarget> find_insighted(std::string_view table_name, std::string_view index_name,
                                      const Snapshot& snapshot, Call& call);

// ENABLING, ENABLED, DISABLING or DISABLED; empty if never changed.
std::string_view insights_status(const std::optional<ContributorInsights>& insights, Timestamp now);

// Writes TableName and, for an index, IndexName.
void write_insighted_names(JsonWriter& out, const InsightsTarget& of);
// Writes ContributorInsightsStatus, and ContributorInsightsMode if there is a mode: all members in
// lists and in responses to changes.
void write_insights_state(JsonWriter& out, const std::optional<ContributorInsights>& insights,
                          Timestamp now);

// Names of the rules: for the most requested keys (PKC: partition keys, SKC: whole keys) and the
// most throttled ones (PKT, SKT).
std::vector<std::string> insights_rules(const InsightsTarget& of,
                                        const ContributorInsights& insights);

}  // namespace stator
