#include "engine/storage/environment/environment.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

#include <catch2/catch.hpp>

#include "engine/storage/bytes/format.h"
#include "engine/storage/bytes/migration_position.h"
#include "engine/storage/durability/data_home.h"
#include "engine/storage/keys/keys.h"
#include "engine/storage/migration/migration.h"
#include "engine/storage/migration/open_store.h"
#include "tests/unit/engine/storage/harness/full_disk.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::storage {
namespace {

using Catch::Contains;

Result<void> try_put(Environment& environment, std::string_view key, std::string_view value,
                     Database database = Database::Items) {
  STATOR_TRY(const auto transaction, WriteTransaction::begin(environment));
  STATOR_CHECK(transaction->put(database, key, value));
  return transaction->commit();
}

std::optional<std::string> get(const Environment& environment, std::string_view key) {
  ReadTransaction reader(environment);
  unwrap(reader.acquire());
  const auto value = unwrap(reader.find(Database::Items, key));
  if (!value) return {};
  return std::string(*value);
}

std::string refusal(const EnvironmentOptions& options) {
  const auto environment = open_store(options);
  return environment ? "opened" : environment.error();
}

// Runs `body` in a child process; returns its wait status.
template <class Body>
int in_child(Body body) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    int status = 99;
    try {
      status = body();
    } catch (...) {
      status = 98;
    }
    ::_exit(status);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return status;
}

// ------------------------------------------------------------------------------------------------
// In memory

std::set<std::filesystem::path> link_folders() {
  std::set<std::filesystem::path> found;
  for (const auto& parent : MemoryFiles::usual_parents()) {
    std::error_code failure;
    for (const auto& entry : std::filesystem::directory_iterator(parent, failure)) {
      if (entry.path().filename().string().starts_with("stator-")) found.insert(entry.path());
    }
  }
  return found;
}

TEST_CASE("environment: in memory leaves nothing behind", "[storage]") {
  const auto before = link_folders();
  const auto environment = open_or_throw(in_memory());
  CHECK(environment->in_memory());
  unwrap(try_put(*environment, "k", "v"));
  CHECK(get(*environment, "k") == "v");
  // Another process may be just opening its own: those go away as well.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  bool is_left = true;
  while (is_left && std::chrono::steady_clock::now() < deadline) {
    is_left = false;
    for (const auto& folder : link_folders()) is_left |= !before.contains(folder);
    std::this_thread::yield();
  }
  CHECK_FALSE(is_left);
}

TEST_CASE("environment: two in memory are apart", "[storage]") {
  const auto first = open_or_throw(in_memory());
  const auto second = open_or_throw(in_memory());
  unwrap(try_put(*first, "k", "v"));
  CHECK(get(*first, "k") == "v");
  CHECK(get(*second, "k") == std::nullopt);
}

TEST_CASE("environment: links to memory are made in the first folder that takes them",
          "[storage]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "file";
  std::ofstream(file) << "not a folder";
  std::filesystem::path links;
  {
    const auto files = MemoryFiles::create({"/nonexistent", file, folder.path()});
    REQUIRE(files);
    links = files->folder();
    CHECK(std::filesystem::equivalent(links.parent_path(), folder.path()));
    CHECK(std::filesystem::exists(links / "data.mdb"));
  }
  CHECK_FALSE(std::filesystem::exists(links));
  const auto none = MemoryFiles::create({"/nonexistent", file});
  REQUIRE_FALSE(none);
  CHECK_THAT(none.error(), Contains("Not a directory"));
}

TEST_CASE("environment: used bytes grow with the data", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const std::size_t before = environment->used_bytes();
  CHECK(before < 256 * 1024);
  unwrap(try_put(*environment, "k", std::string(1 << 20, 'v')));
  CHECK(environment->used_bytes() >= before + (1 << 20));
}

// ------------------------------------------------------------------------------------------------
// In a folder

TEST_CASE("environment: a folder is created, keeps its data and reopens", "[storage]") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "new" / "nested";
  const Sync sync = GENERATE(Sync::Commit, Sync::Lazy);
  for (int run = 0; run < 3; ++run) {
    const auto environment = open_or_throw(on_disk(path, sync));
    CHECK_FALSE(environment->in_memory());
    for (int i = 0; i < run; ++i) CHECK(get(*environment, std::to_string(i) + "k") == "v");
    unwrap(try_put(*environment, std::to_string(run) + "k", "v"));
  }
}

TEST_CASE("environment: a folder that cannot be used is refused in one line", "[storage]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "file";
  std::ofstream(file) << "not a folder";
  for (const auto& path : {file, file / "below", std::filesystem::path("/proc/nonexistent")}) {
    const std::string why = refusal(on_disk(path));
    CHECK_THAT(why, Catch::StartsWith("cannot use the data folder " + path.string() + ": "));
    CHECK_THAT(why, !Contains("\n"));
  }
}

TEST_CASE("environment: a folder in use is refused, in this and in another process", "[storage]") {
  const TemporaryFolder folder;
  {
    const auto holder = open_or_throw(on_disk(folder.path()));
    const std::string why = refusal(on_disk(folder.path()));
    CHECK_THAT(why, Contains("it is in use by another process (process " +
                             std::to_string(::getpid()) + ")"));
    const int status = in_child([&] { return refusal(on_disk(folder.path())) == why ? 0 : 1; });
    CHECK(status == 0);
    unwrap(try_put(*holder, "k", "still works"));
  }
  CHECK(get(*open_or_throw(on_disk(folder.path())), "k") == "still works");
}

TEST_CASE("environment: another format version is refused and both are named", "[storage]") {
  const TemporaryFolder folder;
  const std::uint32_t version = GENERATE(kFormatVersion + 1, kOldestFormatVersion - 1);
  {
    const auto environment = open_or_throw(on_disk(folder.path()));
    unwrap(try_put(*environment, encode(MetaKey::Format), encode_format(version), Database::Meta));
  }
  CHECK_THAT(refusal(on_disk(folder.path())),
             Catch::EndsWith("its format version is " + std::to_string(version) +
                             ", this program reads version " + std::to_string(kFormatVersion)));
}

// Replaces what occurs in a file once or more often by something as long.
void patch(const std::filesystem::path& file, std::string_view before, std::string_view after) {
  REQUIRE(before.size() == after.size());
  std::ostringstream bytes;
  bytes << std::ifstream(file, std::ios::binary).rdbuf();
  std::string text = bytes.str();
  std::size_t count = 0;
  for (auto at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
    text.replace(at, before.size(), after);
    ++count;
  }
  REQUIRE(count > 0);
  std::ofstream(file, std::ios::binary) << text;
}

TEST_CASE("environment: a version with fewer databases is refused by its number", "[storage]") {
  const TemporaryFolder folder;
  {
    const auto environment = open_or_throw(on_disk(folder.path()));
    unwrap(try_put(*environment, encode(MetaKey::Format), encode_format(1), Database::Meta));
  }
  patch(folder.path() / "data.mdb", "journal", "journax");
  CHECK_THAT(refusal(on_disk(folder.path())),
             Contains("its format version is 1, this program reads version 10"));
}

TEST_CASE("environment: a file of someone else is refused and left alone", "[storage]") {
  const TemporaryFolder folder;
  SECTION("not LMDB's") {
    const std::string text(100'000, 'x');
    std::ofstream(folder.path() / "data.mdb") << text;
    CHECK_THAT(refusal(on_disk(folder.path())), Contains("was not written by Stator"));
    std::string kept;
    std::getline(std::ifstream(folder.path() / "data.mdb"), kept);
    CHECK(kept == text);
  }
  SECTION("LMDB's, but not ours") {
    {
      const auto environment = open_or_throw(on_disk(folder.path()));
      unwrap(try_put(*environment, encode(MetaKey::Format), "something else", Database::Meta));
    }
    CHECK_THAT(refusal(on_disk(folder.path())), Contains("was not written by Stator"));
  }
}

TEST_CASE("environment: a smaller map is reserved when address space is short", "[storage]") {
#if defined(STATOR_SANITIZED)
  WARN("skipped: a sanitizer needs its address space");
#else
  const TemporaryFolder folder;
  const bool is_on_disk = GENERATE(false, true);
  const int status = in_child([&] {
    rlimit limit{};
    ::getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = rlim_t{1} << 30;
    ::setrlimit(RLIMIT_AS, &limit);
    const auto environment = open_or_throw(is_on_disk ? on_disk(folder.path()) : in_memory());
    unwrap(try_put(*environment, "k", std::string(1 << 20, 'v')));
    return get(*environment, "k") == std::string(1 << 20, 'v') ? 0 : 1;
  });
  CHECK(status == 0);
#endif
}

// ------------------------------------------------------------------------------------------------
// Failing disks

TEST_CASE("environment: a full disk fails writes, keeps reads, and heals", "[storage]") {
  const TemporaryFolder folder;
  const Sync sync = GENERATE(Sync::Commit, Sync::Lazy);
  const std::string large(1 << 20, 'L');
  {
    const auto environment = open_or_throw(on_disk(folder.path(), sync));
    unwrap(try_put(*environment, "kept", "value"));
    {
      const FullDisk full(std::filesystem::file_size(folder.path() / "data.mdb"));
      for (int i = 0; i < 3; ++i) {
        const auto failed = try_put(*environment, "large", large);
        REQUIRE_FALSE(failed);
        CHECK(failed.error().code() == ErrorCode::InternalServerError);
        CHECK(get(*environment, "kept") == "value");
        CHECK(get(*environment, "large") == std::nullopt);
      }
    }
    unwrap(try_put(*environment, "large", large));
    CHECK(get(*environment, "large") == large);
  }
  const auto reopened = open_or_throw(on_disk(folder.path(), sync));
  CHECK(get(*reopened, "kept") == "value");
  CHECK(get(*reopened, "large") == large);
}

// The descriptor through which LMDB writes meta pages, or -1.
int meta_descriptor(const std::filesystem::path& folder) {
  for (int fd = 3; fd < 1024; ++fd) {
    std::error_code failure;
    const auto target =
        std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), failure);
    if (!failure && target == folder / "data.mdb" && (::fcntl(fd, F_GETFL) & O_DSYNC) != 0)
      return fd;
  }
  return -1;
}

// Writing a meta page fails: LMDB gives its environment up, reads included.
void break_meta_page(const std::filesystem::path& folder) {
  const int fd = meta_descriptor(folder);
  REQUIRE(fd >= 0);
  const Descriptor full(::open("/dev/full", O_RDWR | O_CLOEXEC));
  REQUIRE(full);
  REQUIRE(::dup3(full.fd(), fd, O_CLOEXEC) == fd);
}

// The descriptor that pages are written and synced through takes bytes, and cannot be synced.
void break_sync(const std::filesystem::path& folder) {
  const Descriptor no_disk(::open("/dev/null", O_RDWR | O_CLOEXEC));
  REQUIRE(no_disk);
  int broken = 0;
  for (int fd = 3; fd < 1024; ++fd) {
    std::error_code failure;
    const auto target =
        std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), failure);
    if (failure || target != folder / "data.mdb" || (::fcntl(fd, F_GETFL) & O_DSYNC) != 0) continue;
    REQUIRE(::dup3(no_disk.fd(), fd, O_CLOEXEC) == fd);
    ++broken;
  }
  REQUIRE(broken > 0);
}

TEST_CASE("environment: a failed commit or sync ends writing, and reads go on", "[storage]") {
  const TemporaryFolder folder;
  const auto path = std::filesystem::canonical(folder.path());
  const bool is_meta_page = GENERATE(true, false);
  {
    const auto environment = open_or_throw(on_disk(path, Sync::Commit));
    unwrap(try_put(*environment, "kept", "value"));
    CHECK(environment->why_writing_ended().empty());
    ReadTransaction pinned(*environment);
    unwrap(pinned.acquire());
    ReadTransaction idle(*environment);
    unwrap(idle.acquire());
    idle.release();
    if (is_meta_page) {
      break_meta_page(path);
    } else {
      break_sync(path);
    }
    REQUIRE_FALSE(try_put(*environment, "kept", "lost"));
    const std::string why = environment->why_writing_ended();
    CHECK_FALSE(why.empty());
    for (int round = 0; round < 3; ++round) {
      const auto refused = try_put(*environment, "later", "value");
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code() == ErrorCode::InternalServerError);
      CHECK(refused.error().message() == "storage: writing has ended: " + why);
      // A snapshot of before, a transaction of before, and a new one.
      CHECK(unwrap(pinned.find(Database::Items, "kept")) == "value");
      unwrap(idle.acquire());
      CHECK(unwrap(idle.find(Database::Items, "kept")) == "value");
      CHECK_FALSE(unwrap(idle.find(Database::Items, "later")).has_value());
      idle.release();
      CHECK(get(*environment, "kept") == "value");
    }
  }
  const auto reopened = open_or_throw(on_disk(path, Sync::Commit));
  CHECK(get(*reopened, "kept") == "value");
  CHECK(get(*reopened, "later") == std::nullopt);
  unwrap(try_put(*reopened, "later", "value"));
}

// ------------------------------------------------------------------------------------------------
// Killed processes

std::string value_of(int number) { return std::string(700, static_cast<char>('a' + number % 26)); }

// Writes pairs until killed, telling the number of each pair that was committed.
[[noreturn]] void write_pairs(const std::filesystem::path& folder, Sync sync, int start, int pipe) {
  const auto environment = open_or_throw(on_disk(folder, sync));
  for (int number = start;; ++number) {
    const auto transaction = unwrap(WriteTransaction::begin(*environment));
    for (const char* side : {"left", "right"}) {
      unwrap(transaction->put(Database::Items, side + std::to_string(number), value_of(number)));
    }
    unwrap(transaction->commit());
    if (::write(pipe, &number, sizeof number) != sizeof number) ::_exit(1);
  }
}

TEST_CASE("environment: a killed process loses no commit and tears none", "[storage]") {
  const TemporaryFolder folder;
  const Sync sync = GENERATE(Sync::Lazy, Sync::Commit);
  int last = -1;
  for (int round = 0; round < 10; ++round) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      try {
        write_pairs(folder.path(), sync, last + 1, ends[1]);
      } catch (...) {
        ::_exit(1);
      }
    }
    ::close(ends[1]);
    const int wanted = last + 3 + round * 7;
    int number = 0;
    while (last < wanted && ::read(ends[0], &number, sizeof number) == sizeof number) last = number;
    REQUIRE(::kill(child, SIGKILL) == 0);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    REQUIRE(last >= wanted);
    while (::read(ends[0], &number, sizeof number) == sizeof number) last = number;
    ::close(ends[0]);

    const auto environment = open_or_throw(on_disk(folder.path(), sync));
    for (int i = 0; i <= last; ++i) {
      REQUIRE(get(*environment, "left" + std::to_string(i)) == value_of(i));
      REQUIRE(get(*environment, "right" + std::to_string(i)) == value_of(i));
    }
    // The pair that was being written is whole or absent.
    const auto left = get(*environment, "left" + std::to_string(last + 1));
    REQUIRE(left == get(*environment, "right" + std::to_string(last + 1)));
    if (left) ++last;
  }
}

}  // namespace
}  // namespace stator::storage
