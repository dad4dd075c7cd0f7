// A want of room beside a sync: what that sync makes usable again is waited for. What is written
// ahead of a sync.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <future>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

#include "engine/storage/headroom.h"
#include "engine/storage/lmdb_meta.h"
#include "engine/storage/synced_file.h"
#include "tests/unit/engine/storage/storage_fixture.h"

namespace {

// The next sync of a file stops before it is done, until it is let go.
struct HeldSync {
  std::promise<void> entered;
  std::promise<void> let_go;
};
std::atomic<HeldSync*> next_held{nullptr};

// What writing ahead of the next sync answers; 0: what the kernel does.
std::atomic<int> next_write_back_errno{0};

}  // namespace

// LMDB calls this instead of the C library's.
extern "C" int fdatasync(int file) {
  if (HeldSync* const held = next_held.exchange(nullptr); held != nullptr) {
    held->entered.set_value();
    held->let_go.get_future().wait();
  }
  return static_cast<int>(::syscall(SYS_fdatasync, file));
}

extern "C" int sync_file_range(int file, off_t offset, off_t bytes, unsigned flags) {
  if (const int code = next_write_back_errno.exchange(0); code != 0) {
    errno = code;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_sync_file_range, file, offset, bytes, flags));
}

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
  next_held = &held;
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

TEST_CASE("syncer: a sync follows whatever writing ahead of it finds", "[storage]") {
  const TemporaryFolder folder;
  EnvironmentOptions options = on_disk(folder.path());
  options.sync_interval = std::chrono::milliseconds(2);
  const auto environment = open_or_throw(options);
  const Descriptor data(::open((folder.path() / "data.mdb").c_str(), O_RDONLY | O_CLOEXEC));
  for (const int code : {EIO, ENOSPC, EINVAL}) {
    CAPTURE(code);
    next_write_back_errno = code;
    const auto transaction = unwrap(WriteTransaction::begin(*environment));
    unwrap(transaction->put(Database::Items, "key", std::to_string(code)));
    unwrap(transaction->commit());
    while (next_write_back_errno != 0) std::this_thread::yield();
    const auto newest = newest_meta_page(data.fd());
    REQUIRE(newest);
    while (SyncedFile::open(folder.path())->mark()->state.transaction < newest->transaction)
      std::this_thread::yield();
    CHECK(environment->why_writing_ended().empty());
  }
}

}  // namespace
}  // namespace stator::storage
