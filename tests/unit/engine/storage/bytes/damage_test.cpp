// Damaged bytes: records and pages that are none give an error and nothing worse.
#include "engine/storage/bytes/damage.h"

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/storage/migration/open_store.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/records/packed_size.h"
#include "engine/storage/stores/item_store.h"
#include "protocol/number/number.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::storage {
namespace {

// An item of nested lists, maps and sets whose size goes with `number`.
std::string record_of(int number) {
  Arena arena;
  Number parsed;
  if (parse_number(std::to_string(number), NumberRules::Current, parsed) != NumberError::None)
    throw std::runtime_error("no number");
  const Value n = Value::number(encode_number(parsed, arena));
  const std::string text(static_cast<std::size_t>(number % 700), 'x');
  const std::vector<std::string_view> names = {"a", "b"};
  const std::vector<std::string_view> numbers = {n.bytes()};
  const std::vector<Value> list = {n, Value::string(text), Value::boolean(true), Value::null()};
  const std::vector<Member> map = {{"l", Value::list(list)}, {"n", n}};
  const std::vector<Member> item = {{"m", Value::map(map)},
                                    {"n", n},
                                    {"ns", Value::set(Type::NS, numbers)},
                                    {"s", Value::string(text)},
                                    {"ss", Value::set(Type::SS, names)}};
  std::string record;
  encode_item(item, record);
  return record;
}

// Reads a record in every way there is; whether it could be read.
bool read_all(std::string_view record) {
  try {
    Arena arena;
    const EncodedItem item(record);
    static_cast<void>(item.decode(arena));
    std::string json;
    item.append_json(json);
    static_cast<void>(item.find("s", arena));
    return packed_size_bytes(record, "s") > 0;
  } catch (const DamagedData&) {
    return false;
  }
}

TEST_CASE("damage: a record with any byte changed or its end missing is read or refused",
          "[storage]") {
  const std::string whole = record_of(300);
  REQUIRE(read_all(whole));
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_FALSE(read_all(std::string(whole, 0, size)));
  int refused = 0;
  for (std::size_t place = 0; place < whole.size(); ++place) {
    for (const int change : {0x01, 0x80, 0xFF}) {
      // Of its own size on the heap, so that a byte read beyond it shows.
      std::string changed = whole;
      changed.shrink_to_fit();
      changed[place] = static_cast<char>(changed[place] ^ change);
      if (!read_all(changed)) ++refused;
    }
  }
  CHECK(refused > 100);
}

TEST_CASE("damage: lists nested without end are refused", "[storage]") {
  std::string record = record_of(1).substr(0, 14);
  record += std::string("\x01\x01x", 3);
  for (int depth = 0; depth < 40'000; ++depth) record += std::string("\x09\xFF\xFF\x00\x00\x01", 6);
  CHECK_FALSE(read_all(record));
}

constexpr int kItems = 400;

// Opens the folder and reads all there is. The exit status: 0 all items are right, 1 some could not
// be read, 2 the folder was refused.
int read_folder(const std::filesystem::path& folder) {
  try {
    auto environment = open_store(on_disk(folder));
    if (!environment) return 2;
    bool is_whole = true;
    ReadTransaction reader(**environment);
    unwrap(reader.acquire());
    for (int i = 0; i < kItems; ++i) {
      try {
        const std::string key = "key" + std::to_string(i);
        const auto record = find_record(reader, {SpaceId{1}, key, {}});
        if (!record || !*record || !read_all(**record)) is_whole = false;
      } catch (const DamagedData&) {
        is_whole = false;
      }
    }
    try {
      RecordCursor cursor(reader, SpaceId{1});
      auto moved = cursor.seek_first();
      int met = 0;
      for (; moved && cursor.record() && met < 2 * kItems; ++met) {
        if (!read_all(*cursor.record())) is_whole = false;
        moved = cursor.next();
      }
      if (!moved || met != kItems) is_whole = false;
    } catch (const DamagedData&) {
      is_whole = false;
    }
    return is_whole ? 0 : 1;
  } catch (const std::exception&) {
    return 2;
  }
}

constexpr std::size_t kPageBytes = 4096;

// What a folder of kItems items holds, free pages too, but not those that are laid behind its end.
std::string bytes_of_folder(const std::filesystem::path& folder) {
  {
    const auto environment = open_or_throw(on_disk(folder));
    for (int from = 0; from < kItems; from += 50) {
      const auto transaction = unwrap(WriteTransaction::begin(*environment));
      for (int i = from; i < from + 50; ++i) {
        const std::string key = "key" + std::to_string(i);
        unwrap(put_record(*transaction, {SpaceId{1}, key, {}}, record_of(i * 20)));
      }
      unwrap(transaction->commit());
    }
  }
  std::ifstream file(folder / "data.mdb", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  bytes.resize((bytes.find_last_not_of('\0') / kPageBytes + 1) * kPageBytes);
  return bytes;
}

// What a process of its own makes of the folder with `data`: the status that read_folder() tells.
int outcome_of(const std::filesystem::path& folder, const std::string& data) {
  std::filesystem::remove(folder / "synced");
  std::ofstream(folder / "data.mdb", std::ios::binary | std::ios::trunc) << data;
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) ::_exit(read_folder(folder));
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  INFO("status " << status);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

TEST_CASE("damage: no changed byte of an item ends the process", "[storage][slow]") {
  const TemporaryFolder folder;
  const std::string whole = bytes_of_folder(folder.path());
  std::mt19937 random(20261121);
  std::vector<int> outcomes(3);
  for (int round = 0; round < 150; ++round) {
    std::string changed = whole;
    for (int i = 0; i < 1 + round % 8; ++i) {
      const std::string record = record_of(static_cast<int>(random() % kItems) * 20);
      // In every place where the item was written, also where it is not any more.
      const std::size_t inside = random() % record.size();
      const char other = static_cast<char>(random());
      for (std::size_t at = whole.find(record); at != std::string::npos;
           at = whole.find(record, at + 1))
        changed[at + inside] = other;
    }
    INFO("round " << round);
    ++outcomes.at(static_cast<std::size_t>(outcome_of(folder.path(), changed)));
  }
  CHECK(outcomes[1] > 0);
  CHECK(outcomes[2] == 0);
}

TEST_CASE("damage: a folder is refused where the layout of a page is damaged", "[storage][slow]") {
  const TemporaryFolder folder;
  const std::string whole = bytes_of_folder(folder.path());
  constexpr std::size_t kHeaderBytes = 16;
  std::mt19937 random(20261122);
  std::vector<int> outcomes(3);
  REQUIRE(outcome_of(folder.path(), whole) == 0);
  for (int round = 0; round < 200; ++round) {
    std::string changed = whole;
    const std::size_t page = random() % (whole.size() / kPageBytes);
    // The number, flags or size of the page, or where its first nodes are.
    const std::size_t inside = random() % (round % 2 == 0 ? kHeaderBytes : 2 * kHeaderBytes);
    changed[page * kPageBytes + inside] ^= static_cast<char>(1 + random() % 255);
    INFO("round " << round << ", page " << page << ", byte " << inside);
    const int outcome = outcome_of(folder.path(), changed);
    // Pages that are free hold nothing.
    CHECK(outcome != 1);
    ++outcomes.at(static_cast<std::size_t>(outcome));
  }
  // How many pages are in use differs from run to run.
  CHECK(outcomes[2] > 20);
  // With the older meta page harmed too, LMDB would still take the newest.
  for (const std::size_t meta : {0U, 1U}) {
    std::string changed = whole;
    changed[meta * kPageBytes + 43] = static_cast<char>(0x80);  // the size of a page
    CHECK(outcome_of(folder.path(), changed) == 2);
  }
}

}  // namespace
}  // namespace stator::storage
