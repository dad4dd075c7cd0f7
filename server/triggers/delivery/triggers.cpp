#include "server/triggers/delivery/triggers.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <string>
#include <utility>

#include "server/log/log.h"

namespace stator::triggers {

namespace {

// How often settle() asks its stop condition.
constexpr std::chrono::milliseconds kStopCheck{20};

constexpr std::chrono::milliseconds kGrowthPause{5};

}  // namespace

Triggers::Triggers(Engine& engine, MappingStore& store, const Functions& functions,
                   Runtimes& runtimes, const TriggerOptions& options)
    : engine_(engine),
      clock_(engine.clock()),
      store_(store),
      runtimes_(runtimes),
      callers_(runtimes, std::bind_front(&Triggers::note_end, this)),
      poller_(PollerParts{engine, store, functions, options, callers_, runtimes}) {
  engine_.on_journal_growth([this](bool went_back) { note_growth(went_back); });
  store_.on_change([this] { note_change(); });
  runtimes_.on_arrival([this] { note_runtime(); });
  clock_.watch(*this);
}

Triggers::~Triggers() {
  clock_.unwatch(*this);
  runtimes_.on_arrival(nullptr);
  store_.on_change(nullptr);
  engine_.on_journal_growth(nullptr);
}

void Triggers::begin() {
  const auto mappings = store_.list();
  const std::scoped_lock lock(mutex_);
  is_running_ = true;
  is_changed_ = true;
  if (!mappings || !mappings->empty()) start_thread();
}

void Triggers::end() {
  {
    const std::scoped_lock lock(mutex_);
    is_running_ = false;
  }
  changed_.notify_one();
  turned_.notify_all();
  if (thread_.joinable()) thread_.join();
  const std::size_t left = poller_.event_load().count + events_.size();
  if (left > 0) log::warn("events of Invoke that end with the server: " + std::to_string(left));
}

bool Triggers::take_event(AsyncEvent event) {
  const std::scoped_lock lock(mutex_);
  EventLoad load = held_;
  for (const AsyncEvent& other : events_) load.add(other);
  if (!is_running_ || !load.has_room(event)) return false;
  if (!thread_.joinable()) start_thread();
  events_.push_back(std::move(event));
  changed_.notify_one();
  return thread_.joinable();
}

void Triggers::drop_events(const std::function<bool(std::string_view scope)>& is_meant) {
  const std::scoped_lock lock(poller_mutex_, mutex_);
  poller_.drop_events(is_meant);
  std::erase_if(events_, [&](const AsyncEvent& event) { return is_meant(event.scope); });
  ask_for_turn();
}

// Commits call this. While the thread has not looked yet, one word is all that it costs.
void Triggers::note_growth(bool went_back) {
  if (went_back) {
    const std::scoped_lock lock(mutex_);
    went_back_ = true;
    return note_change_locked();
  }
  if (!has_mappings_.load() || has_grown_.exchange(true)) return;
  { const std::scoped_lock lock(mutex_); }
  changed_.notify_one();
}

void Triggers::note_change() {
  const std::scoped_lock lock(mutex_);
  note_change_locked();
}

void Triggers::note_change_locked() {
  is_changed_ = true;
  if (is_running_ && !thread_.joinable()) start_thread();
  changed_.notify_one();
}

void Triggers::note_runtime() {
  {
    const std::scoped_lock lock(mutex_);
    has_runtime_ = true;
  }
  changed_.notify_one();
}

void Triggers::note_end(std::uint64_t id, WebAnswer answer) {
  {
    const std::scoped_lock lock(mutex_);
    ended_.push_back({id, std::move(answer)});
  }
  changed_.notify_one();
}

// The empty critical section prevents a lost wake-up: the thread either has not read the clock yet
// or waits already.
void Triggers::clock_moved() noexcept {
  { const std::scoped_lock lock(mutex_); }
  changed_.notify_one();
}

void Triggers::start_thread() noexcept {
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::exception& error) {
    log::error(std::string("no thread for triggers: ") + error.what());
  }
}

// A commit alone wakes the thread a moment after a turn that was in vain, so that writes to tables
// without mappings cost little.
bool Triggers::is_growth_due() const {
  return has_grown_.load() && std::chrono::steady_clock::now() >= growth_due_;
}

bool Triggers::wait(Poller::Turn& turn, std::uint64_t& wanted) {
  std::unique_lock lock(mutex_);
  const auto has_work = [this] {
    return !is_running_ || is_changed_ || has_runtime_ || has_more_ || !ended_.empty() ||
           !events_.empty() || wanted_ != done_ || is_growth_due() ||
           (due_ && *due_ <= clock_.now());
  };
  while (!has_work()) {
    if (has_grown_.load()) {
      changed_.wait_until(lock, growth_due_);
    } else if (const auto real = due_ ? clock_.real_wait(*due_) : std::nullopt) {
      changed_.wait_for(lock, *real);
    } else {
      changed_.wait(lock);
    }
  }
  has_grown_ = false;
  turn.is_changed = std::exchange(is_changed_, false);
  turn.has_runtime = std::exchange(has_runtime_, false);
  turn.went_back = std::exchange(went_back_, false);
  turn.is_paused = is_paused_;
  turn.has_step = std::exchange(has_step_, false);
  turn.ended = std::exchange(ended_, {});
  turn.events = std::exchange(events_, {});
  for (const AsyncEvent& event : turn.events) held_.add(event);
  wanted = wanted_;
  return is_running_;
}

void Triggers::run() {
  Poller::Turn turn;
  std::uint64_t wanted = 0;
  while (wait(turn, wanted)) {
    // Before the turn reads: a commit after that has to wake the thread, also when it is the first
    // one to a table with a mapping.
    if (turn.is_changed) has_mappings_ = true;
    make_turn(std::exchange(turn, {}));
    // Only this thread changes the poller, but for drop_events().
    has_mappings_ = poller_.has_mappings();
    const std::scoped_lock lock(poller_mutex_, mutex_);
    has_more_ = poller_.has_more();
    due_ = poller_.next_due();
    statuses_ = poller_.statuses();
    held_ = poller_.event_load();
    turns_ = poller_.turns();
    growth_due_ = std::chrono::steady_clock::now();
    if (!poller_.has_called()) growth_due_ += kGrowthPause;
    done_ = wanted;
    turned_.notify_all();
  }
}

void Triggers::make_turn(Poller::Turn turn) {
  const std::scoped_lock lock(poller_mutex_);
  try {
    poller_.turn(std::move(turn));
  } catch (const std::exception& error) {
    log::error(std::string("triggers: ") + error.what());
  }
}

void Triggers::write_mappings(JsonWriter& json) {
  const std::scoped_lock lock(poller_mutex_);
  poller_.write_mappings(json);
}

void Triggers::write_invocations(JsonWriter& json, std::uint64_t since) {
  const std::scoped_lock lock(poller_mutex_);
  poller_.log().write_invocations(json, since);
}

void Triggers::write_failures(JsonWriter& json, std::uint64_t since) {
  const std::scoped_lock lock(poller_mutex_);
  poller_.log().write_failures(json, since);
}

void Triggers::write_filtered(JsonWriter& json, std::uint64_t since) {
  const std::scoped_lock lock(poller_mutex_);
  poller_.filtered().write(json, since);
}

std::vector<MappingFigures> Triggers::figures() {
  const std::scoped_lock lock(poller_mutex_);
  return poller_.figures();
}

bool Triggers::is_paused() {
  const std::scoped_lock lock(mutex_);
  return is_paused_;
}

Triggers::Deliveries Triggers::pause(std::chrono::milliseconds time,
                                     StopCondition& stop_condition) {
  {
    const std::scoped_lock lock(mutex_);
    is_paused_ = true;
  }
  return settle(Until::AllDone, time, stop_condition);
}

void Triggers::resume() {
  const std::scoped_lock lock(mutex_);
  is_paused_ = false;
  ask_for_turn();
}

Triggers::Deliveries Triggers::step(std::chrono::milliseconds time, StopCondition& stop_condition,
                                    JsonWriter& json) {
  std::uint64_t last = 0;
  {
    const std::scoped_lock lock(poller_mutex_);
    last = poller_.log().last();
  }
  {
    const std::scoped_lock lock(mutex_);
    has_step_ = true;
  }
  Deliveries after = settle(Until::AllDone, time, stop_condition);
  const std::scoped_lock lock(poller_mutex_);
  poller_.log().write_next(json, last);
  return after;
}

bool Triggers::is_done(Until until, std::uint64_t first_turn) const {
  if (until == Until::TakenUp) return true;
  if (has_more_ || has_grown_.load() || !events_.empty()) return false;
  return std::none_of(statuses_.begin(), statuses_.end(), [&](const MappingStatus& status) {
    if (status.kind != MappingStatus::Kind::Busy) return false;
    return until == Until::AllDone || status.busy_since <= first_turn;
  });
}

Triggers::Deliveries Triggers::settle(Until until, std::chrono::milliseconds time,
                                      StopCondition& stop_condition) {
  const auto end = std::chrono::steady_clock::now() + time;
  std::unique_lock lock(mutex_);
  if (!thread_.joinable()) return {true, {}};
  ask_for_turn();
  const std::uint64_t turn = wanted_;
  std::optional<std::uint64_t> first_turn;
  Deliveries settled;
  for (;;) {
    if (done_ >= turn && !first_turn) first_turn = turns_;
    settled.is_settled = first_turn && is_done(until, *first_turn);
    const bool is_over = settled.is_settled || !is_running_ || stop_condition.should_stop() ||
                         std::chrono::steady_clock::now() >= end;
    if (is_over) break;
    turned_.wait_for(lock, kStopCheck);
  }
  settled.statuses = statuses_;
  return settled;
}

}  // namespace stator::triggers
