// Hints: what a request's answer leaves unsaid, and how to do it right. Made when somebody asks,
// from what was kept of the request and from the tables as they are then.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/call/settings.h"
#include "engine/state/catalog.h"
#include "engine/state/snapshot.h"
#include "protocol/json_tree.h"
#include "server/explain/recent_requests.h"
#include "server/explain/refusal.h"

namespace stator {

// At most so many of a request, each of at most so many bytes.
inline constexpr std::size_t kHintsOfRequestMax = 4;
inline constexpr std::size_t kHintBytesMax = 480;

// What rules go by. Views of it are valid during findings_of().
struct Hinted {
  const RecentRequest& request;
  const JsonNode* asked;  // the body, an object, as far as it is kept; nullptr: it was none
  bool is_asked_whole;
  const Catalog& catalog;
  const Settings& settings;
  Timestamp now;
  std::string_view scope;       // whose tables the request saw
  std::string_view table_name;  // that it named; empty: none
  const Table* table;           // the one of that name; nullptr: there is none

  std::string_view text(RecentRequest::Part part) const { return request.text(part); }
  bool has_failed_with(std::string_view error) const {
    return text(RecentRequest::Part::Error) == error;
  }
  bool tells(std::string_view beginning_or_part) const {
    return text(RecentRequest::Part::Message).find(beginning_or_part) != std::string_view::npos;
  }
  // A member of the body, or nullptr.
  const JsonNode* member(std::string_view name) const {
    return asked == nullptr ? nullptr : asked->find(name);
  }
};

// Adds hints where it applies.
using HintRule = void (*)(const Hinted& hinted, std::vector<std::string>& hints);

// What there is to say of a request.
struct Findings {
  std::optional<Refusal> refusal;  // of one that failed
  std::vector<std::string> hints;
};

Findings findings_of(const RecentRequest& request, const Snapshot& snapshot,
                     const Settings& settings);

// With what read_refusal() cannot know without the request and its table.
Refusal refusal_of(const Hinted& hinted);

// The first key, or item, of a request that does not fit its table; no table: none is found.
struct GivenKey {
  const Table* table = nullptr;
  const JsonNode* attributes = nullptr;
  bool is_item = false;
};
GivenKey wrong_key(const Hinted& hinted);

// Leaves out what is behind so many bytes, and no half of a character.
void cut(std::string& text, std::size_t bytes_max);

// Rules by what they are about.
// table_hints.cpp
void hint_at_missing_table(const Hinted& hinted, std::vector<std::string>& hints);
void hint_at_foreign_region(const Hinted& hinted, std::vector<std::string>& hints);
void hint_at_foreign_arn(const Hinted& hinted, std::vector<std::string>& hints);
void hint_at_missing_index(const Hinted& hinted, std::vector<std::string>& hints);
void hint_at_definitions(const Hinted& hinted, std::vector<std::string>& hints);
// key_hints.cpp
void hint_at_keys(const Hinted& hinted, std::vector<std::string>& hints);
void hint_at_key_condition(const Hinted& hinted, std::vector<std::string>& hints);
void hint_at_filtered_key(const Hinted& hinted, std::vector<std::string>& hints);
// read_hints.cpp
void hint_at_query(const Hinted& hinted, std::vector<std::string>& hints);
void hint_at_filter(const Hinted& hinted, std::vector<std::string>& hints);
void hint_at_lag(const Hinted& hinted, std::vector<std::string>& hints);

}  // namespace stator
