// Whose turn it is.
#include "engine/maintenance/chores/chore_list.h"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <catch2/catch.hpp>

using namespace stator;
using namespace std::chrono_literals;

namespace {

constexpr Timestamp kNow{1'000'000};

// One subject for each number, whatever the kind.
class Subjects {
 public:
  Chore chore(std::size_t kind, std::uint32_t number) {
    auto& runtime = runtimes_[number];
    if (runtime == nullptr) runtime = std::make_shared<TableRuntime>();
    return {kind, {storage::SpaceId{number}, runtime}};
  }

 private:
  std::map<std::uint32_t, std::shared_ptr<TableRuntime>> runtimes_;
};

// "kind:subject", or "-" without one.
std::string text(const std::optional<Chore>& chore) {
  if (!chore) return "-";
  return std::to_string(chore->kind) + ":" +
         std::to_string(static_cast<std::uint32_t>(chore->subject.space));
}

// The next chores, each put back as having more to do.
std::string turns(ChoreList& list, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) {
    const auto taken = list.take(kNow);
    all += text(taken) + " ";
    if (taken) list.enter(*taken, kNow);
  }
  return all;
}

}  // namespace

TEST_CASE("chore list: nothing is due before its time", "[engine]") {
  Subjects of;
  ChoreList list(2);
  CHECK_FALSE(list.take(kNow));
  CHECK_FALSE(list.state(kNow).is_due);
  CHECK_FALSE(list.state(kNow).next_due);
  CHECK(list.enter(of.chore(1, 5), kNow.plus(3s)));
  CHECK(list.enter(of.chore(0, 6), kNow.plus(2s)));
  CHECK_FALSE(list.take(kNow));
  CHECK(list.state(kNow).next_due == kNow.plus(2s));
  CHECK(list.state(kNow.plus(2s)).is_due);
  CHECK(text(list.take(kNow.plus(2s))) == "0:6");
  CHECK_FALSE(list.take(kNow.plus(2s)));
  CHECK(list.state(kNow.plus(2s)).next_due == kNow.plus(3s));
  CHECK(text(list.take(kNow.plus(3s))) == "1:5");
  CHECK_FALSE(list.state(kNow.plus(3s)).next_due);
}

TEST_CASE("chore list: a chore stands in it once, for the earliest time", "[engine]") {
  Subjects of;
  ChoreList list(1);
  CHECK(list.enter(of.chore(0, 1), kNow.plus(5s)));
  CHECK_FALSE(list.enter(of.chore(0, 1), kNow.plus(6s)));
  CHECK_FALSE(list.enter(of.chore(0, 1), kNow.plus(5s)));
  CHECK(list.enter(of.chore(0, 1), kNow.plus(1s)));
  CHECK(list.state(kNow).next_due == kNow.plus(1s));
  CHECK(text(list.take(kNow.plus(1s))) == "0:1");
  // Its old place counts no more.
  CHECK_FALSE(list.take(kNow.plus(9s)));
  CHECK_FALSE(list.state(kNow.plus(9s)).next_due);
  // In line already: not even an earlier time is news.
  CHECK(list.enter(of.chore(0, 1), kNow));
  CHECK(list.state(kNow).is_due);
  CHECK_FALSE(list.enter(of.chore(0, 1), Timestamp{}));
  CHECK(text(list.take(kNow)) == "0:1");
  CHECK_FALSE(list.take(kNow));
}

TEST_CASE("chore list: kinds take turns, and so do the chores of a kind", "[engine]") {
  Subjects of;
  ChoreList list(3);
  for (std::uint32_t subject = 1; subject <= 3; ++subject) list.enter(of.chore(0, subject), kNow);
  list.enter(of.chore(2, 9), Timestamp{});  // due for long: no reason to go first every time
  CHECK(turns(list, 8) == "0:1 2:9 0:2 2:9 0:3 2:9 0:1 2:9 ");
}

TEST_CASE("chore list: a clock set back neither loses nor doubles what is in line", "[engine]") {
  Subjects of;
  ChoreList list(1);
  list.enter(of.chore(0, 1), kNow.plus(5s));
  CHECK(list.state(kNow.plus(5s)).is_due);
  CHECK(list.state(kNow).is_due);
  CHECK(text(list.take(kNow)) == "0:1");
  CHECK_FALSE(list.take(kNow));
}

TEST_CASE("chore list: a round has what was due, and what that leaves to do", "[engine]") {
  Subjects of;
  ChoreList list(2);
  list.enter(of.chore(0, 1), kNow);
  list.enter(of.chore(1, 2), kNow);
  list.begin_round(kNow);
  CHECK(list.state(kNow).is_round_open);
  list.enter(of.chore(0, 3), kNow);  // of others, and never ending
  list.enter(of.chore(0, 4), kNow.plus(5s));
  CHECK(list.state(kNow).next_due == kNow.plus(5s));
  std::string taken;
  for (int piece = 0; list.state(kNow).is_round_open; ++piece) {
    REQUIRE(piece < 10);
    const auto chore = list.take(kNow);
    REQUIRE(chore);
    taken += text(chore) + " ";
    const bool has_more = text(chore) == "1:2" && piece < 4;
    if (has_more) list.enter_again(*chore, kNow, kNow);
    list.enter(of.chore(0, 3), kNow);
  }
  CHECK(taken == "0:1 1:2 1:2 1:2 1:2 ");
  CHECK(list.state(kNow).is_due);
  // Outside a round, what leaves more to do opens none.
  const auto chore = list.take(kNow);
  CHECK(text(chore) == "0:3");
  list.enter_again(*chore, kNow, kNow);
  CHECK_FALSE(list.state(kNow).is_round_open);
}
