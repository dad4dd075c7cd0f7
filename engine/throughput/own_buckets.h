// OwnBuckets: the limits of a whole table or index: its provisioned throughput or its maximum on
// demand, and the account's quota.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "engine/capacity/parameters.h"
#include "engine/capacity/throttling_reason.h"
#include "engine/capacity/token_bucket.h"
#include "engine/seams/clock.h"
#include "engine/throughput/throughput_values.h"

namespace stator::capacity {

// Whether each partition has a part of the provisioned throughput as its own limit.
inline bool has_shares(BillingMode mode, const CapacityParameters& parameters) {
  return mode == BillingMode::Provisioned && parameters.adaptive_mode != AdaptiveMode::Instant;
}

class OwnBuckets {
 public:
  // An index may share the account's quota with its table (AccountScope). `table` may be nullptr;
  // used only here. REQUIRES: the parameters outlive this.
  OwnBuckets(const CapacityParameters& parameters, bool is_index, const OwnBuckets* table);

  // Charges, from any thread.
  std::optional<Limit> exhausted(Dimension dimension, bool is_on_demand, Timestamp now) const {
    if (!own_[at(dimension)].is_open(now)) {
      return is_on_demand ? Limit::MaxOnDemandThroughput : Limit::ProvisionedThroughput;
    }
    if (is_on_demand && !(*account_)[at(dimension)].is_open(now)) return Limit::Account;
    return std::nullopt;
  }
  void draw(Dimension dimension, bool is_on_demand, std::int64_t units_micro, Timestamp now) {
    own_[at(dimension)].take(units_micro, now);
    if (is_on_demand) (*account_)[at(dimension)].take(units_micro, now);
  }
  void refund(Dimension dimension, bool is_on_demand, std::int64_t units_micro) {
    own_[at(dimension)].refund(units_micro);
    if (is_on_demand) (*account_)[at(dimension)].refund(units_micro);
  }

  // The functions below: one thread at a time.

  // Starts new buckets with the refill of `filled_s`. A quota shared with the table keeps its
  // balance.
  void begin(const CapacitySettings& settings, std::int64_t filled_s, Timestamp now);
  // Sets the rates of the same mode; balances stay.
  void set_rates(const CapacitySettings& settings, Timestamp now);
  void refresh(Timestamp last, Timestamp now);
  void report(bool is_on_demand, Timestamp now, ThroughputReport& report) const;

  // Calls `visit` with the number and the bucket of each, from 0; returns the next free number. A
  // quota shared with the table has a number but belongs to the table: it is not visited.
  template <class Visit>
  std::uint32_t for_each(const Visit& visit) {
    std::uint32_t number = 0;
    for (TokenBucket& bucket : own_) visit(number++, bucket);
    for (TokenBucket& quota : *account_) {
      if (!shares_account_) visit(number, quota);
      ++number;
    }
    return number;
  }

 private:
  using Buckets = std::array<TokenBucket, kDimensions>;
  static std::size_t at(Dimension dimension) { return static_cast<std::size_t>(dimension); }
  Rate own_rate(const CapacitySettings& settings, Dimension dimension) const;

  const CapacityParameters& parameters_;
  const bool shares_account_;
  Buckets own_;
  std::shared_ptr<Buckets> account_;
};

}  // namespace stator::capacity
