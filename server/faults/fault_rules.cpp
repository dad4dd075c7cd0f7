#include "server/faults/fault_rules.h"

#include <algorithm>

#include "server/faults/decision.h"

namespace stator::faults {

namespace {

constexpr std::int64_t kSecondsBetweenLines = 60;
constexpr std::size_t kLoggedBytesMax = 512;  // of a rule

std::int64_t steady_s() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// At which a rule has the data read.
std::chrono::microseconds longest_age(const std::vector<std::shared_ptr<LiveRule>>& list) {
  std::chrono::microseconds longest{0};
  for (const auto& live : list) {
    if (const auto* stale = std::get_if<FaultStale>(&live->rule().effect.rest))
      longest = std::max(longest, stale->age);
  }
  return longest;
}

auto with_name(std::string_view name) {
  return [name](const std::shared_ptr<LiveRule>& rule) { return rule->rule().name == name; };
}

}  // namespace

std::uint64_t LiveRule::fire() {
  const std::uint64_t times = rule_.when.times;
  if (times == 0) return fired_.fetch_add(1, std::memory_order_relaxed) + 1;
  std::uint64_t before = fired();
  while (before < times) {
    if (fired_.compare_exchange_weak(before, before + 1, std::memory_order_relaxed))
      return before + 1;
  }
  return 0;
}

std::uint64_t LiveRule::number_next_of(std::uint64_t subject) {
  const std::lock_guard lock(mutex_);
  if (numbers_.size() >= kSubjectsMax && numbers_.find(subject) == numbers_.end()) numbers_.clear();
  return ++numbers_[subject];
}

void LiveRule::record(std::string_view operation, std::uint64_t number, Timestamp now) {
  const std::lock_guard lock(mutex_);
  ++by_operation_[std::string(operation)];
  if (firings_.size() == kFiringsShown) firings_.erase(firings_.begin());
  firings_.push_back({number, now, {}});
}

void LiveRule::answered(std::uint64_t number, std::string_view request_id) {
  const std::lock_guard lock(mutex_);
  for (Firing& firing : firings_)
    if (firing.number == number) firing.request_id = request_id;
}

std::vector<Firing> LiveRule::firings() const {
  const std::lock_guard lock(mutex_);
  return firings_;
}

std::map<std::string, std::uint64_t> LiveRule::fired_by_operation() const {
  const std::lock_guard lock(mutex_);
  return by_operation_;
}

std::shared_ptr<const FaultRules::List> FaultRules::list() const {
  const std::lock_guard lock(list_mutex_);
  return list_;
}

void FaultRules::publish(List list) {
  const std::size_t count = list.size();
  at_arrival_ = std::any_of(list.begin(), list.end(),
                            [](const auto& live) { return live->rule().is_for_arrival; });
  of_headers_ = std::any_of(list.begin(), list.end(),
                            [](const auto& live) { return !live->rule().match.headers.empty(); });
  if (keep_states_) keep_states_(longest_age(list));
  auto next = std::make_shared<const List>(std::move(list));
  const std::lock_guard lock(list_mutex_);
  list_ = std::move(next);
  count_.store(count, std::memory_order_release);
}

std::string FaultRules::free_name(const List& list) {
  std::string name;
  do {
    name = "fault-" + std::to_string(++last_unnamed_);
  } while (std::any_of(list.begin(), list.end(), with_name(name)));
  return name;
}

std::optional<std::vector<std::shared_ptr<LiveRule>>> FaultRules::add(std::vector<FaultRule> rules,
                                                                      Timestamp now) {
  const std::lock_guard change(change_mutex_);
  List next = *list();
  List added;
  for (FaultRule& rule : rules) {
    if (rule.name.empty()) rule.name = free_name(next);
    const auto place = std::find_if(next.begin(), next.end(), with_name(rule.name));
    const auto live = std::make_shared<LiveRule>(std::move(rule), now);
    if (place != next.end()) {
      *place = live;
    } else {
      next.push_back(live);
    }
    added.push_back(live);
  }
  if (next.size() > kFaultRulesMax) return std::nullopt;
  publish(std::move(next));
  for (const auto& live : added)
    log_("fault rule " + live->rule().name +
         " is made: " + live->rule().text.substr(0, kLoggedBytesMax));
  return added;
}

bool FaultRules::remove(std::string_view name) {
  const std::lock_guard change(change_mutex_);
  List next = *list();
  if (std::erase_if(next, with_name(name)) == 0) return false;
  publish(std::move(next));
  log_("fault rule " + std::string(name) + " is removed");
  return true;
}

std::size_t FaultRules::clear() {
  const std::lock_guard change(change_mutex_);
  const std::size_t count = list()->size();
  if (count == 0) return 0;
  publish({});
  log_("all fault rules are removed: " + std::to_string(count));
  return count;
}

std::vector<std::shared_ptr<LiveRule>> FaultRules::all() const { return *list(); }

std::shared_ptr<LiveRule> FaultRules::find(std::string_view name) const {
  const auto rules = list();
  const auto found = std::find_if(rules->begin(), rules->end(), with_name(name));
  return found == rules->end() ? nullptr : *found;
}

FaultRules::Numbers FaultRules::number_for(LiveRule& rule, const RequestFacts& facts) const {
  const std::uint64_t number = rule.number_next();
  if (rule.rule().when.count_by == FaultWhen::CountBy::All) return {number, number, seed_};
  const std::uint64_t subject = subject_of(rule.rule(), facts);
  return {number, rule.number_next_of(subject), seed_ ^ subject};
}

InjectedFault FaultRules::decide(const RequestFacts& facts, Timestamp now, bool is_arrival) {
  InjectedFault fault;
  bool is_decided = false;
  const auto rules = list();
  // Each rule counts each request that fits it, so that a rule moves no firings of another.
  for (const auto& live : *rules) {
    const FaultRule& rule = live->rule();
    if (rule.is_for_arrival != is_arrival || !fits(rule, facts)) continue;
    const Numbers numbers = number_for(*live, facts);
    if (is_decided ||
        !fires(rule, numbers.seed, live->made(), {numbers.counted, facts.attempt, now}))
      continue;
    InjectedFault next = fired(live, numbers, facts, now);
    if (!next) continue;
    for (Pause InjectedFault::*const pause : {&InjectedFault::before, &InjectedFault::after}) {
      (next.*pause).wire += (fault.*pause).wire;
      (next.*pause).engine += (fault.*pause).engine;
    }
    is_decided = !rule.effect.goes_on;
    fault = std::move(next);
  }
  return fault;
}

InjectedFault FaultRules::decide_alone(FaultRule rule, const RequestFacts& facts, Timestamp now) {
  const auto live = std::make_shared<LiveRule>(std::move(rule), now);
  if (!fits(live->rule(), facts)) return {};
  return fired(live, number_for(*live, facts), facts, now);
}

InjectedFault FaultRules::fired(const std::shared_ptr<LiveRule>& rule, const Numbers& numbers,
                                const RequestFacts& facts, Timestamp now) {
  const std::uint64_t count = rule->fire();
  if (count == 0) return {};
  rule->record(facts.operation, numbers.number, now);
  log_firing(*rule, count);
  InjectedFault fault{rule, numbers.number, {}, {}};
  const auto& delay = rule->rule().effect.delay;
  if (!delay) return fault;
  Pause& pause = delay->is_after ? fault.after : fault.before;
  (delay->is_engine ? pause.engine : pause.wire) =
      delay_of(rule->rule(), numbers.seed, numbers.counted);
  return fault;
}

void FaultRules::log_firing(const LiveRule& rule, std::uint64_t count) {
  if (count == 1) {
    log_("fault rule " + rule.rule().name +
         " fires for the first time: " + std::string(rule.rule().effect.name()));
    return;
  }
  const std::uint64_t since = fired_since_logged_.fetch_add(1, std::memory_order_relaxed) + 1;
  std::int64_t last = last_logged_s_.load(std::memory_order_relaxed);
  const std::int64_t now = steady_s();
  if (now - last < kSecondsBetweenLines || !last_logged_s_.compare_exchange_strong(last, now))
    return;
  fired_since_logged_.fetch_sub(since, std::memory_order_relaxed);
  log_("fault rules fired " + std::to_string(since) + " more times");
}

}  // namespace stator::faults
