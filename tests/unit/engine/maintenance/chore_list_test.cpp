// Whose turn it is.
#include "engine/maintenance/chore_list.h"

#include <chrono>
#include <string>

#include <catch2/catch.hpp>

using namespace stator;
using namespace std::chrono_literals;

namespace {

constexpr Timestamp kNow{1'000'000};

Chore chore(std::size_t kind, std::uint32_t subject) { return {kind, storage::SpaceId{subject}}; }

// The next chores as "kind:subject", each put back as having more to do.
std::string turns(ChoreList& list, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const auto taken = list.take(kNow);
    if (!taken) return text + "-";
    text += std::to_string(taken->kind) + ":" +
            std::to_string(static_cast<std::uint32_t>(taken->subject)) + " ";
    list.enter(*taken, kNow);
  }
  return text;
}

}  // namespace

TEST_CASE("chore list: nothing is due before its time", "[engine]") {
  ChoreList list(2);
  CHECK_FALSE(list.take(kNow));
  CHECK_FALSE(list.state(kNow).is_due);
  CHECK_FALSE(list.state(kNow).next_due);
  CHECK(list.enter(chore(1, 5), kNow.plus(3s)));
  CHECK(list.enter(chore(0, 6), kNow.plus(2s)));
  CHECK_FALSE(list.take(kNow));
  CHECK(list.state(kNow).next_due == kNow.plus(2s));
  CHECK(list.state(kNow.plus(2s)).is_due);
  CHECK(list.take(kNow.plus(2s)) == chore(0, 6));
  CHECK_FALSE(list.take(kNow.plus(2s)));
  CHECK(list.state(kNow.plus(2s)).next_due == kNow.plus(3s));
  CHECK(list.take(kNow.plus(3s)) == chore(1, 5));
  CHECK_FALSE(list.state(kNow.plus(3s)).next_due);
}

TEST_CASE("chore list: a chore stands in it once, for the earliest time", "[engine]") {
  ChoreList list(1);
  CHECK(list.enter(chore(0, 1), kNow.plus(5s)));
  CHECK_FALSE(list.enter(chore(0, 1), kNow.plus(6s)));
  CHECK_FALSE(list.enter(chore(0, 1), kNow.plus(5s)));
  CHECK(list.enter(chore(0, 1), kNow.plus(1s)));
  CHECK(list.state(kNow).next_due == kNow.plus(1s));
  CHECK(list.take(kNow.plus(1s)) == chore(0, 1));
  // Its old place counts no more.
  CHECK_FALSE(list.take(kNow.plus(9s)));
  CHECK_FALSE(list.state(kNow.plus(9s)).next_due);
  // In line already: not even an earlier time is news.
  CHECK(list.enter(chore(0, 1), kNow));
  CHECK(list.state(kNow).is_due);
  CHECK_FALSE(list.enter(chore(0, 1), Timestamp{}));
  CHECK(list.take(kNow) == chore(0, 1));
  CHECK_FALSE(list.take(kNow));
}

TEST_CASE("chore list: kinds take turns, and so do the chores of a kind", "[engine]") {
  ChoreList list(3);
  for (std::uint32_t subject = 1; subject <= 3; ++subject) list.enter(chore(0, subject), kNow);
  list.enter(chore(2, 9), Timestamp{});  // due for long: no reason to go first every time
  CHECK(turns(list, 8) == "0:1 2:9 0:2 2:9 0:3 2:9 0:1 2:9 ");
}

TEST_CASE("chore list: a clock set back neither loses nor doubles what is in line", "[engine]") {
  ChoreList list(1);
  list.enter(chore(0, 1), kNow.plus(5s));
  CHECK(list.state(kNow.plus(5s)).is_due);
  CHECK(list.state(kNow).is_due);
  CHECK(list.take(kNow) == chore(0, 1));
  CHECK_FALSE(list.take(kNow));
}
