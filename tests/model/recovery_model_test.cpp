// Backups and point-in-time recovery against a model: random writes, transactions, expiry, an index
// that comes and goes, clock moves, marks and rollbacks, pieces of maintenance, kills, recovery
// disabled and enabled again, tables deleted. What a restore makes must be what the model had at
// its second, items and index, and so must what a backup makes. The same seed repeats the same run:
//
//   model_recovery [--seed N] [--steps N]

// What the driver shares with unit tests wants Catch, whose main() this is not.
#define CATCH_CONFIG_RUNNER  // NOLINT(readability-identifier-naming): Catch's
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/model/streams/random_writes.h"
#include "tests/unit/engine/harness/engine_driver.h"
#include "tests/unit/engine/harness/table_text.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::model {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr std::uint64_t kKeys = 40;
constexpr std::size_t kTargetsMax = 3;  // tables that are restored at a time
constexpr std::size_t kBackupsMax = 4;
constexpr const char* kTable = "Things";

using Items = std::map<std::string, std::string>;  // by key, as JSON

void set(Items& items, const std::string& key, const std::string& item) {
  if (item.empty()) {
    items.erase(key);
  } else {
    items[key] = item;
  }
}

std::string unquoted(const std::string& text) {
  return text.size() < 2 ? "" : text.substr(1, text.size() - 2);
}
std::string member(const std::string& json, std::string_view name) {
  return test::Answer{true, json, 0}.member(name);
}

struct Change {
  Timestamp time;
  std::string key;
  std::string after;
};

// What the model knows of the table, and goes back to with a mark.
struct Known {
  Items items;
  std::vector<Change> changes;     // since recovery was enabled
  Items at_enabling;               // the items then
  std::optional<Timestamp> since;  // when that was; empty: it is disabled
  std::int64_t period_days = 0;
  bool has_index = false;

  Items items_at(Timestamp moment) const {
    Items then = at_enabling;
    for (const Change& change : changes) {
      if (change.time <= moment) set(then, change.key, change.after);
    }
    return then;
  }
};

struct Counts {
  std::size_t restores = 0;
  std::size_t backups = 0;
  std::size_t rollbacks = 0;
  std::size_t kills = 0;
  std::size_t expired = 0;
  std::size_t deletions = 0;
};

class Run {
 public:
  Run(std::uint64_t seed, const std::filesystem::path& folder)
      : random_(seed), folder_(folder), engine_(settings(folder, seed)) {
    create();
  }

  void step() {
    const std::uint64_t dice = pick(1000);
    if (dice < 640) return write();
    if (dice < 760) return advance(seconds(pick(90)));
    if (dice < 780) return advance(hours(pick(8)));
    if (dice < 870) return maintain(1 + pick(30));
    if (dice < 885) return finish();
    if (dice < 915) return restore();
    if (dice < 930) return back_up();
    if (dice < 945) return restore_backup();
    if (dice < 955) return switch_index();
    if (dice < 963) return switch_recovery();
    if (dice < 975) return mark();
    if (dice < 983) return roll_back();
    if (dice < 987) return kill();
    if (dice < 989) return delete_table();
    check_items();
  }

  // Lets all restores end, and compares them.
  void finish() {
    maintain_all();
    maintain_all();  // late indexes of what the first time copied
    for (auto& [name, expected] : std::exchange(targets_, {})) {
      compare(name, expected);
      ok("DeleteTable", R"({"TableName":")" + name + "\"}");
    }
    maintain_all();
  }

  const Counts& counts() const { return counts_; }

 private:
  static Settings settings(const std::filesystem::path& folder, std::uint64_t seed) {
    Settings settings;
    settings.storage.folder = folder;
    if (seed % 2 == 1) settings.gsi_delay = seconds(1);
    return settings;
  }

  std::uint64_t pick(std::uint64_t below) { return random_() % below; }

  test::Answer ok(std::string_view operation, const std::string& body) {
    test::Answer answer = engine_.call(operation, body);
    if (!answer.ok) fail(std::string(operation) + " " + body + ": " + answer.json);
    return answer;
  }
  [[noreturn]] static void fail(const std::string& what) { throw std::runtime_error(what); }

  void create() {
    ok("CreateTable", test::create_table_request("Things (pk)"));
    ok("UpdateTimeToLive",
       R"({"TableName":"Things","TimeToLiveSpecification":{"AttributeName":"ttl","Enabled":true}})");
    known_ = {};
    switch_recovery();
  }

  void write() {
    std::vector<ItemWrite> writes;
    const std::uint64_t first = pick(kKeys);
    for (std::uint64_t i = 0, count = pick(8) == 0 ? 1 + pick(5) : 1; i < count; ++i) {
      const std::string key = "k" + std::to_string((first + i) % kKeys);
      const auto held = known_.items.find(key);
      writes.push_back(random_write(key, held == known_.items.end() ? "" : held->second,
                                    now().unix_s(), random_));
    }
    if (writes.size() == 1) {
      ok(operation_of(writes[0]), request_of(writes[0], kTable));
    } else {
      std::string actions;
      for (const ItemWrite& one : writes)
        actions += (actions.empty() ? "" : ",") + action_of(one, kTable);
      ok("TransactWriteItems", R"({"TransactItems":[)" + actions + "]}");
    }
    for (const ItemWrite& one : writes) note(one.key, one.after);
  }

  void note(const std::string& key, const std::string& after) {
    set(known_.items, key, after);
    if (known_.since) known_.changes.push_back({now(), key, after});
  }

  // The engine's: after a kill it is ahead of the clock.
  Timestamp now() { return engine_.engine().clock().now(); }
  void advance(std::chrono::microseconds delta) { engine_.clock().advance(delta); }

  void maintain(std::size_t records_max) {
    engine_.maintain({.records_max = records_max});
    note_expired();
  }

  void maintain_all() {
    advance(seconds(2));  // late indexes, and the next look for expired items
    while (engine_.maintain({.records_max = 1 + pick(50)}).is_due) {
    }
    note_expired();
  }

  // Maintenance removes expired items, and nothing else.
  void note_expired() {
    const Items found = scan(kTable, "");
    for (const auto& [key, item] : Items(known_.items)) {
      if (found.contains(key)) continue;
      const std::string due_s = unquoted(member(member(item, "ttl"), "N"));
      if (due_s.empty() || std::stoll(due_s) > now().unix_s()) fail("maintenance removed " + item);
      note(key, "");
      ++counts_.expired;
    }
  }

  Items scan(const std::string& table, const std::string& index) {
    const std::string where = index.empty() ? "" : R"(,"IndexName":")" + index + "\"";
    const std::string answer = ok("Scan", R"({"TableName":")" + table + "\"" + where + "}").json;
    Items items;
    const std::string rest = member(answer, "Items");
    for (std::size_t at = 1; at + 1 < rest.size();) {
      // Elements are objects: each is found as the member of a text that begins with it.
      const std::string item = test::Answer{true, "\"x\":" + rest.substr(at), 0}.member("x");
      items[unquoted(member(member(item, "pk"), "S"))] = item;
      at += item.size() + 1;
    }
    return items;
  }

  void check_items() {
    if (scan(kTable, "") != known_.items) fail("the table differs");
  }

  // ---- Recovery

  void switch_recovery() {
    const bool enables = !known_.since;
    const std::int64_t period_days = 1 + static_cast<std::int64_t>(pick(3));
    ok("UpdateContinuousBackups",
       std::string(R"({"TableName":"Things","PointInTimeRecoverySpecification":)") +
           R"({"PointInTimeRecoveryEnabled":)" +
           (enables ? R"(true,"RecoveryPeriodInDays":)" + std::to_string(period_days) : "false") +
           "}}");
    known_.period_days = period_days;
    known_.changes.clear();
    known_.at_enabling = known_.items;
    known_.since = enables ? std::optional(now()) : std::nullopt;
    if (!enables && pick(2) == 0) switch_recovery();
  }

  void restore() {
    if (!known_.since || targets_.size() == kTargetsMax) return;
    const Timestamp window = now().plus(-hours(24) * known_.period_days);
    const std::int64_t first_s = std::max(*known_.since, window).unix_s();
    const std::int64_t last_s = now().unix_s();
    const std::int64_t moment_s =
        first_s + static_cast<std::int64_t>(pick(static_cast<std::uint64_t>(last_s - first_s + 1)));
    const std::string name = next_name();
    ok("RestoreTableToPointInTime", R"({"SourceTableName":"Things","TargetTableName":")" + name +
                                        R"(","RestoreDateTime":)" + std::to_string(moment_s) + "}");
    const Timestamp end_of_second{(moment_s + 1) * 1'000'000 - 1};
    targets_.emplace_back(name, Expected{known_.items_at(end_of_second), known_.has_index});
    ++counts_.restores;
  }

  struct Expected {
    Items items;
    bool has_index;
  };

  void compare(const std::string& name, const Expected& expected) {
    const std::string described = ok("DescribeTable", R"({"TableName":")" + name + "\"}").json;
    if (member(described, "TableStatus") != "\"ACTIVE\"") fail(name + " is not active");
    compare_items(name, scan(name, ""), expected.items);
    if (member(described, "ItemCount") != std::to_string(expected.items.size()))
      fail(name + " has " + member(described, "ItemCount") + " items, not " +
           std::to_string(expected.items.size()));
    if (!expected.has_index) return;
    Items indexed;
    for (const auto& [key, item] : expected.items) {
      if (!member(member(item, "g"), "S").empty()) indexed.emplace(key, item);
    }
    compare_items(name + "'s index", scan(name, "by_g"), indexed);
  }

  static void compare_items(const std::string& name, const Items& found, const Items& expected) {
    for (const auto& [key, item] : expected) {
      const auto restored = found.find(key);
      if (restored == found.end() || restored->second != item)
        fail(name + ": " + key + " is " + (restored == found.end() ? "absent" : restored->second) +
             ", not " + item);
    }
    if (found.size() != expected.size()) fail(name + " has an item too many");
  }

  // ---- Backups

  void back_up() {
    if (backups_.size() == kBackupsMax) {
      ok("DeleteBackup", R"({"BackupArn":)" + backups_.front().first + "}");
      backups_.erase(backups_.begin());
    }
    const auto made = ok("CreateBackup", R"({"TableName":"Things","BackupName":"some"})");
    backups_.emplace_back(made.member("BackupArn"), Expected{known_.items, known_.has_index});
    ++counts_.backups;
  }

  void restore_backup() {
    if (backups_.empty() || targets_.size() == kTargetsMax) return;
    const auto& [arn, expected] = backups_[pick(backups_.size())];
    const std::string name = next_name();
    const auto answer = engine_.call("RestoreTableFromBackup", R"({"TargetTableName":")" + name +
                                                                   R"(","BackupArn":)" + arn + "}");
    if (!answer.ok && answer.json.find("BackupInUseException") != std::string::npos) return;
    if (!answer.ok) fail(answer.json);
    targets_.emplace_back(name, expected);
    ++counts_.restores;
  }

  // With recovery it leaves a backup of its own.
  void delete_table() {
    const std::size_t before = count_system_backups();
    ok("DeleteTable", R"({"TableName":"Things"})");
    if (count_system_backups() != before + (known_.since ? 1 : 0)) fail("backups of type SYSTEM");
    ++counts_.deletions;
    drop_mark();
    create();
  }

  std::size_t count_system_backups() {
    const std::string listed = ok("ListBackups", R"({"BackupType":"SYSTEM"})").json;
    std::size_t count = 0;
    for (std::size_t at = 0; (at = listed.find("BackupArn", at)) != std::string::npos; ++at)
      ++count;
    return count;
  }

  // ---- Everything else

  void switch_index() {
    const std::string update =
        known_.has_index
            ? R"({"Delete":{"IndexName":"by_g"}})"
            : R"({"Create":{"IndexName":"by_g","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],)"
              R"("Projection":{"ProjectionType":"ALL"}}})";
    const std::string definitions =
        known_.has_index ? ""
                         : R"(,"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},)"
                           R"({"AttributeName":"g","AttributeType":"S"}])";
    const auto answer =
        engine_.call("UpdateTable", R"({"TableName":"Things")" + definitions +
                                        R"(,"GlobalSecondaryIndexUpdates":[)" + update + "]}");
    if (answer.ok) known_.has_index = !known_.has_index;
  }

  struct MarkedState {
    Known known;
    std::vector<std::pair<std::string, Expected>> backups;
    std::vector<std::pair<std::string, Expected>> targets;
    Timestamp time;
  };

  void mark() {
    if (engine_.engine().set_mark("m") != MarkOutcome::Done) fail("no mark");
    marked_ = MarkedState{known_, backups_, targets_, now()};
  }

  // The clock of the driver stays where it is: the history has a gap then, nothing else.
  void roll_back() {
    if (!marked_) return;
    if (engine_.engine().roll_back("m") != MarkOutcome::Done) fail("no rollback");
    known_ = marked_->known;
    backups_ = marked_->backups;
    targets_ = marked_->targets;
    ++counts_.rollbacks;
  }

  void drop_mark() {
    if (!std::exchange(marked_, std::nullopt)) return;
    if (engine_.engine().forget_mark("m") != MarkOutcome::Done) fail("the mark is gone");
  }

  // Leaves the files as SIGKILL would: what an orderly end wrote is taken back.
  void kill() {
    std::map<std::filesystem::path, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      files[entry.path()] = {std::istreambuf_iterator<char>(file), {}};
    }
    engine_.close();
    // In place: a copy of a folder in use is refused.
    for (const auto& [path, content] : files)
      std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
    engine_.open();
    ++counts_.kills;
  }

  std::string next_name() { return "Restored" + std::to_string(++names_); }

  std::mt19937_64 random_;
  const std::filesystem::path folder_;
  test::EngineDriver engine_;
  Known known_;
  std::vector<std::pair<std::string, Expected>> targets_;  // tables being restored
  std::vector<std::pair<std::string, Expected>> backups_;  // by ARN, with its quotes
  std::optional<MarkedState> marked_;
  std::uint64_t names_ = 0;
  Counts counts_;
};

constexpr std::uint64_t kStepsForAll = 2000;  // from that many on a run meets everything

bool run(std::uint64_t seed, std::uint64_t steps) {
  std::uint64_t step = 0;
  try {
    const storage::TemporaryFolder folder;
    Run model(seed, folder.path());
    for (; step < steps; ++step) model.step();
    model.finish();
    const Counts& met = model.counts();
    std::cout << "recovery model, seed " << seed << ", " << steps << " steps: no difference in "
              << met.restores << " restores, " << met.backups << " backups; " << met.rollbacks
              << " rollbacks, " << met.kills << " kills, " << met.expired << " expired items, "
              << met.deletions << " deleted tables" << std::endl;
    const bool met_all = met.restores > 0 && met.backups > 0 && met.rollbacks > 0 &&
                         met.kills > 0 && met.expired > 0 && met.deletions > 0;
    if (!met_all && steps >= kStepsForAll)
      throw std::runtime_error("it never met what it is about");
    return true;
  } catch (const std::exception& failure) {
    std::cout << "recovery model, seed " << seed << ", step " << step << ": " << failure.what()
              << std::endl;
    return false;
  }
}

}  // namespace
}  // namespace stator::model

int main(int argc, char** argv) {
  std::uint64_t seed = std::random_device{}();
  std::uint64_t steps = std::getenv("STATOR_SANITIZED") != nullptr ? 2'000 : 10'000;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--steps") steps = std::strtoull(argv[i + 1], nullptr, 10);
  }
  bool holds = true;
  for (std::uint64_t more = 0; more < 2; ++more)
    holds = stator::model::run(seed + more, steps) && holds;
  return holds ? EXIT_SUCCESS : EXIT_FAILURE;
}
