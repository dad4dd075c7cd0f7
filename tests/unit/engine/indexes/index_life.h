// Bodies for adding and removing global indexes, and what DescribeTable tells of them.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "tests/cases/case_file.h"
#include "tests/unit/engine/harness/engine_harness.h"
#include "tests/unit/engine/harness/read_pages.h"

namespace stator::test {

constexpr std::chrono::seconds kPhase{10};

// Settings under which every phase lasts kPhase.
inline Settings with_phases() {
  Settings settings;
  settings.control_plane_delay = kPhase;
  return settings;
}

// UpdateTable of "Things": an index on the string attribute `g` that carries everything.
inline std::string create_index(std::string_view name) {
  return strict_json(
      "{TableName: Things, AttributeDefinitions: [{AttributeName: g, "
      "AttributeType: S}], GlobalSecondaryIndexUpdates: [{Create: {IndexName: " +
      std::string(name) +
      ", KeySchema: [{AttributeName: g, KeyType: HASH}], "
      "Projection: {ProjectionType: ALL}}}]}");
}
inline std::string delete_index(std::string_view name) {
  return strict_json("{TableName: Things, GlobalSecondaryIndexUpdates: [{Delete: {IndexName: " +
                     std::string(name) + "}}]}");
}

inline std::string put_things(std::string_view item) {
  return R"({"TableName":"Things","Item":)" + std::string(item) + "}";
}

// "UPDATING by_g:CREATING:false other:ACTIVE": states of a table and its global indexes, as
// described by DescribeTable, or in another answer.
inline std::string states_in(const Answer& answer) {
  Answer table;
  table.json =
      answer.member(answer.json.starts_with("{\"TableDescription") ? "TableDescription" : "Table");
  const auto text = [](const Answer& in, std::string_view name) {
    std::string quoted = in.member(name);
    std::erase(quoted, '"');
    return quoted;
  };
  std::string states = text(table, "TableStatus");
  for (const std::string& element : elements_of(table.member("GlobalSecondaryIndexes"))) {
    const Answer index{true, element, 0};
    states += " " + text(index, "IndexName") + ":" + text(index, "IndexStatus");
    if (const std::string backfilling = text(index, "Backfilling"); !backfilling.empty())
      states += ":" + backfilling;
  }
  return states;
}
inline std::string states(EngineHarness& engine) {
  return states_in(engine.call("DescribeTable", named("Things")));
}

// All items of an index, or of the table without a name, sorted.
inline std::vector<std::string> content(EngineHarness& engine, std::string_view index = {}) {
  std::string body = R"({"TableName":"Things")";
  if (!index.empty()) body += R"(,"IndexName":")" + std::string(index) + "\"";
  auto items = read_pages(engine, "Scan", body).items;
  std::sort(items.begin(), items.end());
  return items;
}

// Everything that is due, in small pieces.
inline void maintain_all(EngineHarness& engine, const PieceLimits& limits = {}) {
  while (engine.maintain(limits).is_due) {
  }
}

}  // namespace stator::test
