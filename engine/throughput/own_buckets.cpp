#include "engine/throughput/own_buckets.h"

namespace stator::capacity {
OwnBuckets::OwnBuckets(const CapacityParameters& parameters, bool is_index, const OwnBuckets* table)
    : parameters_(parameters),
      shares_account_(is_index && parameters.account_scope == AccountScope::TableWithIndexes) {
  const bool shares =
      table != nullptr && parameters.account_scope == AccountScope::TableWithIndexes;
  account_ = shares ? table->account_ : std::make_shared<Buckets>();
}

Rate OwnBuckets::own_rate(const CapacitySettings& settings, Dimension dimension) const {
  const bool is_read = dimension == Dimension::Read;
  if (settings.mode == BillingMode::PayPerRequest) {
    const OnDemandThroughput& maximum = settings.maximum;
    return {.units = (is_read ? maximum.max_read_units : maximum.max_write_units).value_or(0),
            .burst_s = static_cast<std::int32_t>(parameters_.on_demand_max_burst_s)};
  }
  if (has_shares(settings.mode, parameters_)) return {};
  return {.units = units_of(settings.provisioned, dimension),
          .burst_s = static_cast<std::int32_t>(parameters_.burst_s)};
}

void OwnBuckets::begin(const CapacitySettings& settings, std::int64_t filled_s, Timestamp now) {
  const bool is_on_demand = settings.mode == BillingMode::PayPerRequest;
  for (const Dimension dimension : kBothDimensions) {
    own_[at(dimension)].begin(own_rate(settings, dimension), filled_s, now);
    TokenBucket& account = (*account_)[at(dimension)];
    if (!is_on_demand || (shares_account_ && account.is_limit())) continue;
    account.begin({.units = units_of(parameters_.account_table, dimension),
                   .burst_s = static_cast<std::int32_t>(parameters_.account_burst_s)},
                  parameters_.account_burst_s, now);
  }
}

void OwnBuckets::set_rates(const CapacitySettings& settings, Timestamp now) {
  for (const Dimension dimension : kBothDimensions) {
    TokenBucket& own = own_[at(dimension)];
    if (own.is_limit()) {
      own.set_rate(own_rate(settings, dimension), now);
    } else {
      own.begin(own_rate(settings, dimension), parameters_.initial_burst_s, now);
    }
  }
}

void OwnBuckets::refresh(Timestamp last, Timestamp now) {
  for (std::size_t i = 0; i < kDimensions; ++i) {
    own_[i].refresh(last, now);
    (*account_)[i].refresh(last, now);
  }
}

void OwnBuckets::report(bool is_on_demand, Timestamp now, ThroughputReport& report) const {
  for (std::size_t i = 0; i < kDimensions; ++i) {
    report.sides[i].own = reported(own_[i], now);
    if (is_on_demand) report.sides[i].account = reported((*account_)[i], now);
  }
}

}  // namespace stator::capacity
