#include "server/access/advisor/tenancy.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace stator::access {

namespace {

constexpr std::size_t kObstaclesMax = 10;

using Variables = std::vector<std::pair<std::string, std::string>>;

// Variables of policies that differ from principal to principal, and their values.
Variables variables_of(const Identity& identity) {
  Variables variables;
  const auto add = [&variables](std::string_view key, const std::string& value) {
    if (!value.empty()) variables.emplace_back(key, value);
  };
  for (const auto& [name, value] : identity.tags) {
    std::string key("aws:PrincipalTag/");
    add(key.append(name), value);
  }
  for (const auto& [key, value] : identity.context) add(key, value);
  add("aws:username", identity.name);
  add("aws:userid", identity.id);
  add("aws:PrincipalAccount", identity.principal.account);
  return variables;
}

std::string_view common_beginning(std::string_view one, std::string_view other) {
  const auto ends = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  return one.substr(0, static_cast<std::size_t>(ends.first - one.begin()));
}

}  // namespace

void Tenancy::note(const Identity& identity, std::string_view action,
                   std::span<const std::string> leading_keys) {
  std::map<std::string, Candidate> remaining;
  const bool has_candidates = calls_ == 0 || !candidates_.empty();
  for (const auto& [variable, text] : has_candidates ? variables_of(identity) : Variables()) {
    const auto known = candidates_.find(variable);
    if (calls_ > 0 && known == candidates_.end()) continue;
    const bool fits =
        std::all_of(leading_keys.begin(), leading_keys.end(),
                    [&text = text](const std::string& key) { return key.starts_with(text); });
    if (!fits || leading_keys.empty()) continue;
    bool is_first = calls_ == 0;
    Candidate candidate = is_first ? Candidate() : known->second;
    for (const std::string& key : leading_keys) {
      const std::string_view rest = std::string_view(key).substr(text.size());
      candidate.common = is_first ? rest : common_beginning(candidate.common, rest);
      is_first = false;
      (rest.empty() ? candidate.is_longer : candidate.is_equal) = false;
    }
    remaining.emplace(variable, std::move(candidate));
  }
  if (remaining.empty()) add_obstacle(identity, action);
  candidates_ = std::move(remaining);
  ++calls_;
  if (principals_.size() < kPrincipalsMin) principals_.insert(identity.principal.arn);
}

void Tenancy::note_without_keys(const Identity& identity, std::string_view action) {
  add_obstacle(identity, action);
}

void Tenancy::add_obstacle(const Identity& identity, std::string_view action) {
  constexpr std::string_view kBy = " by ";
  const std::string& arn = identity.principal.arn;
  // Each call that is an obstacle comes here, but few are new.
  const auto is_this = [&](const std::string& known) {
    return known.size() == action.size() + kBy.size() + arn.size() && known.starts_with(action) &&
           known.ends_with(arn);
  };
  const bool is_known = std::any_of(obstacles_.begin(), obstacles_.end(), is_this);
  if (is_known || obstacles_.size() >= kObstaclesMax) return;
  std::string text(action);
  obstacles_.insert(text.append(kBy).append(arn));
}

std::optional<TenantPattern> Tenancy::pattern() const {
  if (calls_ < kCallsMin || principals_.size() < kPrincipalsMin || !obstacles_.empty())
    return std::nullopt;
  // Tags come before the account, which says least.
  for (const auto& [variable, candidate] : candidates_) {
    if (variable == "aws:PrincipalAccount") continue;
    std::string pattern("${");
    pattern.append(variable).append("}");
    if (candidate.is_equal) return TenantPattern{true, std::move(pattern)};
    // Without text in between the keys of the tenant t1 would include those of t10.
    if (candidate.is_longer && !candidate.common.empty())
      return TenantPattern{false, pattern.append(candidate.common).append("*")};
  }
  return std::nullopt;
}

}  // namespace stator::access
