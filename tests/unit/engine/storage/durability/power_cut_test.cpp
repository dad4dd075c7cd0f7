// What a folder is after the machine stopped: the last synced state with --sync lazy, and a refusal
// where no whole state can be told.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

#include "engine/storage/durability/descriptor.h"
#include "engine/storage/durability/preserved_pages.h"
#include "engine/storage/durability/store_options.h"
#include "engine/storage/durability/synced_file.h"
#include "engine/storage/lmdb/lmdb_meta.h"
#include "engine/storage/migration/open_store.h"
#include "tests/unit/engine/storage/harness/held_sync.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace {

std::atomic<bool> is_disk_nearly_full{false};

}  // namespace

// Called instead of the C library's.
extern "C" int fstatvfs(int file, struct statvfs* system) {
  static const auto kOriginal =
      reinterpret_cast<int (*)(int, struct statvfs*)>(::dlsym(RTLD_NEXT, "fstatvfs"));
  const int code = kOriginal(file, system);
  if (is_disk_nearly_full) system->f_bavail = 0;
  return code;
}

namespace stator::storage {
namespace {

using Catch::Contains;
using std::chrono::milliseconds;

constexpr milliseconds kSoon{20};
constexpr milliseconds kNever{3'600'000};

// A folder, and the starts of the machine that it lies on.
class Machine {
 public:
  Machine() { boot(); }

  void boot() { std::ofstream(boot_id_.path() / "id") << "boot " << ++boots_ << "\n"; }
  void lose_boot_id() { std::filesystem::remove(boot_id_.path() / "id"); }

  EnvironmentOptions options(Sync sync, milliseconds interval = kNever) const {
    EnvironmentOptions options = on_disk(folder(), sync);
    options.sync_interval = interval;
    options.boot_id_file = boot_id_.path() / "id";
    return options;
  }
  const std::filesystem::path& folder() const { return folder_.path(); }
  std::filesystem::path file(const char* name) const { return folder() / name; }

 private:
  TemporaryFolder folder_;
  TemporaryFolder boot_id_;
  int boots_ = 0;
};

void put(Environment& environment, std::string_view key, std::string_view value) {
  const auto transaction = unwrap(WriteTransaction::begin(environment));
  unwrap(transaction->put(Database::Items, key, value));
  unwrap(transaction->commit());
}

std::optional<std::string> get(const Environment& environment, std::string_view key) {
  ReadTransaction reader(environment);
  unwrap(reader.acquire());
  const auto value = unwrap(reader.find(Database::Items, key));
  if (!value) return {};
  return std::string(*value);
}

// Runs `child` in a process that it has to kill.
template <class Child>
void killed_in(Child child) {
  const pid_t process = ::fork();
  REQUIRE(process >= 0);
  if (process == 0) {
    try {
      child();
    } catch (...) {
    }
    ::_exit(1);
  }
  int status = 0;
  REQUIRE(::waitpid(process, &status, 0) == process);
  REQUIRE(WIFSIGNALED(status));
}

// Runs `body` with an environment in a process that is killed when it is through.
template <class Body>
void killed_after(const EnvironmentOptions& options, Body body) {
  killed_in([&] {
    const auto environment = open_or_throw(options);
    body(*environment);
    ::kill(::getpid(), SIGKILL);
  });
}

SyncedState mark_of(const std::filesystem::path& folder) {
  return SyncedFile::open(folder)->mark().value();
}

std::uint64_t newest_transaction(const std::filesystem::path& folder) {
  const Descriptor data(::open((folder / "data.mdb").c_str(), O_RDONLY | O_CLOEXEC));
  return newest_meta_page(data.fd())->transaction;
}

// Commits again and again until the newest state was synced, or a later one.
void wait_for_sync(Environment& environment, const std::filesystem::path& folder) {
  const std::uint64_t wanted = newest_transaction(folder);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (mark_of(folder).state.transaction < wanted) {
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("never synced");
    put(environment, "busy", "busy");
  }
}

std::string refusal(const EnvironmentOptions& options) {
  const auto environment = open_store(options);
  return environment ? "opened" : environment.error();
}

TEST_CASE("power cut: a lazy folder goes back to its last synced state", "[storage]") {
  Machine machine;
  { const auto created = open_or_throw(machine.options(Sync::Lazy)); }
  killed_after(machine.options(Sync::Lazy, kSoon), [&](Environment& environment) {
    put(environment, "key", "synced");
    wait_for_sync(environment, machine.folder());
  });
  const std::uint64_t synced = mark_of(machine.folder()).state.transaction;
  killed_after(machine.options(Sync::Lazy), [](Environment& environment) {
    for (int i = 0; i < 100; ++i) put(environment, "key", "later " + std::to_string(i));
  });
  SECTION("not when only the process was killed") {
    const auto environment = open_or_throw(machine.options(Sync::Lazy));
    CHECK(get(*environment, "key") == "later 99");
  }
  SECTION("after the machine started again") {
    machine.boot();
    const auto environment = open_or_throw(machine.options(Sync::Lazy));
    CHECK(get(*environment, "key") == "synced");
    CHECK(newest_transaction(machine.folder()) >= synced);
    put(*environment, "key", "new");
    CHECK(get(*environment, "key") == "new");
  }
  SECTION("when nobody can tell whether it started again") {
    machine.lose_boot_id();
    const auto environment = open_or_throw(machine.options(Sync::Commit));
    CHECK(get(*environment, "key") == "synced");
  }
  SECTION("not once all was synced: a start with --sync commit, killed") {
    killed_after(machine.options(Sync::Commit), [](Environment&) {});
    machine.boot();
    const auto environment = open_or_throw(machine.options(Sync::Lazy));
    CHECK(get(*environment, "key") == "later 99");
  }
  SECTION("not once all was synced: an orderly end") {
    { const auto environment = open_or_throw(machine.options(Sync::Lazy)); }
    machine.boot();
    const auto environment = open_or_throw(machine.options(Sync::Commit));
    CHECK(get(*environment, "key") == "later 99");
  }
}

TEST_CASE("power cut: a killed process loses nothing where the boot id cannot be read",
          "[storage]") {
  Machine machine;
  machine.lose_boot_id();
  { const auto created = open_or_throw(machine.options(Sync::Lazy)); }
  killed_after(machine.options(Sync::Lazy),
               [](Environment& environment) { put(environment, "key", "later"); });
  const auto environment = open_or_throw(machine.options(Sync::Lazy));
  CHECK(get(*environment, "key") == "later");
}

TEST_CASE("power cut: starts of the machine are told apart", "[storage]") {
  CHECK(is_same_boot("a", "a"));
  CHECK_FALSE(is_same_boot("a", "b"));
  CHECK_FALSE(is_same_boot("", ""));
  CHECK(is_same_boot("since 1000", "since 1005"));
  CHECK_FALSE(is_same_boot("since 1000", "since 1006"));
  CHECK_FALSE(is_same_boot("since 1000", "a"));
  CHECK_FALSE(is_same_boot("since 1000", "since 1000x"));
}

const std::string kOldValue(3000, 'o');

std::string key_of(int number) { return "key" + std::to_string(number); }

void put_all(Environment& environment, const std::string& value) {
  for (int i = 0; i < 200; ++i) put(environment, key_of(i), value);
}

void check_all(const Environment& environment, const std::string& value) {
  for (int i = 0; i < 200; ++i) REQUIRE(get(environment, key_of(i)) == value);
}

// A folder of 200 large values, all of it on the disk.
void fill(const Machine& machine) {
  const auto environment = open_or_throw(machine.options(Sync::Commit));
  put_all(*environment, kOldValue);
}

TEST_CASE("power cut: pages of the synced state are not written over", "[storage]") {
  // Overwrites everything many times behind the last sync; with the pages of the kernel gone, what
  // was synced would be all there is. Here they are not gone, so it shows what was kept.
  Machine machine;
  fill(machine);
  killed_after(machine.options(Sync::Lazy), [&](Environment& environment) {
    for (int round = 0; round < 5; ++round) put_all(environment, std::string(3000, 'n'));
  });
  machine.boot();
  const auto environment = open_or_throw(machine.options(Sync::Lazy));
  check_all(*environment, kOldValue);
}

// Overwrites the values until their pages were kept in each of `files`, so that LMDB may write over
// them, and often enough then that it did.
void overwrite_until_kept(Environment& environment, const std::filesystem::path& folder,
                          std::span<const char* const> files) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  const auto is_missing = [&](const char* file) {
    return std::filesystem::file_size(folder / file) < 200 * 4096;
  };
  while (std::ranges::any_of(files, is_missing)) {
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("nothing was kept");
    put_all(environment, std::string(3000, 'n'));
  }
  for (int round = 0; round < 20; ++round) put_all(environment, std::string(3000, 'm'));
}

void overwrite_until_kept(Environment& environment, const std::filesystem::path& folder) {
  overwrite_until_kept(environment, folder, std::span(kKeptFileNames).first(1));
}

TEST_CASE("power cut: what was written over is put back", "[storage]") {
  Machine machine;
  fill(machine);
  killed_after(machine.options(Sync::Lazy), [&](Environment& environment) {
    overwrite_until_kept(environment, machine.folder());
  });
  SECTION("not when only the process was killed") {
    const auto environment = open_or_throw(machine.options(Sync::Lazy));
    check_all(*environment, std::string(3000, 'm'));
  }
  machine.boot();
  SECTION("after the machine started again") {
    {
      const auto environment = open_or_throw(machine.options(Sync::Lazy));
      check_all(*environment, kOldValue);
    }
    for (const char* const name : kKeptFileNames)
      CHECK_FALSE(std::filesystem::exists(machine.file(name)));
  }
  SECTION("also when the start that did it was cut off") {
    killed_after(machine.options(Sync::Lazy), [&](Environment& environment) {
      overwrite_until_kept(environment, machine.folder());
    });
    machine.boot();
    const auto environment = open_or_throw(machine.options(Sync::Commit));
    check_all(*environment, kOldValue);
  }
  SECTION("only what belongs to the state") {
    // What is kept of the next state ends before what is left of the one before.
    killed_after(machine.options(Sync::Lazy),
                 [&](Environment& environment) { put(environment, "key0", "new"); });
    machine.boot();
    const auto environment = open_or_throw(machine.options(Sync::Lazy));
    check_all(*environment, kOldValue);
  }
  SECTION("not from a file that is gone, or a link") {
    const std::string name = GENERATE("kept", "kept2");
    const std::string expected = "cannot open its file " + name + ":";
    std::filesystem::remove(machine.folder() / name);
    CHECK_THAT(refusal(machine.options(Sync::Lazy)), Contains(expected));
    std::filesystem::create_symlink(machine.file("synced"), machine.folder() / name);
    CHECK_THAT(refusal(machine.options(Sync::Lazy)), Contains(expected));
  }
  SECTION("from the only file that older programs had") {
    SyncedState mark = mark_of(machine.folder());
    REQUIRE(mark.kept_files == 2);
    mark.kept_files = 1;
    REQUIRE(SyncedFile::open(machine.folder())->write(mark) == 0);
    std::filesystem::remove(machine.file("kept2"));
    REQUIRE(mark_of(machine.folder()).kept_files == 1);
    const auto environment = open_or_throw(machine.options(Sync::Lazy));
    check_all(*environment, kOldValue);
  }
}

TEST_CASE("power cut: what is written over during a sync is put back", "[storage]") {
  Machine machine;
  fill(machine);
  const bool is_done = GENERATE(false, true);
  CAPTURE(is_done);
  killed_after(machine.options(Sync::Lazy, kSoon), [&](Environment& environment) {
    static HeldSync held;
    static HeldSync next;
    next_held_sync = &held;
    put(environment, key_of(0), "synced");
    held.entered.get_future().wait();
    try {
      overwrite_until_kept(environment, machine.folder(), kKeptFileNames);
    } catch (...) {
      held.let_go.set_value();  // the environment's end waits for it
      throw;
    }
    if (!is_done) return;
    next_held_sync = &next;  // what comes behind it is not on the disk
    held.let_go.set_value();
    next.entered.get_future().wait();
  });
  machine.boot();
  const auto environment = open_or_throw(machine.options(Sync::Lazy));
  CHECK(get(*environment, key_of(0)) == (is_done ? "synced" : kOldValue));
  put(*environment, key_of(0), kOldValue);
  check_all(*environment, kOldValue);
}

TEST_CASE("power cut: a start gives up what was kept when its first sync is done", "[storage]") {
  Machine machine;
  fill(machine);
  killed_after(machine.options(Sync::Lazy), [&](Environment& environment) {
    overwrite_until_kept(environment, machine.folder());
  });
  killed_in([&] {
    is_disk_nearly_full = true;  // files are cut short where nothing may be kept
    HeldSync held;
    next_held_sync = &held;
    const std::thread killer([&held] {
      held.entered.get_future().wait();
      ::kill(::getpid(), SIGKILL);
    });
    static_cast<void>(open_store(machine.options(Sync::Lazy)));
    ::_exit(1);
  });
  machine.boot();
  const auto environment = open_or_throw(machine.options(Sync::Lazy));
  check_all(*environment, kOldValue);
}

TEST_CASE("power cut: overwriting syncs early instead of growing the file", "[storage]") {
  Machine machine;
  const auto environment = open_or_throw(machine.options(Sync::Lazy));
  const std::string megabyte(1 << 20, 'v');
  for (int i = 0; i < 1000; ++i) put(*environment, "key", megabyte);
  CHECK(std::filesystem::file_size(machine.file("data.mdb")) < std::uintmax_t{700} << 20);
}

TEST_CASE("power cut: a copy of a folder in use is refused", "[storage]") {
  const Sync sync = GENERATE(Sync::Lazy, Sync::Commit);
  Machine machine;
  const TemporaryFolder copy;
  const auto copy_folder = [&] {
    for (const char* name : {"data.mdb", "synced"})
      std::filesystem::copy_file(machine.file(name), copy.path() / name);
  };
  EnvironmentOptions of_copy = machine.options(sync);
  of_copy.folder = copy.path();
  SECTION("made while it is open") {
    const auto environment = open_or_throw(machine.options(sync));
    put(*environment, "key", "value");
    copy_folder();
    CHECK_THAT(refusal(of_copy), Contains("it is a copy of a folder that was in use"));
  }
  SECTION("made after a kill") {
    killed_after(machine.options(sync), [](Environment& open) { put(open, "key", "value"); });
    copy_folder();
    CHECK_THAT(refusal(of_copy), Contains("it is a copy of a folder that was in use"));
  }
  SECTION("of files of two moments") {
    { const auto environment = open_or_throw(machine.options(sync)); }
    std::filesystem::copy_file(machine.file("synced"), copy.path() / "synced");
    const auto environment = open_or_throw(machine.options(sync));
    put(*environment, "key", "value");
    std::filesystem::copy_file(machine.file("data.mdb"), copy.path() / "data.mdb");
    CHECK_THAT(refusal(of_copy), Contains("are of different moments"));
  }
  SECTION("not one that was made after an orderly end") {
    {
      const auto environment = open_or_throw(machine.options(sync));
      put(*environment, "key", "value");
    }
    copy_folder();
    const auto environment = open_or_throw(of_copy);
    CHECK(get(*environment, "key") == "value");
  }
}

TEST_CASE("power cut: the file synced survives a torn slot, and not both", "[storage]") {
  Machine machine;
  {
    const auto environment = open_or_throw(machine.options(Sync::Lazy));
    put(*environment, "key", "value");
  }
  const auto tear = [&](std::streamoff at) {
    std::fstream file(machine.file("synced"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file << "torn";
  };
  tear(40);
  tear(4096 + 40);
  CHECK_THAT(refusal(machine.options(Sync::Lazy)), Contains("its file synced is damaged"));
  std::filesystem::remove(machine.file("synced"));
  {
    const auto environment = open_or_throw(machine.options(Sync::Lazy));
    CHECK(get(*environment, "key") == "value");
  }
  auto synced = *SyncedFile::open(machine.folder());
  SyncedState mark = *synced.mark();
  mark.boot = "before";
  REQUIRE(synced.write(mark) == 0);  // in the first slot or the second
  mark.boot = "torn";
  REQUIRE(synced.write(mark) == 0);
  const bool is_first = GENERATE(true, false);
  tear(is_first ? 40 : 4096 + 40);
  const auto read = SyncedFile::open(machine.folder());
  REQUIRE(read.has_value());
  CHECK((read->mark()->boot == "before" || read->mark()->boot == "torn"));
}

TEST_CASE("power cut: a data.mdb that lost its end is refused", "[storage]") {
  Machine machine;
  {
    const auto environment = open_or_throw(machine.options(Sync::Lazy));
    put(*environment, "key", std::string(100'000, 'v'));
  }
  killed_after(machine.options(Sync::Lazy), [](Environment&) {});
  std::filesystem::resize_file(machine.file("data.mdb"), 64 * 1024);
  machine.boot();
  CHECK_THAT(refusal(machine.options(Sync::Lazy)), Contains("lost a part"));
}

}  // namespace
}  // namespace stator::storage
