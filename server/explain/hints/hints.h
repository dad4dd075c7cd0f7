// Hints: what a client should know about a request beyond its response, and how to correct it.
// Computed on demand, from the record of the request and the tables of that moment.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/table_view.h"
#include "engine/call/settings.h"
#include "protocol/json/json_tree.h"
#include "server/explain/hints/refusal.h"
#include "server/explain/hints/stream_waits.h"
#include "server/explain/requests/recent_requests.h"
#include "server/explain/requests/touched_items.h"

namespace stator {

// Limits of one request: hints, and bytes of each.
inline constexpr std::size_t kHintsOfRequestMax = 4;
inline constexpr std::size_t kHintBytesMax = 480;

// Input of the hint rules. Its views are valid during findings_of().
struct HintInput {
  const RecentRequest& request;
  const JsonNode* asked;  // the recorded part of the body, an object; nullptr if none
  bool is_asked_whole;
  const TableView& tables;
  const Settings& settings;
  Timestamp now;
  std::string_view scope;       // of the tables that the request could see
  std::string_view table_name;  // as the request named it; empty if none
  const Table* table;           // of that name; nullptr if none
  StreamWaits* waits;           // nullptr: unknown

  std::string_view text(RecentRequest::Part part) const { return request.text(part); }
  bool has_failed_with(std::string_view error) const {
    return text(RecentRequest::Part::Error) == error;
  }
  // A member of the body, or nullptr.
  const JsonNode* member(std::string_view name) const {
    return asked == nullptr ? nullptr : asked->find(name);
  }
};

// Adds hints if the rule applies.
using HintRule = void (*)(const HintInput& hinted, std::vector<std::string>& hints);

// The findings about a request.
struct Findings {
  std::optional<Refusal> refusal;  // of one that failed
  std::vector<std::string> hints;
  std::vector<TouchedItem> items = {};
};

// `waits` adds what only several requests show; nullptr leaves that out.
Findings findings_of(const RecentRequest& request, const Snapshot& snapshot,
                     const Settings& settings, StreamWaits* waits = nullptr);

// Completes read_refusal() with what depends on the request and its table.
Refusal refusal_of(const HintInput& hinted);

// The first key or item in a request that does not fit its table; no table if none is found.
struct GivenKey {
  const Table* table = nullptr;
  const JsonNode* attributes = nullptr;
  bool is_item = false;
};
GivenKey wrong_key(const HintInput& hinted);

// Cuts the text to at most `bytes_max`, at a character boundary.
void cut(std::string& text, std::size_t bytes_max);

// Rules by subject. table_hints.cpp
void hint_at_missing_table(const HintInput& hinted, std::vector<std::string>& hints);
void hint_at_tables_elsewhere(const HintInput& hinted, std::vector<std::string>& hints);
void hint_at_foreign_region(const HintInput& hinted, std::vector<std::string>& hints);
void hint_at_foreign_arn(const HintInput& hinted, std::vector<std::string>& hints);
void hint_at_missing_index(const HintInput& hinted, std::vector<std::string>& hints);
void hint_at_definitions(const HintInput& hinted, std::vector<std::string>& hints);
// key_hints.cpp
void hint_at_keys(const HintInput& hinted, std::vector<std::string>& hints);
void hint_at_key_condition(const HintInput& hinted, std::vector<std::string>& hints);
void hint_at_filtered_key(const HintInput& hinted, std::vector<std::string>& hints);
// read_hints.cpp
void hint_at_query(const HintInput& hinted, std::vector<std::string>& hints);
void hint_at_filter(const HintInput& hinted, std::vector<std::string>& hints);
void hint_at_lag(const HintInput& hinted, std::vector<std::string>& hints);
// condition_hints.cpp
void hint_at_filter_types(const HintInput& hinted, std::vector<std::string>& hints);
// "in the item as it is now version is 1, :v is 2", for a write with a failed condition; empty if
// unknown. REQUIRES: the members of `write` have the right types.
std::string unmet_values_text(const HintInput& hinted, const Table& table, const JsonNode& write);
// As unmet_values_text(), for a statement.
std::string unmet_statement_text(const HintInput& hinted);
// write_hints.cpp
void hint_at_missing_part(const HintInput& hinted, std::vector<std::string>& hints);
void hint_at_time_to_live(const HintInput& hinted, std::vector<std::string>& hints);
// What the stored item lacks for an update that failed with `message`; empty if unknown or not the
// reason. REQUIRES: the members of `write` have the right types.
std::string missing_part_text(const HintInput& hinted, const Table& table, const JsonNode& write,
                              std::string_view message);
// recovery_hints.cpp
void hint_at_recovery(const HintInput& hinted, std::vector<std::string>& hints);
// import_hints.cpp
void hint_at_import(const HintInput& hinted, std::vector<std::string>& hints);
// statement_hints.cpp
void hint_at_statement(const HintInput& hinted, std::vector<std::string>& hints);

}  // namespace stator
