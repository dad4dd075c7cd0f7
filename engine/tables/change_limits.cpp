#include "engine/tables/change_limits.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "engine/tables/table_definition.h"
#include "engine/tables/table_state.h"
#include "engine/throughput/change_quotas.h"
#include "engine/throughput/throughput_state.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

// Example: Friday, October 9, 2026 at 12:21:34 AM Coordinated Universal Time
std::string long_date(Timestamp at) {
  using namespace std::chrono;
  constexpr std::array kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                "Thursday", "Friday", "Saturday"};
  constexpr std::array kMonths = {"January",   "February", "March",    "April",
                                  "May",       "June",     "July",     "August",
                                  "September", "October",  "November", "December"};
  const sys_seconds time{floor<seconds>(microseconds(at.unix_us))};
  const sys_days day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss<seconds> clock{time - day};
  const auto hour = make12(clock.hours()).count();
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%d:%02d:%02d %s", static_cast<int>(hour),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()), is_am(clock.hours()) ? "AM" : "PM");
  return std::string(kDays[weekday(day).c_encoding()]) + ", " +
         kMonths[static_cast<unsigned>(date.month()) - 1] + " " +
         std::to_string(static_cast<unsigned>(date.day())) + ", " +
         std::to_string(static_cast<int>(date.year())) + " at " + text.data() +
         " Coordinated Universal Time";
}

Result<void> check_decrease(const Throughput& before, const Throughput& wanted,
                            const ThroughputHistory& history, Timestamp now) {
  if (wanted.read_units >= before.read_units && wanted.write_units >= before.write_units) return {};
  const capacity::ChangeQuotas quotas;
  const Timestamp next = capacity::next_decrease(history, now, quotas);
  if (next <= now) return {};
  return Error::limit_exceeded(
      "Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC "
      "day. After the first " +
      std::to_string(quotas.decreases_at_once) +
      " decreases, each subsequent decrease in the same UTC day can be performed at most once "
      "every " +
      std::to_string(quotas.decrease_interval_s) + " seconds. Number of decreases today: " +
      std::to_string(history.decreases_on(now)) + ". Last decrease at " +
      long_date(*history.last_decrease) + ". Next decrease can be made at " + long_date(next));
}

// The text of today's limit is not known; this is that of the older one.
Result<void> check_switch(const std::vector<Timestamp>& switches, Timestamp now) {
  const capacity::ChangeQuotas quotas;
  const Timestamp next = capacity::next_on_demand_switch(switches, now, quotas);
  if (next <= now) return {};
  return Error::limit_exceeded(
      "Subscriber limit exceeded: Update to PayPerRequest mode are limited to " +
      std::to_string(quotas.mode_switches) + " times in 1 day(s). Last update at " +
      long_date(switches.back()) + ". Next update can be made at " + long_date(next));
}

// Checks an update against a table's limits. Where throughput is enforced the first exceeded limit
// rejects it; otherwise all exceeded limits are recorded.
class Limits {
 public:
  Limits(const Table& table, Charging& charging, Timestamp now)
      : table_(table), charging_(charging), now_(now) {}

  Result<void> check(const JsonNode& body) {
    if (string_member(body, "BillingMode") == "PAY_PER_REQUEST") {
      return found(LimitedChange::OnDemandSwitch, nullptr,
                   check_switch(table_.runtime->throughput->on_demand_switches(), now_));
    }
    if (const JsonNode* throughput = body.find("ProvisionedThroughput")) {
      STATOR_CHECK(found(LimitedChange::Decrease, nullptr,
                         check_decrease(table_.settings.throughput, build_throughput(throughput),
                                        table_.settings.history, now_)));
    }
    for (const JsonNode& update : list_member(body, "GlobalSecondaryIndexUpdates"))
      STATOR_CHECK(check_index(update));
    return {};
  }

 private:
  Result<void> check_index(const JsonNode& update) {
    const JsonNode* change = update.find("Update");
    if (change == nullptr) return {};
    const JsonNode* throughput = change->find("ProvisionedThroughput");
    if (throughput == nullptr) return {};
    for (const GlobalIndex& index : table_.global_indexes) {
      if (index.name != string_member(*change, "IndexName")) continue;
      return found(
          LimitedChange::Decrease, &index,
          check_decrease(index.throughput, build_throughput(throughput), index.history, now_));
    }
    return {};
  }

  // A null `index` means the table itself.
  Result<void> found(LimitedChange change, const GlobalIndex* index, Result<void> checked) {
    if (checked) return {};
    charging_.limit({table_.name, table_.runtime, index != nullptr ? index->name : std::string(),
                     index != nullptr ? index->runtime : table_.runtime, change, now_, table_.scope,
                     table_.region});
    if (table_.runtime->throttling.load() == Throttling::Enforce) return checked;
    return {};
  }

  const Table& table_;
  Charging& charging_;
  const Timestamp now_;
};

}  // namespace

Result<void> check_change_limits(const JsonNode& body, const Table& table, Charging& charging,
                                 Timestamp now) {
  if (table.runtime->throughput == nullptr || table.runtime->throttling.load() == Throttling::Off)
    return {};
  if (table.settings.billing_mode == BillingMode::PayPerRequest || leaves_on_demand(table, now))
    return {};
  return Limits(table, charging, now).check(body);
}

}  // namespace stator
