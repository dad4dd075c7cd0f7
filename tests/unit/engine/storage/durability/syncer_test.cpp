// A want of room beside a sync: what that sync makes usable again is waited for.
#include "engine/storage/durability/syncer.h"

#include <chrono>
#include <string>

#include <catch2/catch.hpp>

#include "engine/storage/durability/store_options.h"
#include "engine/storage/lmdb/headroom.h"
#include "tests/unit/engine/storage/harness/held_sync.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::storage {
namespace {

TEST_CASE("syncer: a sync begins so early that it ends within the interval", "[storage]") {
  using std::chrono::milliseconds;
  const std::chrono::steady_clock::time_point since{std::chrono::hours(1)};
  const auto begins_after = [&](int interval_ms, int takes_ms) {
    return sync_begins_at(since, milliseconds(interval_ms), milliseconds(takes_ms)) - since;
  };
  CHECK(begins_after(1000, 0) == milliseconds(600));
  CHECK(begins_after(1000, 100) == milliseconds(600));
  CHECK(begins_after(1000, 200) == milliseconds(400));
  CHECK(begins_after(500, 60) == milliseconds(125));
  CHECK(begins_after(10'000, 0) == milliseconds(7500));
  for (const int interval_ms : {2, 100, 500, 1000, 60'000}) {
    for (int takes_ms = 0; takes_ms <= interval_ms * 3 / 4; takes_ms += 1 + interval_ms / 50)
      CHECK(begins_after(interval_ms, takes_ms) + milliseconds(takes_ms) <=
            milliseconds(interval_ms));
    // Not all the time, however slow the disk is.
    CHECK(begins_after(interval_ms, 10 * interval_ms) >= milliseconds(interval_ms / 4));
  }
}

TEST_CASE("syncer: want of room waits for a sync that has begun", "[storage]") {
  const TemporaryFolder folder;
  EnvironmentOptions options = on_disk(folder.path(), Sync::Lazy, std::size_t{1} << 20);
  options.sync_interval = std::chrono::milliseconds(2);
  const auto environment = open_or_throw(options);
  const auto commit_small = [&] {
    const auto transaction = unwrap(WriteTransaction::begin(*environment));
    unwrap(transaction->put(Database::Items, "key", "value"));
    unwrap(transaction->commit());
  };
  const auto write_too_much = [&] {
    const auto transaction = unwrap(WriteTransaction::begin(*environment));
    transaction->keep_reserve();
    CHECK_FALSE(transaction->put(Database::Items, "large", std::string(std::size_t{2} << 20, 'x')));
  };

  // While it is on its way all that was committed counts as synced, and nothing more is.
  HeldSync held;
  auto entered = held.entered.get_future();
  next_held_sync = &held;
  commit_small();
  entered.wait();
  write_too_much();
  CHECK(environment->room() == FreeSpace::None);
  held.let_go.set_value();
  CHECK(environment->reclaim_space());
  CHECK(environment->room() == FreeSpace::Made);

  // Nothing is committed any more: soon trying again would change nothing.
  int tries = 0;
  do {
    write_too_much();
    ++tries;
  } while (tries < 5 && environment->reclaim_space());
  CHECK(tries < 5);
}

}  // namespace
}  // namespace stator::storage
