#include "engine/call/charging.h"

#include <algorithm>
#include <utility>

#include "engine/capacity/throttling_error.h"
#include "engine/storage/item_store.h"

namespace stator {
namespace {

using capacity::Claim;
using capacity::Dimension;
using capacity::Event;
using capacity::Refusal;
using StatePtr = std::shared_ptr<capacity::ThroughputState>;

// Local indexes lie in the table's partitions.
const StatePtr& state_of(const Table& table, const Charge& charge) {
  if (charge.of == Charge::Of::GlobalIndex) {
    const GlobalIndex* index = table.find_global_index(charge.index_name);
    if (index != nullptr) return index->runtime->throughput;
  }
  return table.runtime->throughput;
}

Throttling throttling_of(const Table& table) {
  return table.runtime->throttling.load(std::memory_order_relaxed);
}

void count_request(const Table& table, Dimension dimension, Timestamp now) {
  table.runtime->requests[static_cast<std::size_t>(dimension)].add(now);
}

// Of the index; nullptr: it is the table's.
const GlobalIndex* index_of(const Table& table, const capacity::ThroughputState* state) {
  const auto found =
      std::find_if(table.global_indexes.begin(), table.global_indexes.end(),
                   [state](const auto& index) { return index.runtime->throughput.get() == state; });
  return found == table.global_indexes.end() ? nullptr : &*found;
}

std::string arn_of(const Table& table, const capacity::ThroughputState* state) {
  const GlobalIndex* index = index_of(table, state);
  return index == nullptr ? table.arn() : table.arn() + "/index/" + index->name;
}

Error error_of(const Table& table, std::span<const Refusal> by) {
  std::vector<capacity::ThrottledResource> resources;
  for (const Refusal& refusal : by) {
    resources.push_back({refusal.reason, refusal.of->is_on_demand(), arn_of(table, refusal.of)});
  }
  return throttling_error(resources, by.front().of->parameters().index_errors);
}

}  // namespace

Event Charging::claim(const ChargedEvent& event, Dimension dimension) {
  const std::size_t first = drawn_.size();
  for (const Charge& charge : event.charges) {
    const StatePtr& state = state_of(event.table, charge);
    if (keeps_tables_) kept_.push_back(state);
    const std::uint32_t hash =
        charge.hash ? *charge.hash : storage::partition_hash(charge.partition);
    drawn_.push_back(
        {state.get(), dimension, {hash, charge.sort, charge.partition}, charge.units_milli});
  }
  return Event(drawn_).subspan(first);
}

void Charging::unclaim(Event claims) {
  if (keeps_tables_) kept_.resize(kept_.size() - claims.size());
  drawn_.resize(drawn_.size() - claims.size());
}

void Charging::refuse(const ChargedEvent& event, Event claims, std::vector<Refusal> by,
                      Timestamp now) {
  RefusedEvent& refused = refused_.emplace_back();
  refused.table_name = event.table.name;
  refused.table = event.table.runtime;
  refused.first = event.table.runtime->throughput;
  if (const GlobalIndex* index = index_of(event.table, by.front().of)) {
    refused.index_name = index->name;
    refused.first = index->runtime->throughput;
  }
  refused.dimension = claims.front().dimension;
  refused.claims.assign(claims.begin(), claims.end());
  refused.by = std::move(by);
  refused.at = now;
  unclaim(claims);
}

std::optional<Error> Charging::admit(const ChargedEvent& event, Dimension dimension,
                                     Timestamp now) {
  const Throttling throttling = throttling_of(event.table);
  if (throttling == Throttling::Off || is_settled_) return std::nullopt;
  count_request(event.table, dimension, now);
  const Event claims = claim(event, dimension);
  std::vector<Refusal> by = capacity::ask(claims, now);
  if (by.empty()) {
    capacity::draw(claims, now);
    return std::nullopt;
  }
  std::optional<Error> error;
  if (throttling == Throttling::Enforce) error = error_of(event.table, by);
  refuse(event, claims, std::move(by), now);
  return error;
}

std::vector<std::optional<Error>> Charging::admit_all(std::span<const ChargedEvent> events,
                                                      Dimension dimension, Timestamp now) {
  const std::size_t first_drawn = drawn_.size();
  const std::size_t first_refused = refused_.size();
  std::vector<std::optional<Error>> errors(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) errors[i] = admit(events[i], dimension, now);
  if (refused_.size() == first_refused) return {};
  const Event others = Event(drawn_).subspan(first_drawn);
  capacity::give_back(others);
  unclaim(others);
  const bool is_refused = std::any_of(errors.begin(), errors.end(),
                                      [](const auto& error) { return error.has_value(); });
  return is_refused ? std::move(errors) : std::vector<std::optional<Error>>();
}

std::optional<Error> Charging::begin(const ChargedEvent& event, Dimension dimension,
                                     Timestamp now) {
  const Throttling throttling = throttling_of(event.table);
  if (throttling == Throttling::Off || is_settled_) return std::nullopt;
  count_request(event.table, dimension, now);
  const Event claims = claim(event, dimension);
  begun_by_ = capacity::ask(claims, now);
  if (begun_by_.empty() || throttling == Throttling::Observe) {
    unclaim(claims);
    return std::nullopt;
  }
  Error error = error_of(event.table, begun_by_);
  refuse(event, claims, std::exchange(begun_by_, {}), now);
  return error;
}

void Charging::end(const ChargedEvent& event, Dimension dimension, Timestamp now) {
  if (begun_by_.empty()) return charge(event, dimension, now);
  const Event claims = claim(event, dimension);
  refuse(event, claims, std::exchange(begun_by_, {}), now);
}

void Charging::charge(const ChargedEvent& event, Dimension dimension, Timestamp now) {
  if (throttling_of(event.table) == Throttling::Off || is_settled_) return;
  capacity::draw(claim(event, dimension), now);
}

void Charging::settle() {
  if (std::exchange(is_settled_, true)) return;
  capacity::count(drawn_);
  for (const RefusedEvent& event : refused_) capacity::refused(event.claims, event.by, event.at);
  for (const LimitedEvent& event : limited_) {
    event.of->limited_changes[static_cast<std::size_t>(event.change)].fetch_add(
        1, std::memory_order_relaxed);
  }
  drawn_.clear();
  kept_.clear();
}

void Charging::undo() {
  capacity::give_back(drawn_);
  forget();
}

void Charging::reset() {
  constexpr std::size_t kClaimsKept = 64;
  forget();
  if (drawn_.capacity() > kClaimsKept) std::vector<Claim>().swap(drawn_);
  if (kept_.capacity() > kClaimsKept) std::vector<StatePtr>().swap(kept_);
  keeps_tables_ = false;
  is_settled_ = false;
}

void Charging::forget() {
  drawn_.clear();
  kept_.clear();
  refused_.clear();
  limited_.clear();
  begun_by_.clear();
}

}  // namespace stator
