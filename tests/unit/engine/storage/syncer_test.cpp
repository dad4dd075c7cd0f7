// A want of room beside a sync: what that sync makes usable again is waited for.
#include <chrono>
#include <string>

#include <catch2/catch.hpp>

#include "engine/storage/headroom.h"
#include "tests/unit/engine/storage/held_sync.h"
#include "tests/unit/engine/storage/storage_fixture.h"

namespace stator::storage {
namespace {

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
  CHECK(environment->room() == Room::None);
  held.let_go.set_value();
  CHECK(environment->make_room());
  CHECK(environment->room() == Room::Made);

  // Nothing is committed any more: soon trying again would change nothing.
  int tries = 0;
  do {
    write_too_much();
    ++tries;
  } while (tries < 5 && environment->make_room());
  CHECK(tries < 5);
}

}  // namespace
}  // namespace stator::storage
