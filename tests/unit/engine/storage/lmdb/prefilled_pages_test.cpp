// Pages laid behind the end of data.mdb: zeros, up to a limit, never over what is used.
#include "engine/storage/lmdb/prefilled_pages.h"

#include <fcntl.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <catch2/catch.hpp>

#include "engine/storage/durability/descriptor.h"
#include "engine/storage/durability/store_options.h"
#include "tests/unit/engine/storage/harness/full_disk.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::storage {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 40;

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// A file of used pages.
struct UsedFile {
  explicit UsedFile(std::size_t pages) : path(folder.path() / "data.mdb") {
    std::ofstream(path, std::ios::binary) << std::string(pages * kPage, 'x');
    file = Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  }
  std::uint64_t size() const { return std::filesystem::file_size(path); }

  const TemporaryFolder folder;
  const std::filesystem::path path;
  Descriptor file;
};

TEST_CASE("laid pages: zeros behind what is used, and again when it has grown", "[storage]") {
  UsedFile used(10);
  PrefilledPages pages(used.file.fd(), kPage);
  pages.lay(10 * kPage, kNoLimit);
  const std::uint64_t first = used.size();
  CHECK(first > 60 * kPage);
  CHECK(first < 200 * kPage);
  CHECK(bytes_of(used.path) ==
        std::string(10 * kPage, 'x') + std::string(first - 10 * kPage, '\0'));

  pages.lay(11 * kPage, kNoLimit);  // there is enough still
  CHECK(used.size() == first);
  pages.lay(first / 2, kNoLimit);
  CHECK(used.size() > first);

  // A commit that took more than was laid.
  std::ofstream(used.path, std::ios::binary) << std::string(1'000 * kPage, 'y');
  pages.lay(1'000 * kPage, kNoLimit);
  CHECK(used.size() > 1'060 * kPage);
  CHECK(bytes_of(used.path).substr(0, 1'000 * kPage) == std::string(1'000 * kPage, 'y'));
}

TEST_CASE("laid pages: none behind the limit, none on a disk without room", "[storage]") {
  UsedFile used(10);
  PrefilledPages pages(used.file.fd(), kPage);
  pages.lay(10 * kPage, 0);
  pages.lay(10 * kPage, 10 * kPage);
  CHECK(used.size() == 10 * kPage);
  pages.lay(10 * kPage, 12 * kPage + 1);
  CHECK(used.size() == 12 * kPage);
  {
    const FullDisk full(13 * kPage);
    pages.lay(12 * kPage, kNoLimit);
  }
  CHECK(used.size() == 13 * kPage);
  pages.lay(13 * kPage, kNoLimit);
  CHECK(used.size() > 60 * kPage);
}

TEST_CASE("laid pages: a lazy folder has them, one that is synced has not", "[storage]") {
  for (const Sync sync : {Sync::Lazy, Sync::Commit}) {
    const TemporaryFolder folder;
    const auto environment = open_or_throw(on_disk(folder.path(), sync));
    const auto transaction = unwrap(WriteTransaction::begin(*environment));
    unwrap(transaction->put(Database::Items, "key", std::string(100'000, 'v')));
    unwrap(transaction->commit());
    const std::string bytes = bytes_of(folder.path() / "data.mdb");
    const std::size_t laid = bytes.size() - bytes.find_last_not_of('\0');
    CHECK((laid > std::size_t{200} << 10) == (sync == Sync::Lazy));
  }
}

}  // namespace
}  // namespace stator::storage
