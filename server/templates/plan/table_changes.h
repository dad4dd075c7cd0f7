// The comparison of a wanted table with that of an endpoint.
#pragma once

#include <string>
#include <vector>

#include "server/templates/plan/endpoint_table.h"

namespace stator::templates {

struct Change {
  std::string member;  // such as "GlobalSecondaryIndexes", or "ttl", "recovery", "insights"
  std::string text;    // for people: "+ by-mail (mail S; ALL)", "off -> expires"
  bool needs_replacement = false;
};

// What an update has to change, in the order of a CreateTable's members; empty if nothing differs.
// Warm throughput that the endpoint has already is no difference, nor is anything that the wanted
// table does not say (policy, recovery, insights) or that the endpoint does not know.
std::vector<Change> changes_of(const TableShape& wanted, const TableState& there);

// "pk S / sk N"
std::string keys_text(const std::vector<KeyShape>& keys);
// "mail S; INCLUDE a, b"
std::string index_text(const IndexShape& index);

// Whether the endpoint has less than the wanted warm throughput.
bool is_warmer(const std::optional<UnitsShape>& wanted, const std::optional<UnitsShape>& there);

bool is_recovery_changed(const TableShape& wanted, const TableShape& there);
bool is_kinesis_changed(const TableShape& wanted, const TableShape& there);
// The mode counts only while enabled, and if both sides say it.
bool is_insights_changed(const InsightsShape& wanted, const InsightsShape& there);

}  // namespace stator::templates
