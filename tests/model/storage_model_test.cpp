// The item store against a std::map: random puts, erasures, walks, commits, crashes before the
// commit, snapshots kept while others write, and reopened folders. The same seed repeats the same
// run:  model_engine [--seed N] [--steps N]
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/storage/environment/environment.h"
#include "engine/storage/environment/transaction.h"
#include "engine/storage/keys/partition_hash.h"
#include "engine/storage/stores/item_store.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::storage {
namespace {

constexpr std::uint32_t kSpaces = 3;

// Space, place of the partition, partition, sort: the order a walk must have.
using ModelKey = std::tuple<std::uint32_t, std::uint32_t, std::string, std::string>;
using Model = std::map<ModelKey, std::string>;

void demand(bool holds, std::string_view what) {
  if (!holds) throw std::runtime_error(std::string(what));
}

class Run {
 public:
  Run(std::uint64_t seed, std::optional<std::filesystem::path> folder)
      : random_(seed), folder_(std::move(folder)) {
    make_keys();
    open();
  }

  void step() {
    switch (below(20)) {
      case 0:
        return walk(*transaction_, written_);
      case 1:
        return walk_partition(*transaction_, written_);
      case 2:
        return erase_some_records();
      case 3:
        return commit();
      case 4:
        return crash();
      case 5:
        return snapshot();
      case 6:
        if (below(20) == 0) reopen();
        return;
      case 7:
      case 8:
      case 9:
      case 10:
      case 11:
        return erase();
      case 12:
        return find(*transaction_, written_);
      default:
        return put();
    }
  }

  void finish() {
    commit();
    reopen();
    for (std::uint32_t space = 0; space < kSpaces; ++space) {
      while (!unwrap(erase_some(*transaction_, SpaceId{space}, 100))) {
      }
    }
    for (const Database database : {Database::Items, Database::Nodes}) {
      demand(!unwrap(transaction_->seek(database, "")), "nothing is left when all is erased");
    }
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  const std::string& any(const std::vector<std::string>& pool) { return pool[below(pool.size())]; }

  // Few keys of all lengths, many with long common beginnings, so that operations meet.
  void make_keys() {
    std::set<std::uint32_t> hashes;
    while (partitions_.size() < 12) {
      const std::size_t lengths[] = {1, 10, 63, 64, 65, 500, 2048};
      std::string partition(lengths[below(std::size(lengths))], 'p');
      partition.back() = static_cast<char>(below(256));
      // In the order of the model two partitions with one hash would be apart.
      if (hashes.insert(partition_hash(partition)).second) partitions_.push_back(partition);
    }
    sorts_.emplace_back();
    for (int i = 0; i < 150; ++i) {
      std::string sort = below(3) == 0 ? "" : any(sorts_).substr(0, 1 + below(2000));
      const std::size_t lengths[] = {1,   2,   400, 430, 437, 438, 439, 467,
                                     468, 469, 500, 501, 502, 503, 1024};
      sort.append(lengths[below(std::size(lengths))], "\x00mm\xFF"[below(4)]);
      sorts_.push_back(sort.substr(0, 3000));
    }
  }

  void open() {
    environment_ = open_or_throw(folder_ ? on_disk(*folder_) : in_memory());
    begin();
  }
  void begin() {
    written_ = committed_;
    transaction_ = unwrap(WriteTransaction::begin(*environment_));
  }

  ModelKey any_key() {
    const std::string& partition = any(partitions_);
    return {static_cast<std::uint32_t>(below(kSpaces)), partition_hash(partition), partition,
            any(sorts_)};
  }
  static StoreKey store_key(const ModelKey& key) {
    return {SpaceId{std::get<0>(key)}, std::get<2>(key), std::get<3>(key)};
  }

  void put() {
    const ModelKey key = any_key();
    std::string record = "record " + std::to_string(++records_);
    record.append(below(10) == 0 ? below(20'000) : below(300), 'r');
    unwrap(put_record(*transaction_, store_key(key), record));
    written_[key] = std::move(record);
  }

  void erase() {
    const ModelKey key = any_key();
    const bool was_there = unwrap(erase_record(*transaction_, store_key(key)));
    demand(was_there == (written_.erase(key) == 1), "erase tells whether the record was there");
  }

  void erase_some_records() {
    if (below(10) != 0) return;
    const auto space = static_cast<std::uint32_t>(below(kSpaces));
    const std::size_t records_max = below(50);
    const bool is_empty = unwrap(erase_some(*transaction_, SpaceId{space}, records_max));
    // Which records go is the store's choice: see which are left.
    const std::size_t before = count(written_, space);
    std::erase_if(written_, [&](const auto& entry) {
      return std::get<0>(entry.first) == space &&
             !unwrap(find_record(*transaction_, store_key(entry.first)));
    });
    demand(before - count(written_, space) == std::min(before, records_max),
           "as many as told are erased");
    demand(is_empty == (count(written_, space) == 0),
           "erase_some tells whether the space is empty");
  }

  static std::size_t count(const Model& model, std::uint32_t space) {
    std::size_t found = 0;
    for (const auto& entry : model) found += std::get<0>(entry.first) == space ? 1 : 0;
    return found;
  }

  void find(const Transaction& transaction, const Model& model) {
    const ModelKey key = any_key();
    const auto record = unwrap(find_record(transaction, store_key(key)));
    const auto expected = model.find(key);
    demand(record.has_value() == (expected != model.end()), "a record is found when it is there");
    if (record) demand(*record == expected->second, "the record found is the one put last");
  }

  // The records of `expected` from one place on, in the model's order.
  static void compare(RecordCursor& cursor, Model::const_iterator from, const Model& model,
                      const auto& is_in_walk) {
    for (auto entry = from; entry != model.end() && is_in_walk(entry->first); ++entry) {
      demand(cursor.record() == entry->second, "the walk meets the next record");
      unwrap(cursor.next());
    }
    demand(!cursor.record(), "the walk ends with the records");
  }

  void walk(const Transaction& transaction, const Model& model) {
    const auto space = static_cast<std::uint32_t>(below(kSpaces));
    const std::uint32_t hash = below(2) == 0 ? 0 : static_cast<std::uint32_t>(below(1 << 24));
    RecordCursor cursor(transaction, SpaceId{space});
    unwrap(cursor.seek_hash(hash));
    compare(cursor, model.lower_bound({space, hash, "", ""}), model,
            [&](const ModelKey& key) { return std::get<0>(key) == space; });
  }

  void walk_partition(const Transaction& transaction, const Model& model) {
    RecordCursor cursor(transaction, SpaceId{1});
    for (int i = 0; i < 3; ++i) {
      ModelKey key = any_key();
      std::get<0>(key) = 1;
      const bool after = below(2) == 0;
      std::string lower = std::get<3>(key);
      if (after) lower.push_back('\0');
      unwrap(cursor.seek_range(std::get<2>(key), {lower, {}}, Direction::Forward));
      compare(cursor, after ? model.upper_bound(key) : model.lower_bound(key), model,
              [&](const ModelKey& met) {
                return std::get<0>(met) == 1 && std::get<2>(met) == std::get<2>(key);
              });
    }
  }

  void commit() {
    unwrap(transaction_->commit());
    committed_ = written_;
    begin();
  }

  // As a process that dies before its commit.
  void crash() {
    if (below(4) != 0) return;
    transaction_.reset();
    begin();
  }

  // Checks the snapshot taken earlier, which must not have moved, and takes a fresh one.
  void snapshot() {
    if (snapshot_) {
      walk(*snapshot_, snapshot_model_);
      walk_partition(*snapshot_, snapshot_model_);
      if (below(4) != 0) return;
      snapshot_->release();
    } else {
      snapshot_ = std::make_unique<ReadTransaction>(*environment_);
    }
    unwrap(snapshot_->acquire());
    snapshot_model_ = committed_;
  }

  void reopen() {
    snapshot_.reset();
    transaction_.reset();
    if (folder_) {
      environment_.reset();
      return open();
    }
    begin();
  }

  std::mt19937_64 random_;
  std::optional<std::filesystem::path> folder_;
  std::vector<std::string> partitions_;
  std::vector<std::string> sorts_;
  std::uint64_t records_ = 0;

  Model committed_;
  Model written_;         // what transaction_ sees
  Model snapshot_model_;  // what snapshot_ sees
  std::unique_ptr<Environment> environment_;
  std::unique_ptr<ReadTransaction> snapshot_;
  std::unique_ptr<WriteTransaction> transaction_;
};

bool run(std::uint64_t seed, std::uint64_t steps, bool is_on_disk) {
  std::cout << "storage model, seed " << seed << ", " << steps << " steps, "
            << (is_on_disk ? "on disk" : "in memory") << std::endl;
  const TemporaryFolder folder;
  std::uint64_t step = 0;
  try {
    Run model(seed, is_on_disk ? std::optional(folder.path()) : std::nullopt);
    for (; step < steps; ++step) model.step();
    model.finish();
    return true;
  } catch (const std::exception& failure) {
    std::cout << "step " << step << ": does not hold: " << failure.what() << std::endl;
    return false;
  }
}

}  // namespace
}  // namespace stator::storage

int main(int argc, char** argv) {
  std::uint64_t seed = std::random_device{}();
  std::uint64_t steps = 4'000;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string_view(argv[i]) == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::string_view(argv[i]) == "--steps") steps = std::strtoull(argv[i + 1], nullptr, 10);
  }
  bool holds = true;
  for (const bool is_on_disk : {false, true}) {
    holds = stator::storage::run(seed, steps, is_on_disk) && holds;
  }
  return holds ? EXIT_SUCCESS : EXIT_FAILURE;
}
