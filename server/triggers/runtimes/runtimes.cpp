#include "server/triggers/runtimes/runtimes.h"

#include <algorithm>

#include "engine/seams/clock.h"
#include "server/triggers/runtimes/runtime_errors.h"

namespace stator::triggers {

namespace {

// The last answered calls that are known as such, of each function.
constexpr std::size_t kAnsweredKept = 64;
// How often a call asks its stop condition.
constexpr std::chrono::milliseconds kStopPiece{200};

std::int64_t unix_ms(std::chrono::milliseconds from_now) {
  return SystemClock().now().plus(from_now).unix_ms();
}

}  // namespace

std::chrono::milliseconds RuntimeEvent::time_left() const {
  return std::chrono::milliseconds(std::max<std::int64_t>(deadline_ms - unix_ms({}), 0));
}

// A call on its way, on the stack of call().
struct Runtimes::Pending {
  enum class Phase : std::uint8_t { Queued, Running, Ended };

  RuntimeCall call;
  Phase phase = Phase::Queued;
  Clock::time_point since = {};     // of the phase
  Clock::time_point deadline = {};  // while it runs
  std::optional<Clock::time_point> let_go = {};
  RuntimeOutcome outcome = {};
  std::condition_variable changed = {};
};

struct Runtimes::State {
  std::list<Pending*> queue;
  std::unordered_map<std::string, Pending*> running;  // by request id
  RuntimePolls polls;
  std::deque<std::string> answered;  // ids
  Clock::time_point last_seen = {};  // a process, while none waits or has a call
  std::string init_error;            // an error object
  std::optional<Clock::time_point> init_failed;
  bool is_wanted = false;
};

Runtimes::Runtimes(const Functions& functions) {
  for (const FunctionTarget& function : functions.named()) {
    if (function.kind == FunctionKind::Runtime)
      states_.try_emplace(function.name, std::make_unique<State>());
  }
}

Runtimes::~Runtimes() = default;

std::string_view Runtimes::only_one() const {
  return states_.size() == 1 ? std::string_view(states_.begin()->first) : std::string_view();
}

Runtimes::State* Runtimes::find(std::string_view function) const {
  const auto found = states_.find(function);
  return found == states_.end() ? nullptr : found->second.get();
}

bool Runtimes::is_there(const State& state, Clock::time_point now) {
  return !state.polls.empty() || !state.running.empty() || now < state.last_seen + kPresence;
}

void Runtimes::wake_queued(State& state) {
  for (Pending* const pending : state.queue) pending->changed.notify_all();
}

void Runtimes::notify_arrival(State& state) {
  if (std::exchange(state.is_wanted, false) && listener_) listener_();
}

// Gives calls that wait to processes that wait.
void Runtimes::match(State& state) {
  while (!state.queue.empty() && !state.polls.empty()) {
    Pending& pending = *state.queue.front();
    state.queue.pop_front();
    const std::shared_ptr<RuntimePoll> poll = std::move(state.polls.front());
    state.polls.pop_front();
    poll->place_.reset();
    RuntimeCall& call = pending.call;
    pending.phase = Pending::Phase::Running;
    pending.since = Clock::now();
    pending.deadline = pending.since + call.timeout;
    poll->given_ = RuntimeEvent{call.request_id, call.function_arn, call.client_context,
                                std::move(call.event), unix_ms(call.timeout)};
    state.running.emplace(call.request_id, &pending);
    pending.changed.notify_all();
    poll->wake_();
  }
}

void Runtimes::settle(State& state, Pending& pending, RuntimeOutcome outcome) {
  if (pending.phase == Pending::Phase::Queued) state.queue.remove(&pending);
  if (pending.phase == Pending::Phase::Running) {
    state.running.erase(pending.call.request_id);
    state.last_seen = Clock::now();
    wake_queued(state);
  }
  pending.phase = Pending::Phase::Ended;
  pending.outcome = std::move(outcome);
  pending.changed.notify_all();
}

// ---- Those who call functions ----

RuntimeOutcome Runtimes::call(RuntimeCall call, StopCondition* stop_condition) {
  State& state = *find(call.function);
  std::unique_lock lock(mutex_);
  Pending pending{.call = std::move(call), .since = Clock::now()};
  state.queue.push_back(&pending);
  match(state);
  for (;;) {
    const Clock::time_point now = Clock::now();
    Clock::time_point until = step(state, pending, now);
    const bool should_stop = stop_condition != nullptr && stop_condition->should_stop();
    if (pending.phase != Pending::Phase::Ended && (is_stopping_ || should_stop))
      settle(state, pending, {.why = "the call was given up"});
    if (pending.phase == Pending::Phase::Ended) return std::move(pending.outcome);
    if (stop_condition != nullptr) until = std::min(until, now + kStopPiece);
    pending.changed.wait_until(lock, until);
  }
}

// Ends the call if it is time. Returns when to look again.
Runtimes::Clock::time_point Runtimes::step(State& state, Pending& pending, Clock::time_point now) {
  using Kind = RuntimeOutcome::Kind;
  const RuntimeCall& call = pending.call;
  if (pending.phase == Pending::Phase::Queued) {
    if (is_there(state, now)) {
      const Clock::time_point busy_until = pending.since + call.timeout;
      if (now >= busy_until)
        settle(state, pending, {Kind::Busy, {}, "every process of the function is busy"});
      const bool has_process = !state.running.empty();
      return has_process ? busy_until : std::min(busy_until, state.last_seen + kPresence);
    }
    const bool has_failed =
        call.has_waited && state.init_failed && now < *state.init_failed + kPresence;
    settle(state, pending,
           has_failed ? RuntimeOutcome{Kind::FunctionError, state.init_error}
                      : RuntimeOutcome{Kind::NotReached, {}, "waiting for a runtime"});
    return now;
  }
  if (pending.phase == Pending::Phase::Ended) return now;
  Clock::time_point until = pending.deadline;
  if (now >= until) {
    settle(state, pending, {Kind::FunctionError, timeout_error(call.request_id, call.timeout)});
  } else if (pending.let_go) {
    until = std::min(until, *pending.let_go + kPresence);
    if (now >= until) settle(state, pending, {Kind::FunctionError, exit_error(call.request_id)});
  }
  return until;
}

std::size_t Runtimes::processes(std::string_view function) {
  const std::scoped_lock lock(mutex_);
  const State& state = *find(function);
  return state.polls.size() + state.running.size();
}

bool Runtimes::has_room(std::string_view function, std::size_t calls) {
  const std::scoped_lock lock(mutex_);
  State& state = *find(function);
  if (calls < std::max<std::size_t>(state.polls.size() + state.running.size(), 1)) return true;
  state.is_wanted = true;
  return false;
}

bool Runtimes::is_there_or_wanted(std::string_view function, Clock::time_point since) {
  const std::scoped_lock lock(mutex_);
  State& state = *find(function);
  const bool has_news = state.init_failed && *state.init_failed >= since;
  const bool is_answering = has_news || !state.polls.empty() || !state.running.empty();
  state.is_wanted = !is_answering;
  return is_answering;
}

void Runtimes::on_arrival(std::function<void()> listener) {
  const std::scoped_lock lock(mutex_);
  listener_ = std::move(listener);
}

std::string Runtimes::init_error(std::string_view function) {
  const std::scoped_lock lock(mutex_);
  return find(function)->init_error;
}

void Runtimes::stop() {
  const std::scoped_lock lock(mutex_);
  is_stopping_ = true;
  for (const auto& [name, state] : states_) {
    wake_queued(*state);
    for (const auto& [id, pending] : state->running) pending->changed.notify_all();
  }
}

// ---- Their processes ----

void Runtimes::begin(const std::shared_ptr<RuntimePoll>& poll) {
  const std::scoped_lock lock(mutex_);
  State& state = *find(poll->function());
  state.init_error.clear();
  state.init_failed.reset();
  poll->place_ = state.polls.insert(state.polls.end(), poll);
  match(state);
  notify_arrival(state);
}

std::optional<RuntimeEvent> Runtimes::take(RuntimePoll& poll) {
  const std::scoped_lock lock(mutex_);
  return std::exchange(poll.given_, std::nullopt);
}

void Runtimes::leave(RuntimePoll& poll) {
  const std::scoped_lock lock(mutex_);
  State& state = *find(poll.function());
  if (const auto place = std::exchange(poll.place_, std::nullopt)) state.polls.erase(*place);
  state.last_seen = Clock::now();
  if (!poll.given_) return wake_queued(state);
  const auto found = state.running.find(poll.given_->request_id);
  if (found == state.running.end()) return;
  Pending& pending = *found->second;
  state.running.erase(found);
  pending.call.event = std::move(poll.given_->event);
  pending.phase = Pending::Phase::Queued;
  pending.since = Clock::now();
  poll.given_.reset();
  state.queue.push_front(&pending);
  match(state);
  wake_queued(state);
}

void Runtimes::let_go(const std::string& function, const std::string& request_id) {
  const std::scoped_lock lock(mutex_);
  const State& state = *find(function);
  const auto found = state.running.find(request_id);
  if (found == state.running.end()) return;
  found->second->let_go = Clock::now();
  found->second->changed.notify_all();
}

bool Runtimes::is_running(const std::string& function, const std::string& request_id) {
  const std::scoped_lock lock(mutex_);
  return find(function)->running.contains(request_id);
}

Delivery Runtimes::finish(std::string_view function, const std::string& request_id,
                          RuntimeOutcome outcome) {
  const std::scoped_lock lock(mutex_);
  State& state = *find(function);
  const auto found = state.running.find(request_id);
  if (found == state.running.end()) {
    const auto& answered = state.answered;
    const bool is_repeated =
        std::find(answered.begin(), answered.end(), request_id) != answered.end();
    return is_repeated ? Delivery::Repeated : Delivery::UnknownId;
  }
  state.answered.push_back(request_id);
  if (state.answered.size() > kAnsweredKept) state.answered.pop_front();
  settle(state, *found->second, std::move(outcome));
  return Delivery::Taken;
}

void Runtimes::fail_start(std::string_view function, std::string error) {
  const std::scoped_lock lock(mutex_);
  State& state = *find(function);
  state.init_error = std::move(error);
  state.init_failed = Clock::now();
  if (state.polls.empty() && state.running.empty()) {
    while (!state.queue.empty())
      settle(state, *state.queue.front(), {RuntimeOutcome::Kind::FunctionError, state.init_error});
  }
  notify_arrival(state);
}

}  // namespace stator::triggers
