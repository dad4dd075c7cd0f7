#include "server/access/advisor/comparison.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "protocol/access/statement_match.h"
#include "protocol/json/json_writer.h"

namespace stator::access {

namespace {

// Which statement of which policy.
struct StatementPlace {
  std::size_t policy;
  std::size_t statement;
  std::string_view sid;
};

// The statement with these patterns alone, and without its conditions.
Statement reduced(const Statement& statement, const ActionPattern* action,
                  const TextTemplate* resource) {
  Statement one = statement;
  one.conditions.clear();
  if (action != nullptr) one.actions.patterns = {*action};
  if (resource != nullptr) one.resources.patterns = {*resource};
  return one;
}

class Comparison {
 public:
  Comparison(const Grant& grant, std::span<const ComparedUse> uses)
      : grant_(grant), uses_(uses), is_allowed_(uses.size()), is_denied_(uses.size()) {}

  void write(JsonWriter& json) {
    json.begin_object();
    json.key("unused");
    json.begin_array();
    for (std::size_t i = 0; i < grant_.policies.size(); ++i) {
      const auto& statements = grant_.policies[i].compiled().statements;
      for (std::size_t k = 0; k < statements.size(); ++k)
        add(json, statements[k], {i, k, statements[k].sid});
    }
    json.end_array();
    write_not_granted(json);
    write_wildcards(json);
    json.end_object();
  }

 private:
  // The numbers of the uses that a statement applies to.
  std::vector<std::size_t> covered(const Statement& statement) const {
    std::vector<std::size_t> found;
    const Policies none;
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      const AccessRequest request{uses_[i].action, uses_[i].resource, grant_.principal.account,
                                  grant_.context};
      if (match_statement(statement, MatchInput(grant_.principal, none, request)).applies())
        found.push_back(i);
    }
    return found;
  }

  // Notes what the statement decides, and writes those of its elements that nothing needed.
  void add(JsonWriter& json, const Statement& statement, const StatementPlace& place) {
    if (statement.is_deny && !statement.conditions.empty()) return;
    auto& decided = statement.is_deny ? is_denied_ : is_allowed_;
    for (const std::size_t use : covered(reduced(statement, nullptr, nullptr))) decided[use] = true;
    if (statement.is_deny) return;
    if (!statement.actions.is_opposite) {
      for (const ActionPattern& pattern : statement.actions.patterns) {
        const auto found = covered(reduced(statement, &pattern, nullptr));
        if (found.empty()) write_element(json, place, "action", pattern.source);
        note_pattern(pattern, found);
      }
    }
    if (statement.resources.is_opposite) return;
    for (const TextTemplate& pattern : statement.resources.patterns) {
      if (covered(reduced(statement, nullptr, &pattern)).empty())
        write_element(json, place, "resource", pattern.source());
    }
  }

  void note_pattern(const ActionPattern& pattern, const std::vector<std::size_t>& found) {
    const bool is_wildcard = pattern.source.find_first_of("*?") != std::string::npos;
    for (const std::size_t use : found) {
      const std::string action(uses_[use].action);
      if (is_wildcard) by_wildcard_[pattern.source].insert(action);
      if (!is_wildcard) by_name_.insert(action);
    }
  }

  static void write_element(JsonWriter& json, const StatementPlace& place, std::string_view element,
                            std::string_view text) {
    json.begin_object();
    json.member("policy", static_cast<std::int64_t>(place.policy));
    json.member("statement", static_cast<std::int64_t>(place.statement));
    if (!place.sid.empty()) json.member("sid", place.sid);
    json.member(element, text);
    json.end_object();
  }

  void write_not_granted(JsonWriter& json) const {
    json.key("not_granted");
    json.begin_array();
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      const bool was_denied = grant_.is_in_force && uses_[i].is_denied;
      if (is_allowed_[i] && !is_denied_[i] && !was_denied) continue;
      json.begin_object();
      json.member("action", uses_[i].action);
      json.member("resource", uses_[i].resource);
      json.end_object();
    }
    json.end_array();
  }

  void write_wildcards(JsonWriter& json) const {
    json.key("only_by_wildcard");
    json.begin_array();
    for (const auto& [pattern, actions] : by_wildcard_) {
      std::vector<std::string> alone;
      std::set_difference(actions.begin(), actions.end(), by_name_.begin(), by_name_.end(),
                          std::back_inserter(alone));
      if (alone.empty()) continue;
      json.begin_object();
      json.member("pattern", pattern);
      json.key("actions");
      json.begin_array();
      for (const std::string& action : alone) json.string(action);
      json.end_array();
      json.end_object();
    }
    json.end_array();
  }

  const Grant& grant_;
  std::span<const ComparedUse> uses_;
  std::vector<bool> is_allowed_;
  std::vector<bool> is_denied_;
  std::map<std::string, std::set<std::string>> by_wildcard_;  // by pattern
  std::set<std::string> by_name_;
};

}  // namespace

void write_comparison(JsonWriter& json, const Grant& grant, std::span<const ComparedUse> uses) {
  Comparison(grant, uses).write(json);
}

}  // namespace stator::access
