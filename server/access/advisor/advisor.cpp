#include "server/access/advisor/advisor.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "engine/seams/iso_time.h"
#include "protocol/json/json_writer.h"

namespace stator::access {

namespace {

constexpr std::string_view kLeadingKeys = "dynamodb:LeadingKeys";
constexpr std::string_view kEnclosing = "dynamodb:EnclosingOperation";
constexpr std::string_view kAttributes = "dynamodb:Attributes";
constexpr std::string_view kSelect = "dynamodb:Select";
constexpr std::string_view kReturnValues = "dynamodb:ReturnValues";
// There is no such request by itself, so a condition would say nothing.
constexpr std::string_view kOnlyEnclosed = "dynamodb:ConditionCheckItem";

void write_list(JsonWriter& json, std::string_view name, const std::set<std::string>& texts) {
  json.key(name);
  json.begin_array();
  for (const std::string& text : texts) json.string(text);
  json.end_array();
}

// Copies the names as policies write them; none at all if one cannot be written.
void list_attributes(const Texts& names, Texts& listed) {
  for (const std::string& name : names) {
    auto value = policy_value(name);
    if (!value) return listed.clear();
    listed.insert(*std::move(value));
  }
}

}  // namespace

bool Advisor::note(const Identity& identity, std::string_view action, std::string_view resource,
                   const RequestContext& context, bool is_allowed, Timestamp now) {
  const ContextKey* const keys = context.find(kLeadingKeys);
  const bool has_keys = keys != nullptr && !keys->is_unknowable;
  const std::scoped_lock lock(mutex_);
  Use& use = use_of(identity.principal_arn, action, resource);
  if (use.count++ == 0) use.first = now;
  use.last = now;
  if (!is_allowed) ++use.denied;
  use.has_leading_keys = use.has_leading_keys || has_keys;
  const ContextKey* const enclosing = context.find(kEnclosing);
  if (enclosing == nullptr || enclosing->values.empty()) {
    use.is_used_alone = true;
  } else {
    use.enclosing.insert(enclosing->values.front());
  }
  note_attributes(use, context);
  const bool is_item_read = action == "dynamodb:Scan" || action == "dynamodb:PartiQLSelect";
  if (has_keys || is_item_read) {
    auto at = tenancy_.find(resource);
    if (at == tenancy_.end() && tenancy_.size() < kUsesMax)
      at = tenancy_.emplace(resource, Tenancy()).first;
    if (at != tenancy_.end() && has_keys) at->second.note(identity, action, keys->values);
    if (at != tenancy_.end() && !has_keys) at->second.note_without_keys(identity, action);
  }
  return !is_allowed && use.denied == 1;
}

// REQUIRES: the lock is taken.
void Advisor::note_attributes(Use& use, const RequestContext& context) {
  const auto add_first = [&context](Texts& texts, std::string_view name) {
    const ContextKey* const key = context.find(name);
    if (key != nullptr && !key->values.empty()) texts.insert(key->values.front());
  };
  add_first(use.selects, kSelect);
  add_first(use.return_values, kReturnValues);
  const ContextKey* const named = context.find(kAttributes);
  if (named == nullptr || use.is_beyond_lists) return;
  for (const std::string& name : named->values) use.attributes.insert(name);
  use.is_beyond_lists = named->is_unknowable || use.attributes.size() > kAttributesMax;
  if (use.is_beyond_lists) use.attributes.clear();
}

// REQUIRES: the lock is taken.
Advisor::Use& Advisor::use_of(std::string_view principal, std::string_view action,
                              std::string_view resource) {
  const KeyView asked{principal, action, resource};
  if (const auto known = uses_.find(asked); known != uses_.end()) return known->second;
  Key key{principal, action, resource};
  if (uses_.size() >= kUsesMax) {
    ++merged_;
    std::get<2>(key) = "*";
    // Principals without end, such as sessions, must not grow the table either.
    if (uses_.size() >= 2 * kUsesMax) std::get<0>(key) = "*";
  }
  return uses_[std::move(key)];
}

AdvisedCondition Advisor::condition_for(const Uses::value_type& use, const Filter& filter) const {
  const auto& [principal, action, resource] = use.first;
  AdvisedCondition condition;
  const auto tenancy = tenancy_.find(resource);
  if (use.second.has_leading_keys && tenancy != tenancy_.end() && filter.has_resources)
    condition.leading_keys = tenancy->second.pattern();
  if (!use.second.is_used_alone && action != kOnlyEnclosed)
    condition.enclosing = use.second.enclosing;
  if (filter.has_attributes) list_attributes(use.second.attributes, condition.attributes);
  if (!condition.attributes.empty()) {
    condition.selects = use.second.selects;
    condition.return_values = use.second.return_values;
  }
  return condition;
}

// An index has no permission of its own in a policy for all of them.
std::string Advisor::advised_resource(const std::string& resource, const Filter& filter) {
  constexpr std::string_view kIndex = "/index/";
  if (!filter.has_resources) return "*";
  const std::size_t at = filter.has_index_names ? std::string::npos : resource.rfind(kIndex);
  if (at == std::string::npos) return resource;
  return resource.substr(0, at + kIndex.size()) + "*";
}

// The resources that need the same actions under the same condition share a statement.
void Advisor::add_statements(Share& share, const Filter& filter) const {
  std::map<std::pair<AdvisedCondition, std::string>, Texts> actions;
  for (const auto& use : share.uses) {
    const auto& [principal, action, resource] = use.first;
    actions[{condition_for(use, filter), advised_resource(resource, filter)}].insert(action);
  }
  std::map<std::pair<AdvisedCondition, Texts>, Texts> statements;
  for (auto& [place, set] : actions) {
    const auto& [condition, resource] = place;
    statements[{condition, std::move(set)}].insert(resource);
  }
  for (const auto& [what, resources] : statements)
    share.policy.statements.push_back({what.second, resources, what.first});
}

std::vector<Advisor::Share> Advisor::shares(const Filter& filter) const {
  std::vector<Share> found;
  for (const auto& use : uses_) {
    const std::string& principal = std::get<0>(use.first);
    const bool is_left_out = (filter.only_denied && use.second.denied == 0) ||
                             (filter.since && use.second.last < *filter.since) ||
                             (!filter.principal.empty() && filter.principal != principal);
    if (is_left_out) continue;
    if (found.empty() || found.back().policy.principal != principal)
      found.push_back({{principal, {}}, {}});
    found.back().uses.push_back(use);
  }
  for (Share& share : found) add_statements(share, filter);
  return found;
}

void Advisor::write_tenants(JsonWriter& json) const {
  json.begin_array();
  for (const auto& [resource, tenancy] : tenancy_) {
    const auto pattern = tenancy.pattern();
    if (!pattern && tenancy.obstacles().empty()) continue;
    json.begin_object();
    json.member("resource", resource);
    if (pattern) json.member("leading_keys", pattern->pattern);
    write_list(json, "obstacles", tenancy.obstacles());
    json.end_object();
  }
  json.end_array();
}

void Advisor::write_share(JsonWriter& json, const Share& share, const Filter& filter) {
  std::vector<ComparedUse> compared;
  json.begin_object();
  json.member("principal", share.policy.principal);
  json.key("uses");
  json.begin_array();
  for (const auto& [key, use] : share.uses) {
    const auto& [principal, action, resource] = key;
    compared.push_back({action, resource, use.denied > 0});
    json.begin_object();
    json.member("action", action);
    json.member("resource", resource);
    json.member("count", static_cast<std::int64_t>(use.count));
    json.member("denied", static_cast<std::int64_t>(use.denied));
    json.member("first", iso_extended(use.first));
    json.member("last", iso_extended(use.last));
    json.end_object();
  }
  json.end_array();
  json.key("policy");
  write_document(json, share.policy);
  const auto grant = filter.grant ? filter.grant(share.policy.principal) : std::nullopt;
  if (grant) {
    json.key("comparison");
    write_comparison(json, *grant, compared);
  }
  json.end_object();
}

std::string Advisor::report(const Filter& filter) const {
  std::string out;
  JsonWriter json(out);
  std::unique_lock lock(mutex_);
  const std::vector<Share> found = shares(filter);
  std::string tenants;
  JsonWriter tenant_json(tenants);
  write_tenants(tenant_json);
  const std::uint64_t merged = merged_;
  lock.unlock();
  json.begin_object();
  json.key("principals");
  json.begin_array();
  for (const Share& share : found) write_share(json, share, filter);
  json.end_array();
  json.key("tenants");
  json.raw(tenants);
  json.member("merged", static_cast<std::int64_t>(merged));
  json.end_object();
  return out;
}

std::vector<AdvisedPolicy> Advisor::policies(const Filter& filter) const {
  const std::scoped_lock lock(mutex_);
  std::vector<AdvisedPolicy> policies;
  for (Share& share : shares(filter)) policies.push_back(std::move(share.policy));
  return policies;
}

void Advisor::reset() {
  const std::scoped_lock lock(mutex_);
  uses_.clear();
  tenancy_.clear();
  merged_ = 0;
}

}  // namespace stator::access
