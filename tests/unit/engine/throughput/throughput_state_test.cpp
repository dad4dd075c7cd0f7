// What happens to a table's throughput over time beside the scenarios: modes, warming, persisted
// values, sizes, several claims at once, what it tells, what it costs, threads.
#include "engine/throughput/throughput_state.h"

#include <malloc.h>

#include <algorithm>
#include <thread>

#include <catch2/catch.hpp>

#include "engine/throughput/admission.h"

using namespace stator;
using namespace stator::capacity;

namespace {

constexpr std::int64_t kStartUs = 1'790'000'040'000'000;  // a whole minute
Timestamp second(std::int64_t seconds) { return {kStartUs + seconds * 1'000'000}; }

CapacitySettings provisioned(std::int64_t read, std::int64_t write) {
  CapacitySettings settings;
  settings.provisioned = {read, write};
  return settings;
}

CapacitySettings on_demand() {
  CapacitySettings settings;
  settings.mode = BillingMode::PayPerRequest;
  return settings;
}

// A table whose new buckets have saved one second.
struct OneTable {
  explicit OneTable(const CapacitySettings& settings, CapacityParameters parameters = {})
      : shared([&parameters] {
          parameters.initial_burst_s = 1;
          return std::make_shared<const CapacityParameters>(parameters);
        }()),
        state(ThroughputState::Of::Table, settings, shared, second(0)) {}

  // How many writes pass out of so many.
  int pass(int wanted, std::int64_t at_s, const Place& place = {},
           std::int64_t units_milli = 1000) {
    int passed = 0;
    const Claim claim{&state, Dimension::Write, place, units_milli};
    for (int i = 0; i < wanted; ++i) {
      const auto refusals = ask({&claim, 1}, second(at_s));
      if (refusals.empty()) {
        take({&claim, 1}, second(at_s));
        ++passed;
      } else {
        refused({&claim, 1}, refusals, second(at_s));
      }
    }
    return passed;
  }

  ThroughputState::Parameters shared;
  ThroughputState state;
};

}  // namespace

TEST_CASE("throttling reasons: names", "[capacity]") {
  CHECK(to_text({false, Dimension::Read, Limit::ProvisionedThroughput}) ==
        "TableReadProvisionedThroughputExceeded");
  CHECK(to_text({false, Dimension::Write, Limit::Account}) == "TableWriteAccountLimitExceeded");
  CHECK(to_text({true, Dimension::Read, Limit::MaxOnDemandThroughput}) ==
        "IndexReadMaxOnDemandThroughputExceeded");
  CHECK(to_text({true, Dimension::Write, Limit::KeyRangeThroughput}) ==
        "IndexWriteKeyRangeThroughputExceeded");
}

TEST_CASE("throughput: to on-demand mode and back", "[capacity]") {
  OneTable table(provisioned(100, 100));
  CHECK(table.pass(500, 0) == 100);
  table.state.configure(on_demand(), second(10), second(0));
  CHECK(table.pass(2000, 9) == 900);  // not yet
  CHECK(table.state.partitions().count() == 1);
  CHECK(table.pass(2000, 10) == 1000);
  CHECK(table.state.partitions().count() == 4);
  CHECK(table.state.warm() == Throughput{12'000, 4'000});
  table.state.configure(provisioned(10, 10), second(20), second(20));
  CHECK(table.pass(100, 20) == 10);
  CHECK(table.state.partitions().count() == 4);
  CHECK(table.state.warm() == Throughput{12'000, 4'000});
}

TEST_CASE("throughput: a change of the mode is counted once", "[capacity]") {
  OneTable table(provisioned(10, 10));
  table.state.configure(on_demand(), second(20), second(0));
  // Something else of the description changes meanwhile.
  table.state.configure(on_demand(), second(20), second(5));
  CHECK(table.state.on_demand_switches() == std::vector{second(0)});
  table.state.configure(on_demand(), second(25), second(25));
  CHECK(table.state.on_demand_switches().size() == 1);
}

TEST_CASE("throughput: a change of the mode beyond the quota does not count", "[capacity]") {
  OneTable table(provisioned(10, 10));
  for (int i = 0; i < 6; ++i) {
    table.state.configure(on_demand(), second(i), second(i));
    table.state.configure(provisioned(10, 10), second(i), second(i));
  }
  const std::vector first_four = {second(0), second(1), second(2), second(3)};
  CHECK(table.state.on_demand_switches() == first_four);
  table.state.configure(on_demand(), second(86'400), second(86'400));
  CHECK(table.state.on_demand_switches().back() == second(86'400));
}

TEST_CASE("throughput: settings that come later replace those that were to come", "[capacity]") {
  OneTable table(provisioned(10, 10));
  table.state.configure(provisioned(10, 1'000), second(5), second(0));
  table.state.configure(provisioned(10, 20), second(5), second(1));
  CHECK(table.state.next_due() == second(5));
  table.state.settle(second(5));
  CHECK(table.state.next_due() == Timestamp::max());
  CHECK(table.state.report(second(5)).settings.provisioned.write_units == 20);
  CHECK(table.state.warm() == Throughput{10, 20});
}

TEST_CASE("throughput: warming takes its time, less so when repeated", "[capacity]") {
  OneTable table(on_demand());
  CHECK(table.state.schedule_warm_throughput({12'000, 9'000}, second(0)) == second(390));
  CHECK(table.state.schedule_warm_throughput({12'000, 8'000}, second(10)) == second(400));
  const ThroughputReport cold = table.state.report(second(399));
  REQUIRE(cold.warming);
  CHECK(cold.warming->at == second(400));
  CHECK(cold.warming->to.write_units == 8'000);
  CHECK(table.state.warm().write_units == 4'000);
  const ThroughputReport warm = table.state.report(second(400));
  CHECK_FALSE(warm.warming);
  CHECK(warm.warm == Throughput{12'000, 8'000});
  CHECK(warm.partitions.size() == 8);
  // What is there takes no time, and ends what was on its way.
  CHECK(table.state.schedule_warm_throughput({12'000, 8'000}, second(500)) == second(500));
  CHECK(table.state.schedule_warm_throughput({12'000, 9'000}, second(500)) == second(502));
  CHECK(table.state.served_at_once(second(501)).is_warming);
  CHECK(table.state.schedule_warm_throughput({12'000, 8'000}, second(501)) == second(501));
  CHECK_FALSE(table.state.served_at_once(second(501)).is_warming);
}

TEST_CASE("throughput: a maximum on demand can be set, changed and taken away", "[capacity]") {
  OneTable table(on_demand());
  CapacitySettings limited = on_demand();
  limited.maximum.max_write_units = 20;
  table.state.configure(limited, second(0), second(0));
  CHECK(table.pass(100, 0) == 20);
  limited.maximum.max_write_units = 30;
  table.state.configure(limited, second(1), second(1));
  CHECK(table.pass(100, 1) == 20);
  CHECK(table.pass(100, 2) == 30);
  table.state.configure(on_demand(), second(3), second(3));
  CHECK(table.pass(900, 3) == 900);
}

TEST_CASE("throughput: a table and its indexes may share the account's quota", "[capacity]") {
  for (const AccountScope scope : {AccountScope::Each, AccountScope::TableWithIndexes}) {
    CapacityParameters parameters;
    parameters.account_table = {100, 100};
    parameters.account_scope = scope;
    OneTable table(on_demand(), parameters);
    ThroughputState index(ThroughputState::Of::Index, on_demand(), table.shared, second(0),
                          Throughput{}, &table.state);
    CHECK(table.pass(200, 0) == 100);
    const Claim claim{&index, Dimension::Write, {}, 1000};
    const auto refusals = ask({&claim, 1}, second(0));
    CHECK(refusals.empty() == (scope == AccountScope::Each));
    if (refusals.empty()) continue;
    CHECK(to_text(refusals.front().reason) == "IndexWriteAccountLimitExceeded");
    // Neither a new index nor one whose mode changes fills it again.
    const ThroughputState other(ThroughputState::Of::Index, on_demand(), table.shared, second(0),
                                Throughput{}, &table.state);
    CHECK(table.pass(1, 0) == 0);
    index.configure(provisioned(5, 5), second(0), second(0));
    index.configure(on_demand(), second(0), second(0));
    CHECK(table.pass(1, 0) == 0);
    CHECK(table.pass(200, 1) == 100);
  }
}

TEST_CASE("throughput: a key that moves within an index is to blame where it goes", "[capacity]") {
  OneTable table(on_demand());
  const Place hot{.hash = kHashesEnd - 1};
  CHECK(table.pass(2'000, 0, hot) == 1'000);
  const std::uint64_t before = table.state.report(second(0)).partitions[3].sides[1].refused;
  const std::array move = {Claim{&table.state, Dimension::Write, {.hash = 0}, 1000},
                           Claim{&table.state, Dimension::Write, hot, 1000}};
  const auto refusals = ask(move, second(0));
  REQUIRE(refusals.size() == 1);
  CHECK(to_text(refusals.front().reason) == "TableWriteKeyRangeThroughputExceeded");
  refused(move, refusals, second(0));
  const ThroughputReport report = table.state.report(second(0));
  CHECK(report.partitions[0].sides[1].refused == 0);
  CHECK(report.partitions[3].sides[1].refused == before + 1);
}

TEST_CASE("throughput: events are taken all or not at all", "[capacity]") {
  OneTable table(provisioned(10, 10));
  const Claim six{&table.state, Dimension::Write, {}, 10'000};
  const std::vector<Event> two = {{&six, 1}, {&six, 1}};
  const auto refusals = take_all(two, second(0));
  CHECK(refusals[0].empty());
  CHECK(refusals[1].size() == 1);
  const ThroughputReport report = table.state.report(second(0));
  CHECK(report.sides[1].own.balance_micro == 10 * kMicroPerUnit);
  CHECK(report.sides[1].consumed_milli == 0);
  CHECK(report.sides[1].refused[0] == 1);
  CHECK(report.sides[1].refused_milli == 20'000);  // both were asked for
  CHECK(take_all({two.data(), 1}, second(0)).front().empty());
  CHECK(table.state.report(second(0)).sides[1].consumed_milli == 10'000);
}

TEST_CASE("throughput: a partition over its size is split where its owner says", "[capacity]") {
  CapacityParameters parameters;
  parameters.partition_bytes_max = 1'000;
  OneTable table(provisioned(1, 1), parameters);
  CHECK_FALSE(table.state.add_bytes({.hash = 5}, 1'000));
  CHECK(table.state.add_bytes({.hash = 5}, 1));
  CHECK(table.state.split_for_size({77, "s"}, 600, second(1)));
  CHECK_FALSE(table.state.split_for_size({77, "s"}, 600, second(1)));
  CHECK_FALSE(table.state.add_bytes({.hash = 77, .sort = "s"}, 100));
  const ThroughputReport report = table.state.report(second(1));
  REQUIRE(report.partitions.size() == 2);
  CHECK(report.partitions[0].size_bytes == 600);
  CHECK(report.partitions[1].size_bytes == 501);
  REQUIRE(report.splits.size() == 1);
  CHECK(report.splits[0].cause == SplitCause::Size);
}

TEST_CASE("throughput: a provisioned table with a stream is not split for heat", "[capacity]") {
  for (const bool has_stream : {false, true}) {
    CapacitySettings settings = provisioned(1, 990);
    settings.has_stream = has_stream;
    OneTable table(settings);
    for (int s = 0; s <= 600; ++s) {
      for (const std::uint32_t hash : {1'000U, 2'000U}) {
        table.pass(1, s, {.hash = hash}, 500'000);
      }
    }
    const ThroughputReport report = table.state.report(second(600));
    CHECK(report.partitions.size() == (has_stream ? 1 : 2));
    CHECK(report.splits.size() == (has_stream ? 0 : 1));
  }
}

TEST_CASE("throughput: what is persisted makes the same table again", "[capacity]") {
  OneTable table(on_demand());
  for (int s = 0; s < 320; ++s) {
    for (const std::uint32_t hash : {1'000U, 2'000U}) {
      table.pass(1, s, {.hash = hash}, 1'500'000);
    }
    table.pass(1'000, s, {.hash = kHashesEnd / 2});
    table.pass(1'000, s, {.hash = kHashesEnd - 1});
  }
  table.state.schedule_warm_throughput({90'000, 4'000}, second(330));
  const PersistedThroughput persisted = table.state.persistent_form(second(330));
  REQUIRE(persisted.splits_due.size() == 1);
  REQUIRE(persisted.growths_due.size() == 1);
  REQUIRE(persisted.warming);
  ThroughputState again(ThroughputState::Of::Table, on_demand(), table.shared, second(340),
                        persisted);
  for (const std::int64_t at : {340, 599, 600, 719, 720, 1'859, 1'860, 3'000}) {
    const ThroughputReport left = table.state.report(second(at));
    const ThroughputReport right = again.report(second(at));
    INFO(at);
    CHECK(left.warm == right.warm);
    REQUIRE(left.partitions.size() == right.partitions.size());
    for (std::size_t i = 0; i < left.partitions.size(); ++i) {
      CHECK(left.partitions[i].begin == right.partitions[i].begin);
    }
  }
  CHECK(again.warm().read_units == 90'000);
  CHECK(again.warm().write_units > 4'000);
}

TEST_CASE("throughput: bytes are new until they are persisted", "[capacity]") {
  OneTable table(on_demand());
  CHECK_FALSE(table.state.partitions().has_new_bytes());
  table.state.add_bytes({.hash = 3}, 100);
  const PersistedThroughput persisted = table.state.persistent_form(second(0));
  // It could not be stored.
  CHECK(table.state.partitions().has_new_bytes());
  table.state.was_persisted(persisted);
  CHECK_FALSE(table.state.partitions().has_new_bytes());
  const PersistedThroughput behind = table.state.persistent_form(second(0));
  table.state.add_bytes({.hash = 3}, 1);
  table.state.was_persisted(behind);
  CHECK(table.state.partitions().has_new_bytes());
}

TEST_CASE("throughput: after a pause buckets have what came in during it", "[capacity]") {
  OneTable table(provisioned(10, 10));
  CHECK(table.pass(100, 0) == 10);
  PersistedThroughput persisted = table.state.persistent_form(second(0));
  const auto balance_at = [&](std::int64_t at_s, const CapacitySettings& settings) {
    ThroughputState again(ThroughputState::Of::Table, settings, table.shared, second(at_s),
                          persisted);
    return again.report(second(at_s)).sides[1].own.balance_micro;
  };
  CHECK(balance_at(0, provisioned(10, 10)) == 0);
  CHECK(balance_at(20, provisioned(10, 10)) == 200 * kMicroPerUnit);
  CHECK(balance_at(20, provisioned(10, 3)) == 60 * kMicroPerUnit);
  CHECK(balance_at(299, provisioned(10, 10)) == 2'990 * kMicroPerUnit);
  CHECK(balance_at(10'000, provisioned(10, 10)) == 3'000 * kMicroPerUnit);
  // Time may seem to go back by what a killed process did not store.
  CHECK(balance_at(-1, provisioned(10, 10)) == 0);
  // Of another mode, and of older programs.
  persisted.mode = BillingMode::PayPerRequest;
  CHECK(balance_at(20, provisioned(10, 10)) == 210 * kMicroPerUnit);
  persisted.mode = BillingMode::Provisioned;
  persisted.balances.reset();
  CHECK(balance_at(20, provisioned(10, 10)) == 210 * kMicroPerUnit);
}

TEST_CASE("throughput: each bucket that is not full is persisted", "[capacity]") {
  CapacityParameters parameters;
  parameters.partition_limits = {30, 10};
  parameters.account_table = {40, 20};
  CapacitySettings settings = on_demand();
  settings.maximum = {100, 15};
  parameters.on_demand_initial = {120, 40};
  OneTable table(settings, parameters);
  const auto lacking_at = [&table](std::int64_t at_s) {
    return table.state.persistent_form(second(at_s)).balances.value().lacking;
  };
  CHECK(lacking_at(299).empty());
  const Place second_partition{.hash = partition_begin(1, 4)};
  CHECK(table.pass(13, 400, second_partition) == 10);
  // The table's own of writes, the account's of writes, and what the second partition serves.
  using Buckets = std::vector<PersistedBalances::Bucket>;
  const std::int64_t own_micro = (15 * 300 - 10) * kMicroPerUnit;
  CHECK(lacking_at(400) == Buckets{{1, own_micro}, {3, 10 * kMicroPerUnit}, {4 + 4 + 2, 0}});
  const PersistedThroughput persisted = table.state.persistent_form(second(400));
  CHECK(persisted.balances->lacking.back().number < bucket_count(4));
  CHECK(lacking_at(401).empty());
  ThroughputState again(ThroughputState::Of::Table, settings, table.shared, second(400), persisted);
  CHECK(again.persistent_form(second(400)).balances.value().lacking == persisted.balances->lacking);
}

TEST_CASE("throughput: shares of partitions are persisted", "[capacity]") {
  CapacityParameters parameters;
  parameters.adaptive_mode = AdaptiveMode::Off;
  parameters.partition_limits = {3'000, 100};
  OneTable table(provisioned(10, 110), parameters);  // 3 partitions, two for the writes
  const std::uint32_t partitions = table.state.partitions().count();
  REQUIRE(partitions > 1);
  const int passed = table.pass(100, 0);
  CHECK(passed < 100);
  const PersistedThroughput persisted = table.state.persistent_form(second(0));
  ThroughputState again(ThroughputState::Of::Table, provisioned(10, 110), table.shared, second(0),
                        persisted);
  const Place first{};
  CHECK_FALSE(again.partitions().serves(Dimension::Write, first, second(0)));
  CHECK(again.partitions().serves(Dimension::Write, first, second(1)));
  CHECK(again.partitions().serves(Dimension::Write, {.hash = kHashesEnd - 1}, second(0)));
}

namespace {

// When it is to be looked at next.
struct NextLook final : ThroughputWatcher {
  void look_at(const std::weak_ptr<ThroughputState>&, Timestamp at) noexcept override {
    next = std::min(next, at);
  }
  Timestamp next = Timestamp::max();
};

}  // namespace

TEST_CASE("throughput: what buckets lack is persisted a second after units were drawn",
          "[capacity]") {
  const auto shared = std::make_shared<const CapacityParameters>();
  const auto state = std::make_shared<ThroughputState>(ThroughputState::Of::Table,
                                                       provisioned(10, 10), shared, second(0));
  NextLook watcher;
  state->watch(watcher, 1);
  CHECK(watcher.next == Timestamp::max());
  const auto charge = [&](std::int64_t at_s) {
    const Claim claim{state.get(), Dimension::Write, {}, 1'000};
    REQUIRE(ask({&claim, 1}, second(at_s)).empty());
    take({&claim, 1}, second(at_s));
  };
  const auto keep = [&](std::int64_t at_s) {
    watcher.next = Timestamp::max();
    const bool is_wanted = state->look(second(at_s));
    if (is_wanted) state->was_persisted(state->persistent_form(second(at_s)));
    return is_wanted;
  };
  for (int i = 0; i < 25; ++i) charge(0);
  CHECK(watcher.next == second(1));
  CHECK(state->has_new_debits(second(0)));
  CHECK(keep(1));
  CHECK_FALSE(state->has_new_debits(second(1)));
  // Nothing more was drawn: nobody comes before the window ends, and then there is nothing to keep.
  CHECK(watcher.next == second(60));
  CHECK_FALSE(keep(60));
  // The next charge asks for another look, and that it could not be persisted does not count.
  for (int i = 0; i < 100; ++i) charge(70);
  CHECK(watcher.next == second(71));
  CHECK(state->look(second(71)));
  CHECK(state->look(second(72)));
  CHECK(keep(73));
  // What is full again by then need not be persisted.
  charge(100);
  CHECK_FALSE(keep(101));
  CHECK_FALSE(state->has_new_debits(second(101)));
}

TEST_CASE("throughput: new buckets that are not full are persisted", "[capacity]") {
  CapacityParameters parameters;
  parameters.initial_burst_s = 1;
  const auto state = std::make_shared<ThroughputState>(
      ThroughputState::Of::Table, provisioned(10, 10),
      std::make_shared<const CapacityParameters>(parameters), second(0));
  NextLook watcher;
  state->watch(watcher, 1);
  CHECK(watcher.next == second(1));
  CHECK(state->look(second(1)));
}

TEST_CASE("throughput: what it tells of the last minute and of keys", "[capacity]") {
  OneTable table(provisioned(100, 100));
  CHECK(table.pass(150, 1, {.hash = 3, .sort = "s", .partition = "Anna"}) == 150);
  CHECK(table.pass(50, 2, {.hash = 3, .sort = "t", .partition = "Anna"}) == 50);
  CHECK(table.pass(300, 2, {.hash = 9, .sort = {}, .partition = "Bert"}) == 100);
  CHECK(table.state.report(second(2)).sides[1].sufficient_units == 9);  // of what is known so far
  const ThroughputReport report = table.state.report(second(60));
  const ThroughputReport::Side& writes = report.sides[1];
  CHECK(writes.consumed_milli == 300'000);
  CHECK(writes.minute_milli == 300'000);
  CHECK(writes.refused[static_cast<std::size_t>(Limit::ProvisionedThroughput)] == 200);
  CHECK(writes.sufficient_units == 9);  // 500 in a minute
  CHECK(writes.refused_milli == 200'000);
  CHECK(writes.own.size_micro == 30'000 * kMicroPerUnit);
  CHECK(report.partitions[0].sides[1].limit.size_micro == 1'000 * kMicroPerUnit);
  CHECK(report.partitions[0].sides[1].minute_milli == 300'000);
  REQUIRE(report.accessed_keys.size() == 2);
  CHECK(report.accessed_keys[0].bytes == "Anna");
  REQUIRE(report.throttled_keys.size() == 1);
  CHECK(report.throttled_keys[0].bytes == "Bert");
  const ThroughputReport later = table.state.report(second(120));
  CHECK(later.sides[1].minute_milli == 0);
  CHECK(later.sides[1].refused_milli == 200'000);
  CHECK(later.sides[1].sufficient_units == 9);
}

TEST_CASE("throughput: what was refused is told once, with where it was", "[capacity]") {
  OneTable table(on_demand());
  const Place low{.hash = 3, .sort = {}, .partition = "Anna"};
  const Place high{.hash = kHashesEnd - 1, .sort = {}, .partition = "Bert"};
  CHECK(table.pass(1'030, 1, low) == 1'000);
  CHECK(table.pass(1'020, 1, high) == 1'000);
  const auto limit = static_cast<std::size_t>(Limit::KeyRangeThroughput);
  const UnreportedThrottles first = table.state.take_unreported(second(60));
  CHECK(first.partitions == 4);
  CHECK(first.sides[1].refused[limit] == 50);
  CHECK(first.sides[1].hottest_partition == std::size_t{0});
  CHECK(first.sides[1].hottest_key == "Anna");
  CHECK_FALSE(first.sides[0].hottest_partition);
  // Anna has more in all, and Bert since.
  CHECK(table.pass(1'010, 61, high) == 1'000);
  CHECK(table.pass(1'005, 61, low) == 1'000);
  const UnreportedThrottles next = table.state.take_unreported(second(120));
  CHECK(next.sides[1].refused[limit] == 15);
  CHECK(next.sides[1].hottest_partition == std::size_t{3});
  CHECK(next.sides[1].hottest_key == "Bert");
  CHECK(table.state.take_unreported(second(180)).sides[1].refused[limit] == 0);
}

TEST_CASE("throughput: a leap of the clock over years", "[capacity]") {
  OneTable table(on_demand());
  CHECK(table.pass(2'000, 0) == 1'000);
  CHECK(table.pass(2'000, std::int64_t{20} * 31'557'600) == 1'000);
  CHECK(table.state.partitions().count() == 4);
}

TEST_CASE("throughput: a table costs less than 4 KB", "[capacity]") {
  const auto parameters = std::make_shared<const CapacityParameters>();
  const auto used_bytes = [] { return mallinfo2().uordblks; };
  constexpr std::size_t kTables = 1'000;
  const std::size_t before = used_bytes();
  std::vector<std::unique_ptr<ThroughputState>> tables;
  tables.reserve(kTables);
  for (std::size_t i = 0; i < kTables; ++i) {
    tables.push_back(std::make_unique<ThroughputState>(ThroughputState::Of::Table, on_demand(),
                                                       parameters, second(0)));
  }
  const std::size_t unused = (used_bytes() - before) / kTables;
  for (const auto& table : tables) {
    for (std::uint32_t key = 0; key < 100; ++key) {
      const std::string name = "customer#" + std::to_string(1'000'000'000 + key);
      const Claim claim{table.get(), Dimension::Read, {.hash = key << 17, .partition = name}, 500};
      take({&claim, 1}, second(1));
    }
  }
  const std::size_t used = (used_bytes() - before) / kTables;
  INFO(unused << " bytes of a new table, " << used << " of one that is used");
#if defined(STATOR_SANITIZED)
  SUCCEED("sanitizers have an allocator of their own");
#else
  CHECK(unused > 500);
  CHECK(used > unused);
  CHECK(used <= 4'096);
#endif
}

TEST_CASE("throughput: threads pass one charge each too much at most", "[capacity]") {
  constexpr int kThreads = 4;
  OneTable table(provisioned(20'000, 1));
  std::atomic<int> passed{0};
  const auto charge = [&table, &passed](char thread) {
    const std::string name(3, thread);
    for (std::uint32_t n = 0; n < 10'000; ++n) {
      const Place place{.hash = n * 479'001'599U % kHashesEnd, .partition = name};
      const Claim claim{&table.state, Dimension::Read, place, 1000};
      // The clock goes on within the first second, over no end of a window.
      const Timestamp now{kStartUs + static_cast<std::int64_t>(n % 2)};
      const auto refusals = ask({&claim, 1}, now);
      if (refusals.empty()) {
        take({&claim, 1}, now);
        passed.fetch_add(1, std::memory_order_relaxed);
      } else {
        refused({&claim, 1}, refusals, now);
      }
    }
  };
  const auto charge_beside = [&table, &charge](const CapacitySettings& settings) {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back(charge, static_cast<char>('a' + i));
    table.state.configure(settings, second(0), second(0));
    for (std::thread& thread : threads) thread.join();
  };

  charge_beside(provisioned(20'000, 2));
  CHECK(passed >= 20'000);
  CHECK(passed <= 20'000 + kThreads);
  CHECK(table.state.report(second(0)).sides[0].consumed_milli == passed * 1000);

  // While the rate itself is changed, charges may pass free. They are counted all the same.
  charge_beside(provisioned(19'000, 2));
  CHECK(table.state.report(second(0)).sides[0].consumed_milli == passed * 1000);
}
