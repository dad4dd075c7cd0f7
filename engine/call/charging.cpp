#include "engine/call/charging.h"

#include <algorithm>
#include <utility>

#include "engine/capacity/throttle_tally.h"
#include "engine/capacity/throttling_error.h"
#include "engine/schema/table.h"
#include "engine/storage/keys/partition_hash.h"
#include "engine/storage/stores/item_store.h"
#include "engine/throughput/throughput_state.h"

namespace stator {
namespace {

using capacity::Claim;
using capacity::Dimension;
using capacity::Event;
using capacity::Refusal;
using StatePtr = std::shared_ptr<capacity::ThroughputState>;

// Local indexes share the table's partitions.
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

// The index that owns the state; nullptr if the table does.
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

// Creates the tally, with the names under which its throttled charges are reported.
void begin_tally(const Table& table, capacity::ThroughputState& state) {
  state.tally([&] {
    const GlobalIndex* index = index_of(table, &state);
    return capacity::TallyOf{
        table.scope, table.region, table.name, index != nullptr ? index->name : std::string(),
        index != nullptr ? types_of(index->partition_keys) : types_of({&table.partition_key, 1})};
  });
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

void Charging::refuse(const ChargedEvent& event, Event claims, std::span<const Refusal> by,
                      Timestamp now) {
  if (refused_count_ == refused_.size()) refused_.emplace_back();
  RefusedEvent& refused = refused_[refused_count_++];
  refused.table = event.table.runtime;
  refused.dimension = claims.front().dimension;
  refused.claims.assign(claims.begin(), claims.end());
  begin_tally(event.table, *event.table.runtime->throughput);
  refused.states.clear();
  for (const Claim& claim : claims) {
    refused.states.push_back(claim.of->shared_from_this());
    const bool refuses =
        std::any_of(by.begin(), by.end(), [&claim](const auto& one) { return one.of == claim.of; });
    if (refuses) begin_tally(event.table, *claim.of);
  }
  refused.by.assign(by.begin(), by.end());
  refused.at = now;
  unclaim(claims);
}

std::optional<Error> Charging::admit(const ChargedEvent& event, Dimension dimension,
                                     Timestamp now) {
  const Throttling throttling = throttling_of(event.table);
  if (throttling == Throttling::Off || is_settled_) return std::nullopt;
  count_request(event.table, dimension, now);
  const Event claims = claim(event, dimension);
  capacity::ask(claims, now, asked_by_);
  if (asked_by_.empty()) {
    const std::size_t paid = claims.size() - event.asked_only;
    capacity::draw(claims.first(paid), now);
    unclaim(claims.subspan(paid));
    return std::nullopt;
  }
  std::optional<Error> error;
  if (throttling == Throttling::Enforce) error = error_of(event.table, asked_by_);
  refuse(event, claims, asked_by_, now);
  return error;
}

std::vector<std::optional<Error>> Charging::admit_all(std::span<const ChargedEvent> events,
                                                      Dimension dimension, Timestamp now) {
  const std::size_t first_drawn = drawn_.size();
  const std::size_t first_refused = refused_count_;
  std::vector<std::optional<Error>> errors(events.size());
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < events.size(); ++i) {
    // Draws whole events, `asked_only` included, so that the next ones find less.
    errors[i] = admit({events[i].table, events[i].charges}, dimension, now);
    ends.push_back(drawn_.size());
  }
  if (refused_count_ == first_refused) {
    give_back_unpaid(events, first_drawn, ends);
    return {};
  }
  set_aside(first_drawn);
  const bool is_refused = std::any_of(errors.begin(), errors.end(),
                                      [](const auto& error) { return error.has_value(); });
  return is_refused ? std::move(errors) : std::vector<std::optional<Error>>();
}

void Charging::give_back_unpaid(std::span<const ChargedEvent> events, std::size_t first_drawn,
                                std::span<const std::size_t> ends) {
  std::size_t from = first_drawn;
  std::size_t to = first_drawn;
  for (std::size_t i = 0; i < events.size(); from = ends[i++]) {
    if (ends[i] == from) continue;  // a table whose mode is Off
    const std::size_t paid_end = ends[i] - events[i].asked_only;
    capacity::refund(Event(drawn_).subspan(paid_end, events[i].asked_only));
    for (; from < paid_end; ++from, ++to) {
      drawn_[to] = drawn_[from];
      if (keeps_tables_) kept_[to] = kept_[from];
    }
  }
  unclaim(Event(drawn_).subspan(to));
}

void Charging::set_aside(std::size_t first_drawn) {
  const Event claims = Event(drawn_).subspan(first_drawn);
  capacity::refund(claims);
  set_aside_.insert(set_aside_.end(), claims.begin(), claims.end());
  if (keeps_tables_) {
    const auto kept = kept_.end() - static_cast<std::ptrdiff_t>(claims.size());
    kept_aside_.insert(kept_aside_.end(), kept, kept_.end());
  }
  unclaim(claims);
}

std::optional<Error> Charging::begin(const ChargedEvent& event, Dimension dimension,
                                     Timestamp now) {
  const Throttling throttling = throttling_of(event.table);
  if (throttling == Throttling::Off || is_settled_) return std::nullopt;
  count_request(event.table, dimension, now);
  const Event claims = claim(event, dimension);
  capacity::ask(claims, now, begun_by_);
  if (begun_by_.empty() || throttling == Throttling::Observe) {
    unclaim(claims);
    return std::nullopt;
  }
  Error error = error_of(event.table, begun_by_);
  refuse(event, claims, begun_by_, now);
  begun_by_.clear();
  return error;
}

void Charging::end(const ChargedEvent& event, Dimension dimension, Timestamp now) {
  if (begun_by_.empty()) return charge(event, dimension, now);
  refuse(event, claim(event, dimension), begun_by_, now);
  begun_by_.clear();
}

void Charging::charge(const ChargedEvent& event, Dimension dimension, Timestamp now) {
  if (throttling_of(event.table) == Throttling::Off || is_settled_) return;
  capacity::draw(claim(event, dimension), now);
}

void Charging::settle() {
  if (std::exchange(is_settled_, true)) return;
  capacity::count(drawn_);
  for (const RefusedEvent& event : refused()) capacity::refused(event.claims, event.by, event.at);
  capacity::asked_in_vain(set_aside_);
  for (const EarlyChange& event : limited_) {
    event.of->limited_changes[static_cast<std::size_t>(event.change)].fetch_add(
        1, std::memory_order_relaxed);
  }
  drawn_.clear();
  kept_.clear();
  set_aside_.clear();
  kept_aside_.clear();
}

void Charging::undo() {
  if (is_settled_) return;
  capacity::refund(drawn_);
  forget();
}

void Charging::reset() {
  constexpr std::size_t kClaimsKept = 64;
  constexpr std::size_t kRefusedKept = 4;
  forget();
  if (refused_.size() > kRefusedKept) refused_.resize(kRefusedKept);
  if (drawn_.capacity() > kClaimsKept) std::vector<Claim>().swap(drawn_);
  if (kept_.capacity() > kClaimsKept) std::vector<StatePtr>().swap(kept_);
  if (set_aside_.capacity() > kClaimsKept) std::vector<Claim>().swap(set_aside_);
  if (kept_aside_.capacity() > kClaimsKept) std::vector<StatePtr>().swap(kept_aside_);
  keeps_tables_ = false;
  is_settled_ = false;
}

void Charging::forget() {
  drawn_.clear();
  kept_.clear();
  set_aside_.clear();
  kept_aside_.clear();
  for (RefusedEvent& event : std::span(refused_).first(refused_count_)) {
    event.table.reset();
    event.states.clear();
  }
  refused_count_ = 0;
  limited_.clear();
  begun_by_.clear();
}

}  // namespace stator
