#include "engine/storage/stores/expiries.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/storage/keys/keys.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::storage {
namespace {

constexpr SpaceId kSpace{5};
constexpr SpaceId kOther{6};

struct Named {
  std::uint64_t due_s;
  std::string partition;
  std::string sort;

  bool operator==(const Named&) const = default;
};

std::vector<Named> entries(const Transaction& transaction, SpaceId space, std::uint64_t due_s = 0) {
  std::vector<Named> found;
  for (auto met = unwrap(first_expiry(transaction, space, due_s)); met;
       met = unwrap(next_expiry(transaction, *met))) {
    CHECK(met->space == space);
    found.push_back({met->due_s, std::string(met->partition), std::string(met->sort)});
  }
  return found;
}

TEST_CASE("expiries: entries come back in the order of their seconds, with keys of every length",
          "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  std::vector<Named> wanted;
  std::uint64_t due_s = 1;
  for (const std::size_t partition :
       std::vector<std::size_t>{1, 64, 65, 256, 496, 497, 498, 2048}) {
    for (const std::size_t sort :
         std::vector<std::size_t>{0, 1, 239, 240, 241, 242, 496, 497, 1024}) {
      wanted.push_back({due_s, std::string(partition, 'p'), std::string(sort, '\xFF')});
      due_s = due_s * 5 / 4 + 1;
    }
  }
  for (auto named = wanted.rbegin(); named != wanted.rend(); ++named)
    unwrap(put_expiry(*transaction, {kSpace, named->due_s, named->partition, named->sort}));
  unwrap(put_expiry(*transaction, {kOther, 1, "other", ""}));
  CHECK(entries(*transaction, kSpace) == wanted);
  CHECK(entries(*transaction, kSpace, wanted[9].due_s) ==
        std::vector<Named>(wanted.begin() + 9, wanted.end()));
  CHECK(entries(*transaction, kSpace, wanted[9].due_s + 1) ==
        std::vector<Named>(wanted.begin() + 10, wanted.end()));
  CHECK(entries(*transaction, kSpace, wanted.back().due_s + 1).empty());
  for (const Named& named : wanted) {
    const Expiry expiry{kSpace, named.due_s, named.partition, named.sort};
    CHECK(unwrap(has_expiry(*transaction, expiry)));
    CHECK_FALSE(unwrap(has_expiry(*transaction, {kOther, named.due_s, named.partition, "x"})));
    unwrap(erase_expiry(*transaction, expiry));
    CHECK_FALSE(unwrap(has_expiry(*transaction, expiry)));
    unwrap(erase_expiry(*transaction, expiry));
  }
  CHECK(entries(*transaction, kSpace).empty());
  CHECK(entries(*transaction, kOther) == std::vector<Named>{{1, "other", ""}});
}

TEST_CASE("expiries: where one key's parts meet makes two items of one second different",
          "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  for (const std::size_t length : std::vector<std::size_t>{1, 300}) {
    const std::string a(length, 'a');
    unwrap(put_expiry(*transaction, {kSpace, 7, a + a, a}));
    unwrap(put_expiry(*transaction, {kSpace, 7, a, a + a}));
  }
  CHECK(entries(*transaction, kSpace).size() == 4);
}

TEST_CASE("expiries: what is no key is an error", "[storage]") {
  const std::string key(ExpiryKey{kSpace, 7, "partition", "sort"}.encode().view());
  for (std::size_t size = 0; size < key.size() - 4; ++size)
    CHECK_FALSE(ExpiryKey::decode(std::string_view(key).substr(0, size)));
  const std::string digest(ExpiryKey{kSpace, 7, std::string(600, 'p'), ""}.encode().view());
  CHECK(ExpiryKey::decode(digest)->is_digest);
  CHECK_FALSE(ExpiryKey::decode(digest + "x"));
  CHECK_FALSE(ExpiryKey::decode(std::string_view(digest).substr(0, digest.size() - 1)));
}

}  // namespace
}  // namespace stator::storage
