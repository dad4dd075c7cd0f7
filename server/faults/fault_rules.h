// FaultRules: the rules of a server and what they did. Requests read an immutable list; changes
// replace it. Without rules a request pays for one load.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/seams/clock.h"
#include "server/faults/fault_rule.h"
#include "server/faults/matching.h"

namespace stator::faults {

inline constexpr std::size_t kFiringsShown = 20;
inline constexpr std::size_t kSubjectsMax = 16 * 1024;  // that a rule counts by

// One request that a rule made fail.
struct Firing {
  std::uint64_t number = 0;
  Timestamp time;          // by the engine's clock
  std::string request_id;  // empty: not answered, or not yet
};

// A rule and its counters. Any thread may call everything.
class LiveRule {
 public:
  LiveRule(FaultRule rule, Timestamp made) : rule_(std::move(rule)), made_(made) {}

  const FaultRule& rule() const { return rule_; }
  Timestamp made() const { return made_; }

  // Numbers a request that fits the rule, from 1.
  std::uint64_t number_next() { return matched_.fetch_add(1, std::memory_order_relaxed) + 1; }
  // Numbers it among those of its subject (subject_of()), from 1. Beyond kSubjectsMax subjects all
  // of them begin anew.
  std::uint64_t number_next_of(std::uint64_t subject);
  // Counts a firing, unless the rule is spent. Returns how often it has fired; 0 if it is spent.
  std::uint64_t fire();
  void record(std::string_view operation, std::uint64_t number, Timestamp now);
  // The id of the answer to the request of this number.
  void answered(std::uint64_t number, std::string_view request_id);

  std::uint64_t matched() const { return matched_.load(std::memory_order_relaxed); }
  std::uint64_t fired() const { return fired_.load(std::memory_order_relaxed); }
  bool is_spent() const { return rule_.when.times > 0 && fired() >= rule_.when.times; }
  // The last ones, newest last.
  std::vector<Firing> firings() const;
  std::map<std::string, std::uint64_t> fired_by_operation() const;

 private:
  const FaultRule rule_;
  const Timestamp made_;
  std::atomic<std::uint64_t> matched_{0};
  std::atomic<std::uint64_t> fired_{0};
  mutable std::mutex mutex_;
  std::vector<Firing> firings_;                               // guarded by mutex_
  std::unordered_map<std::uint64_t, std::uint64_t> numbers_;  // by subject, guarded by mutex_
  std::map<std::string, std::uint64_t> by_operation_;         // guarded by mutex_
};

// Delays of one place. They follow each other.
struct Pause {
  std::chrono::microseconds wire{0};
  std::chrono::microseconds engine{0};  // of the engine's clock

  bool is_none() const { return wire.count() == 0 && engine.count() == 0; }
};

// The fault of one request. Without a rule: none.
struct InjectedFault {
  std::shared_ptr<LiveRule> of;  // the last rule that fired
  std::uint64_t number = 0;
  Pause before;  // the request is executed
  Pause after;

  explicit operator bool() const { return of != nullptr; }
  const FaultEffect& effect() const { return of->rule().effect; }
  template <class Kind>
  const Kind* find() const {
    return of == nullptr ? nullptr : std::get_if<Kind>(&effect().rest);
  }
};

class FaultRules {
 public:
  // `log` gets a line when a rule is made, when it fires for the first time, and then how often it
  // fired, at most once a minute. Any thread calls it.
  using Log = std::function<void(const std::string&)>;
  // `keep_states` gets, at each change of the rules, the longest age at which any of them has the
  // data read; zero: none has.
  using KeepStates = std::function<void(std::chrono::microseconds)>;
  FaultRules(std::uint64_t seed, Log log, KeepStates keep_states = {})
      : seed_(seed), log_(std::move(log)), keep_states_(std::move(keep_states)) {}

  std::uint64_t seed() const { return seed_; }
  // Whether there is any rule, spent or not.
  bool any() const { return count_.load(std::memory_order_acquire) > 0; }
  // Whether there is any for the arrival of requests.
  bool any_at_arrival() const { return at_arrival_.load(std::memory_order_relaxed); }
  // Whether any looks at headers. Outlived by this.
  const std::atomic<bool>& any_of_headers() const { return of_headers_; }

  // Adds the rules in order. A rule of a known name replaces that one, at its place, and counts
  // from 1; one without a name gets "fault-N". Returns the rules as they are now; changes nothing
  // and returns nothing if there would be too many.
  std::optional<std::vector<std::shared_ptr<LiveRule>>> add(std::vector<FaultRule> rules,
                                                            Timestamp now);
  // Returns whether there was one of this name.
  bool remove(std::string_view name);
  // Returns how many there were.
  std::size_t clear();
  std::vector<std::shared_ptr<LiveRule>> all() const;
  std::shared_ptr<LiveRule> find(std::string_view name) const;

  // Numbers the request for each rule that fits it. The first rule that fires decides, apart from
  // delays that go on. Rules for the arrival are asked alone, and only then.
  InjectedFault decide(const RequestFacts& facts, Timestamp now, bool is_arrival = false);
  // The fault of a rule for this request alone.
  InjectedFault decide_alone(FaultRule rule, const RequestFacts& facts, Timestamp now);

 private:
  using List = std::vector<std::shared_ptr<LiveRule>>;
  std::shared_ptr<const List> list() const;
  void publish(List list);
  std::string free_name(const List& list);
  // The numbers of a request for one rule, and the seed of its draws.
  struct Numbers {
    std::uint64_t number;  // among all that fit
    std::uint64_t counted;
    std::uint64_t seed;
  };
  Numbers number_for(LiveRule& rule, const RequestFacts& facts) const;
  InjectedFault fired(const std::shared_ptr<LiveRule>& rule, const Numbers& numbers,
                      const RequestFacts& facts, Timestamp now);
  void log_firing(const LiveRule& rule, std::uint64_t count);

  const std::uint64_t seed_;
  const Log log_;
  const KeepStates keep_states_;
  std::atomic<std::size_t> count_{0};
  std::atomic<bool> of_headers_{false};
  std::atomic<bool> at_arrival_{false};
  mutable std::mutex list_mutex_;
  std::shared_ptr<const List> list_ = std::make_shared<const List>();  // guarded by list_mutex_
  std::mutex change_mutex_;                                            // one change at a time
  std::uint64_t last_unnamed_ = 0;                                     // guarded by change_mutex_
  std::atomic<std::int64_t> last_logged_s_{0};                         // steady clock
  std::atomic<std::uint64_t> fired_since_logged_{0};
};

}  // namespace stator::faults
