#include "engine/state/in_flight_transactions.h"

#include <algorithm>
#include <utility>

namespace stator {

namespace {

std::string whole_name(const storage::TokenName& name) {
  std::string whole(1, static_cast<char>(name.kind));
  return whole.append(name.scope).append(1, '\0').append(name.text);
}

}  // namespace

bool InFlightTransactions::begin(storage::CommitJob& job, std::span<const LocatedKey> items,
                                 const std::optional<storage::StoredToken>& token, Timestamp since,
                                 Timestamp due) {
  const std::lock_guard lock(mutex_);
  if (const auto known = flight_of(job); known != flights_.end()) let_go(known);
  if (is_closed_) return false;
  InFlightTransaction flight{&job, ++last_number_, since, due, Phase::Begun, {}, {}, {}};
  if (token) {
    flight.token = whole_name(token->name);
    flight.fingerprint = token->fingerprint;
  }
  for (const LocatedKey& item : items) {
    flight.items.emplace_back(item.table->space, item.key.partition, item.key.sort);
    held_.emplace(flight.items.back(), &job);
  }
  flights_.push_back(std::move(flight));
  count_.store(flights_.size(), std::memory_order_release);
  return true;
}

std::optional<Timestamp> InFlightTransactions::go_on(const storage::CommitJob& job) {
  const std::lock_guard lock(mutex_);
  const auto flight = flight_of(job);
  if (flight == flights_.end() || is_closed_) return std::nullopt;
  flight->phase = Phase::InFlight;
  return flight->due;
}

void InFlightTransactions::end(const storage::CommitJob& job) {
  const std::lock_guard lock(mutex_);
  if (const auto flight = flight_of(job); flight != flights_.end()) let_go(flight);
}

bool InFlightTransactions::find(const LocatedKey& item, const storage::CommitJob* own) const {
  const std::lock_guard lock(mutex_);
  const auto held = held_.find(Key(item.table->space, item.key.partition, item.key.sort));
  return held != held_.end() && held->second != own;
}

std::optional<std::string> InFlightTransactions::find_token(const storage::TokenName& name,
                                                            const storage::CommitJob* own) const {
  if (count_.load(std::memory_order_acquire) == 0) return std::nullopt;
  const std::string whole = whole_name(name);
  const std::lock_guard lock(mutex_);
  for (const InFlightTransaction& flight : flights_) {
    if (flight.token == whole && flight.job != own) return flight.fingerprint;
  }
  return std::nullopt;
}

std::vector<FlightInfo> InFlightTransactions::list(std::size_t count_max) const {
  std::vector<FlightInfo> told;
  if (count_.load(std::memory_order_acquire) == 0) return told;
  const std::lock_guard lock(mutex_);
  for (const InFlightTransaction& flight : flights_) {
    if (told.size() == count_max) break;
    FlightInfo& info = told.emplace_back(FlightInfo{flight.number, flight.since, flight.due, {}});
    for (const auto& [table, partition, sort] : flight.items)
      info.items.push_back({table, partition, sort});
  }
  return told;
}

std::optional<Timestamp> InFlightTransactions::next_due() const {
  if (count_.load(std::memory_order_acquire) == 0) return std::nullopt;
  const std::lock_guard lock(mutex_);
  std::optional<Timestamp> next;
  for (const InFlightTransaction& flight : flights_) {
    if (flight.phase == Phase::InFlight && (!next || flight.due < *next)) next = flight.due;
  }
  return next;
}

std::vector<storage::CommitJob*> InFlightTransactions::take_due(Timestamp now) {
  std::vector<storage::CommitJob*> jobs;
  if (count_.load(std::memory_order_acquire) == 0) return jobs;
  const std::lock_guard lock(mutex_);
  for (InFlightTransaction& flight : flights_) {
    if (flight.phase != Phase::InFlight || flight.due > now) continue;
    flight.phase = Phase::Committing;
    jobs.push_back(flight.job);
  }
  return jobs;
}

std::vector<storage::CommitJob*> InFlightTransactions::take_all() {
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
  }
  return take_due(Timestamp::max());
}

auto InFlightTransactions::flight_of(const storage::CommitJob& job)
    -> std::vector<InFlightTransaction>::iterator {
  return std::find_if(flights_.begin(), flights_.end(),
                      [&](const InFlightTransaction& flight) { return flight.job == &job; });
}

void InFlightTransactions::let_go(std::vector<InFlightTransaction>::iterator flight) {
  for (const Key& item : flight->items) held_.erase(item);
  flights_.erase(flight);
  count_.store(flights_.size(), std::memory_order_release);
}

}  // namespace stator
