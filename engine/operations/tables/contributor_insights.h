// Contributor insights of one table or global index: finding what a request means, and what is
// told of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/call/call.h"
#include "engine/schema/table.h"
#include "engine/state/snapshot.h"
#include "protocol/json_writer.h"
#include "protocol/result.h"

namespace stator {

// A table, or one of its global indexes.
struct Insighted {
  const Table* table = nullptr;
  const GlobalIndex* index = nullptr;  // nullptr: the table itself

  const std::optional<ContributorInsights>& insights() const {
    return index != nullptr ? index->insights : table->insights;
  }
};

// An index's name is empty where the table itself is meant. Errors: ResourceNotFoundException for
// tables and indexes that are not there, and for tables that are being created.
Result<Insighted> find_insighted(std::string_view table_name, std::string_view index_name,
                                 const Snapshot& snapshot, Call& call);

// ENABLING, ENABLED, DISABLING or DISABLED; empty: never changed.
std::string_view insights_status(const std::optional<ContributorInsights>& insights, Timestamp now);

// TableName and, of an index, IndexName.
void write_insighted_names(JsonWriter& out, const Insighted& of);
// ContributorInsightsStatus, and ContributorInsightsMode when there is one; all of what is told of
// a table in a list, and of what was changed.
void write_insights_state(JsonWriter& out, const std::optional<ContributorInsights>& insights,
                          Timestamp now);

// Names of the rules: of the keys that are asked for most (PKC: partition keys, SKC: whole keys)
// and of those that are throttled most (PKT, SKT).
std::vector<std::string> insights_rules(const Insighted& of, const ContributorInsights& insights);

}  // namespace stator
