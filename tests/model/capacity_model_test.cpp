// Throughput against a model in exact fractions: random tables, indexes, rates, partitions and
// schedules. The model keeps no balance: it looks at all that was ever taken from a bucket and at
// every moment at which it may have been full. So it shares no formula with the product.
//
// Now and then the table and its indexes are made anew of what is persisted of it, as after a kill.
//
// What passes, and which limit refuses what does not, must be the same; over every stretch of time
// a bucket must give no more than it may and one request's worth. The same seed repeats the same
// run:  model_capacity [--seed N] [--steps N], where a step is a schedule.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine/throughput/admission.h"
#include "engine/throughput/throughput_state.h"

namespace stator::capacity {
namespace {

__extension__ using Wide = __int128;

Wide common_divisor(Wide left, Wide right) {
  while (right != 0) left = std::exchange(right, left % right);
  return left < 0 ? -left : left;
}

struct Fraction {
  Wide over = 0;
  Wide under = 1;  // positive

  Fraction() = default;
  Fraction(Wide dividend, Wide divisor) : over(dividend), under(divisor) {
    const Wide common = std::max<Wide>(common_divisor(over, under), 1);
    over /= common;
    under /= common;
  }
  Fraction operator+(const Fraction& other) const {
    return {over * other.under + other.over * under, under * other.under};
  }
  Fraction operator-(const Fraction& other) const {
    return {over * other.under - other.over * under, under * other.under};
  }
  Fraction operator*(const Fraction& other) const {
    return {over * other.over, under * other.under};
  }
  bool operator<(const Fraction& other) const { return over * other.under < other.over * under; }
  bool is_positive() const { return over > 0; }
  std::int64_t floored_millionths() const {
    const Wide scaled = over * 1'000'000;
    return static_cast<std::int64_t>(scaled / under - (scaled % under < 0 ? 1 : 0));
  }
};

Fraction whole(std::int64_t units) { return {units, 1}; }

void demand(bool holds, std::string_view what) {
  if (!holds) throw std::runtime_error(std::string(what));
}

// All that ever happened to one bucket.
class ExactBucket {
 public:
  ExactBucket(Fraction rate, std::int64_t burst_s, std::int64_t initial_s, Timestamp now)
      : begin_(now), initial_(rate * whole(initial_s)), burst_(whole(burst_s)) {
    change(rate, now);
  }

  void change(const Fraction& rate, Timestamp now) { history_.push_back({now, {}, rate}); }
  void take(const Fraction& units, Timestamp now, std::int64_t request) {
    history_.push_back({now, units, history_.back().rate});
    of_request_ = request == request_ ? of_request_ + units : units;
    request_ = request;
    largest_ = std::max(largest_, of_request_);
  }

  const Fraction& rate() const { return history_.back().rate; }
  // What was taken from then on, as far as the process knows that runs now.
  Fraction taken_since(Timestamp begin) const {
    Fraction taken;
    for (std::size_t i = history_.size(); i-- > known_from_ && history_[i].at >= begin;) {
      taken = taken + history_[i].units;
    }
    return taken;
  }
  // To a whole millionth of a unit, as balances are persisted for the next process.
  void keep(Timestamp now) {
    const Fraction before = balance(now);
    const Fraction full = history_.back().rate * burst_;
    const bool is_full = before.floored_millionths() == full.floored_millionths();
    const Fraction lost =
        before - (is_full ? full : Fraction(before.floored_millionths(), 1'000'000));
    history_.push_back({now, lost, history_.back().rate});
    known_from_ = history_.size();
  }

  // The least of what there was at first and of what was full at any moment, each with all that
  // came in and went since.
  Fraction balance(Timestamp now) const {
    Fraction least = history_.back().rate * burst_;
    Fraction since;  // came in less what went, from the entry looked at until now
    Timestamp until = now;
    for (std::size_t i = history_.size(); i-- > 0;) {
      const Entry& entry = history_[i];
      since = since + income(entry.rate, entry.at, until);
      until = entry.at;
      // Full before a taking, and on either side of a change of the rate.
      const Fraction& rate_before = history_[i > 0 ? i - 1 : 0].rate;
      least = std::min(least, std::min(entry.rate, rate_before) * burst_ + since - entry.units);
      since = since - entry.units;
    }
    return std::min(least, initial_ + since);
  }

  // From each entry to the end no more went than was saved at most, came in, and one request's.
  void check_never_too_much() const {
    Fraction gone;
    Fraction came;
    Fraction cap;
    for (const Entry& entry : history_) cap = std::max(cap, entry.rate * burst_);
    cap = std::max(cap, initial_);
    for (std::size_t i = history_.size(); i-- > 0;) {
      gone = gone + history_[i].units;
      if (i + 1 < history_.size()) {
        came = came + income(history_[i].rate, history_[i].at, history_[i + 1].at);
      }
      demand(!(cap + came + largest_ < gone), "a bucket gave more than it may");
    }
  }

 private:
  struct Entry {
    Timestamp at;
    Fraction units;
    Fraction rate;  // from now on
  };
  static Fraction income(const Fraction& rate, Timestamp from, Timestamp until) {
    return rate * Fraction(until.unix_us - from.unix_us, 1'000'000);
  }

  Timestamp begin_;
  Fraction initial_;
  Fraction burst_;
  std::int64_t request_ = -1;  // the last one
  Fraction of_request_;
  Fraction largest_;  // of all requests
  std::size_t known_from_ = 0;
  std::vector<Entry> history_;
};

// One table or index as the model has it: buckets in the order in which they are asked.
struct ExactSide {
  std::optional<ExactBucket> own;
  std::shared_ptr<ExactBucket> account;  // may be the table's
  std::vector<ExactBucket> limits;       // of partitions
  std::vector<ExactBucket> shares;       // of partitions; may be none
  // When shares are raised by what others leave over (AdaptiveMode::Delayed); one that was raised
  // is not again before the rates change.
  std::vector<std::pair<Timestamp, std::size_t>> raises_due;  // of partitions, in order
  std::set<std::size_t> raised;                               // or to be
};

struct Modelled {
  CapacitySettings settings;
  std::uint32_t partitions = 1;
  std::unique_ptr<ThroughputState> state;
  std::array<ExactSide, kDimensions> sides;
};

class Schedule {
 public:
  explicit Schedule(std::uint64_t seed) : random_(seed) {
    parameters_.burst_s = 1 + below(400);
    parameters_.initial_burst_s = below(parameters_.burst_s + 1);
    parameters_.on_demand_max_burst_s = parameters_.burst_s;
    parameters_.partition_limits = {1 + below(300), 1 + below(100)};
    parameters_.account_table = {1 + below(900), 1 + below(300)};
    parameters_.heat_split = false;
    parameters_.growth_delay_s = std::int64_t{1} << 40;
    static constexpr std::array kModes = {AdaptiveMode::Instant, AdaptiveMode::Instant,
                                          AdaptiveMode::Delayed, AdaptiveMode::Off};
    parameters_.adaptive_mode = kModes[static_cast<std::size_t>(below(4))];
    parameters_.adaptive_delay_s = 1 + below(120);
    if (below(3) == 0) parameters_.account_scope = AccountScope::TableWithIndexes;
    shared_ = std::make_shared<const CapacityParameters>(parameters_);
    now_ = {1'790'000'000'000'000 + below(60'000'000)};
    make(ThroughputState::Of::Table);
    for (std::int64_t i = below(3); i > 0; --i) make(ThroughputState::Of::Index);
  }

  void run() {
    for (int i = 0; i < 250; ++i) {
      static constexpr std::array<std::int64_t, 4> kGaps = {1, 10'000, 200'000, 5'000'000};
      std::int64_t gap_us = below(kGaps[static_cast<std::size_t>(below(4))]);
      if (below(50) == 0) gap_us += below(600'000'000);
      pass_time(gap_us);
      if (below(60) == 0) {
        begin_anew();
      } else if (below(40) == 0) {
        change_rate(modelled_[static_cast<std::size_t>(below(size()))]);
      } else {
        offer();
      }
    }
    for (Modelled& one : modelled_) finish(one);
  }

  std::int64_t passed() const { return passed_; }
  std::int64_t refused_count() const { return refused_; }

 private:
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
  }
  std::int64_t size() const { return static_cast<std::int64_t>(modelled_.size()); }
  bool is_on_demand(const Modelled& one) const {
    return one.settings.mode == BillingMode::PayPerRequest;
  }
  std::int64_t limit(std::size_t dimension) const {
    const PartitionLimits& limits = parameters_.partition_limits;
    return dimension == 0 ? limits.read_units : limits.write_units;
  }

  // Not so much that partitions would be split for it.
  Throughput some_throughput(std::uint32_t partitions) {
    return {1 + below(std::max<std::int64_t>(limit(0) * partitions / 2, 1)),
            1 + below(std::max<std::int64_t>(limit(1) * partitions / 2, 1))};
  }

  void make(ThroughputState::Of of) {
    Modelled& one = modelled_.emplace_back();
    one.partitions = static_cast<std::uint32_t>(2 + below(9));
    const bool on_demand = modelled_.size() > 1 ? is_on_demand(modelled_.front()) : below(2) == 0;
    one.settings.mode = on_demand ? BillingMode::PayPerRequest : BillingMode::Provisioned;
    if (!on_demand) one.settings.provisioned = some_throughput(one.partitions);
    if (on_demand && below(2) == 0) {
      const Throughput maximum = some_throughput(one.partitions);
      one.settings.maximum = {maximum.read_units, maximum.write_units};
    }
    PersistedThroughput persisted;
    for (const Position& begin : PartitionMap::equal_ranges(one.partitions)) {
      persisted.partitions.push_back({begin, 0});
    }
    persisted.as_of = now_;
    one.state = std::make_unique<ThroughputState>(of, one.settings, shared_, now_, persisted,
                                                  modelled_.front().state.get());
    for (std::size_t dimension = 0; dimension < kDimensions; ++dimension) {
      make_side(one, dimension);
    }
  }

  void make_side(Modelled& one, std::size_t dimension) {
    ExactSide& side = one.sides[dimension];
    const std::int64_t burst = parameters_.burst_s;
    const std::int64_t initial = parameters_.initial_burst_s;
    const auto units_of = [dimension](const Throughput& of) {
      return dimension == 0 ? of.read_units : of.write_units;
    };
    const bool has_shares =
        !is_on_demand(one) && parameters_.adaptive_mode != AdaptiveMode::Instant;
    const OnDemandThroughput& maximum = one.settings.maximum;
    if (is_on_demand(one)) {
      if (maximum.is_set()) {
        const std::int64_t units =
            *(dimension == 0 ? maximum.max_read_units : maximum.max_write_units);
        side.own.emplace(whole(units), burst, initial, now_);
      }
      const bool is_shared =
          modelled_.size() > 1 && parameters_.account_scope == AccountScope::TableWithIndexes;
      side.account = is_shared ? modelled_.front().sides[dimension].account
                               : std::make_shared<ExactBucket>(
                                     whole(units_of(parameters_.account_table)), 1, 1, now_);
    } else if (!has_shares) {
      side.own.emplace(whole(units_of(one.settings.provisioned)), burst, initial, now_);
    }
    for (std::uint32_t i = 0; i < one.partitions; ++i) {
      side.limits.emplace_back(whole(limit(dimension)), 1, 1, now_);
      if (!has_shares) continue;
      const Fraction share(units_of(one.settings.provisioned), one.partitions);
      side.shares.emplace_back(share, burst, initial, now_);
    }
  }

  void change_rate(Modelled& one) {
    if (is_on_demand(one)) return;
    one.settings.provisioned = some_throughput(one.partitions);
    one.state->configure(one.settings, now_, now_);
    demand(one.state->partitions().count() == one.partitions, "partitions were split");
    for (std::size_t dimension = 0; dimension < kDimensions; ++dimension) {
      const Throughput& to = one.settings.provisioned;
      const std::int64_t units = dimension == 0 ? to.read_units : to.write_units;
      ExactSide& side = one.sides[dimension];
      if (side.own) side.own->change(whole(units), now_);
      share_out(one, dimension);
    }
  }

  // Each partition has the same again.
  void share_out(Modelled& one, std::size_t dimension) {
    const Throughput& provisioned = one.settings.provisioned;
    ExactSide& side = one.sides[dimension];
    for (ExactBucket& share : side.shares) {
      share.change(
          {dimension == 0 ? provisioned.read_units : provisioned.write_units, one.partitions},
          now_);
    }
    for (auto raised = side.raised.begin(); raised != side.raised.end();) {
      const bool is_due = std::any_of(side.raises_due.begin(), side.raises_due.end(),
                                      [&](const auto& due) { return due.second == *raised; });
      raised = is_due ? std::next(raised) : side.raised.erase(raised);
    }
  }

  // What is persisted of all is taken up again, by a process that begins later.
  void begin_anew() {
    std::vector<PersistedThroughput> persisted;
    for (Modelled& one : modelled_) persisted.push_back(one.state->persistent_form(now_));
    for (Modelled& one : modelled_) {
      for (std::size_t dimension = 0; dimension < kDimensions; ++dimension) {
        ExactSide& side = one.sides[dimension];
        for (ExactBucket& share : side.shares) share.keep(now_);
        side.raises_due.clear();
        side.raised.clear();
        if (!side.shares.empty()) share_out(one, dimension);
      }
    }
    now_.unix_us += below(2) * below(20'000'000);
    for (std::size_t i = 0; i < modelled_.size(); ++i) {
      const auto of = i == 0 ? ThroughputState::Of::Table : ThroughputState::Of::Index;
      modelled_[i].state = std::make_unique<ThroughputState>(
          of, modelled_[i].settings, shared_, now_, persisted[i], modelled_.front().state.get());
    }
  }

  // Shares are raised when it is their time, in that order.
  void pass_time(std::int64_t gap_us) {
    now_.unix_us += gap_us;
    for (Modelled& one : modelled_) {
      for (std::size_t dimension = 0; dimension < kDimensions; ++dimension) {
        auto& due = one.sides[dimension].raises_due;
        for (; !due.empty() && due.front().first <= now_; due.erase(due.begin())) {
          raise(one, dimension, due.front().second, due.front().first);
        }
      }
    }
  }

  // By what the shares of the others have left over in the open minute, or in the last one when
  // none is open; never beyond what a partition serves.
  void raise(Modelled& one, std::size_t dimension, std::size_t partition, Timestamp at) {
    constexpr std::int64_t kMinute_us = 60'000'000;
    ExactSide& side = one.sides[dimension];
    const std::int64_t open_us = at.unix_us % kMinute_us;
    const Timestamp begin{at.unix_us - (open_us > 0 ? open_us : kMinute_us)};
    const std::int64_t length_us = at.unix_us - begin.unix_us;
    Fraction rate = side.shares[partition].rate();
    const std::int64_t parts = one.partitions;
    for (std::size_t other = 0; other < side.shares.size(); ++other) {
      if (other == partition) continue;
      const Fraction taken = side.shares[other].taken_since(begin);
      // In whole parts of a unit, as shares are.
      const Fraction consumed = taken * Fraction(1'000'000 * parts, length_us);
      const Fraction left =
          side.shares[other].rate() - Fraction(consumed.over / consumed.under, parts);
      if (left.is_positive()) rate = rate + left;
    }
    side.shares[partition].change(std::min(rate, whole(limit(dimension))), at);
  }

  // A partition that refuses asks for a raise.
  void ask_for_raises(const std::vector<Claim>& claims, const std::vector<Refusal>& refusals) {
    if (parameters_.adaptive_mode != AdaptiveMode::Delayed) return;
    for (const Refusal& refusal : refusals) {
      if (refusal.reason.limit != Limit::KeyRangeThroughput) continue;
      const auto to_blame = std::find_if(claims.begin(), claims.end(), [&](const Claim& claim) {
        return claim.of == refusal.of && !partition_serves(of(claim), side_of(claim), claim);
      });
      demand(to_blame != claims.end(), "refused by no partition");
      ExactSide& side = side_of(*to_blame);
      if (side.shares.empty()) continue;
      const std::size_t partition = partition_of(to_blame->place.hash, of(*to_blame).partitions);
      if (!side.raised.insert(partition).second) continue;
      side.raises_due.emplace_back(now_.plus(std::chrono::seconds(parameters_.adaptive_delay_s)),
                                   partition);
    }
  }
  ExactSide& side_of(const Claim& claim) {
    return of(claim).sides[static_cast<std::size_t>(claim.dimension)];
  }

  // A request of one to four charges, on the table and its indexes.
  void offer() {
    const Dimension dimension = below(2) == 0 ? Dimension::Read : Dimension::Write;
    std::vector<Claim> claims;
    for (std::int64_t i = below(3) == 0 ? 1 + below(3) : 0; i >= 0; --i) {
      const Modelled& one = modelled_[static_cast<std::size_t>(below(size()))];
      const std::int64_t units_milli = below(20) == 0 ? 1000 * below(800) : 500 * (1 + below(40));
      // Few places, so that partitions grow hot.
      const auto hash = static_cast<std::uint32_t>(below(6) * (kHashesEnd / 6));
      claims.push_back({one.state.get(), dimension, {.hash = hash}, units_milli});
    }
    const std::vector<ThrottlingReason> expected = expected_reasons(claims);
    const std::vector<Refusal> refusals = ask(claims, now_);
    demand(refusals.size() == expected.size(), "another number of reasons");
    for (std::size_t i = 0; i < expected.size(); ++i) {
      demand(refusals[i].reason == expected[i],
             "refused by " + std::string(to_text(refusals[i].reason)) + ", not by " +
                 std::string(to_text(expected[i])));
    }
    if (!refusals.empty()) {
      ++refused_;
      ask_for_raises(claims, refusals);
      return refused(claims, refusals, now_);
    }
    ++passed_;
    take(claims, now_);
    for (const Claim& claim : claims) take_exactly(claim);
  }

  std::vector<ThrottlingReason> expected_reasons(const std::vector<Claim>& claims) {
    std::vector<ThrottlingReason> reasons;
    for (Modelled* one : in_order(claims)) {
      const Dimension dimension = claims.front().dimension;
      const bool is_index = one != &modelled_.front();
      ExactSide& side = one->sides[static_cast<std::size_t>(dimension)];
      if (side.own && !side.own->balance(now_).is_positive()) {
        const Limit own =
            is_on_demand(*one) ? Limit::MaxOnDemandThroughput : Limit::ProvisionedThroughput;
        reasons.push_back({is_index, dimension, own});
      } else if (side.account && !side.account->balance(now_).is_positive()) {
        reasons.push_back({is_index, dimension, Limit::Account});
      } else if (std::any_of(claims.begin(), claims.end(), [&](const Claim& claim) {
                   return claim.of == one->state.get() && !partition_serves(*one, side, claim);
                 })) {
        reasons.push_back({is_index, dimension, Limit::KeyRangeThroughput});
      }
    }
    return reasons;
  }

  std::vector<Modelled*> in_order(const std::vector<Claim>& claims) {
    std::vector<Modelled*> found;
    for (const Claim& claim : claims) {
      Modelled* one = &of(claim);
      if (std::find(found.begin(), found.end(), one) == found.end()) found.push_back(one);
    }
    return found;
  }
  Modelled& of(const Claim& claim) {
    return *std::find_if(modelled_.begin(), modelled_.end(),
                         [&claim](const Modelled& one) { return one.state.get() == claim.of; });
  }

  bool partition_serves(const Modelled& one, const ExactSide& side, const Claim& claim) const {
    const std::size_t partition = partition_of(claim.place.hash, one.partitions);
    return side.limits[partition].balance(now_).is_positive() &&
           (side.shares.empty() || side.shares[partition].balance(now_).is_positive());
  }

  void take_exactly(const Claim& claim) {
    Modelled& one = of(claim);
    ExactSide& side = one.sides[static_cast<std::size_t>(claim.dimension)];
    const Fraction units(claim.units_milli, 1000);
    const std::size_t partition = partition_of(claim.place.hash, one.partitions);
    if (side.own) side.own->take(units, now_, passed_);
    if (side.account) side.account->take(units, now_, passed_);
    side.limits[partition].take(units, now_, passed_);
    if (!side.shares.empty()) side.shares[partition].take(units, now_, passed_);
  }

  void finish(Modelled& one) {
    const ThroughputReport report = one.state->report(now_);
    for (std::size_t dimension = 0; dimension < kDimensions; ++dimension) {
      const ExactSide& side = one.sides[dimension];
      if (side.own) {
        demand(report.sides[dimension].own.balance_micro ==
                   side.own->balance(now_).floored_millionths(),
               "another balance of the whole");
        side.own->check_never_too_much();
      }
      if (side.account) side.account->check_never_too_much();
      for (std::size_t i = 0; i < side.limits.size(); ++i) {
        demand(report.partitions[i].sides[dimension].limit.balance_micro ==
                   side.limits[i].balance(now_).floored_millionths(),
               "another balance of a partition");
        side.limits[i].check_never_too_much();
      }
      for (const ExactBucket& share : side.shares) share.check_never_too_much();
    }
  }

  std::mt19937_64 random_;
  CapacityParameters parameters_;
  ThroughputState::Parameters shared_;
  Timestamp now_;
  std::vector<Modelled> modelled_;  // the table, then its indexes
  std::int64_t passed_ = 0;
  std::int64_t refused_ = 0;
};

bool run(std::uint64_t seed, std::uint64_t steps) {
  std::cout << "capacity model, seed " << seed << ", " << steps << " schedules" << std::endl;
  std::uint64_t step = 0;
  std::int64_t passed = 0;
  std::int64_t refused = 0;
  try {
    for (; step < steps; ++step) {
      Schedule schedule(seed + step);
      schedule.run();
      passed += schedule.passed();
      refused += schedule.refused_count();
    }
  } catch (const std::exception& failure) {
    std::cout << "seed " << seed + step << ": does not hold: " << failure.what() << std::endl;
    return false;
  }
  std::cout << passed << " requests passed, " << refused << " were refused" << std::endl;
  return passed > 0 && refused > 0;
}

}  // namespace
}  // namespace stator::capacity

int main(int argc, char** argv) {
  std::uint64_t seed = std::random_device{}();
  std::uint64_t steps = 200;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string_view(argv[i]) == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::string_view(argv[i]) == "--steps") steps = std::strtoull(argv[i + 1], nullptr, 10);
  }
  return stator::capacity::run(seed, steps) ? EXIT_SUCCESS : EXIT_FAILURE;
}
