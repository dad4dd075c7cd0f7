// server/explain/requests/recent_requests.h: the last requests, newest first.
#include "server/explain/requests/recent_requests.h"

#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

namespace stator {
namespace {

using Part = RecentRequest::Part;

void add(RecentRequests& requests, const std::string& id, RecentKind kind = RecentKind::Other) {
  requests.add(kind, [&id](RecentRequest& request) { request.set(Part::Id, id); });
}

using Ids = std::vector<std::string>;

std::vector<std::string> ids(const RecentRequests& requests) {
  std::vector<std::string> found;
  requests.look([&found](const RecentRequest& request) {
    found.emplace_back(request.text(Part::Id));
    return true;
  });
  return found;
}

struct Tail {
  Ids ids;
  std::uint64_t last = 0;
  std::uint64_t lost = 0;
};

// The requests after a number, up to `most`.
Tail follow(const RecentRequests& requests, std::uint64_t after, std::size_t most = 1000) {
  Tail found;
  const auto progress = requests.follow(
      [&](const RecentRequest& request) {
        if (found.ids.size() == most) return false;
        found.ids.emplace_back(request.text(Part::Id));
        return true;
      },
      after);
  found.last = progress.last;
  found.lost = progress.lost;
  return found;
}

TEST_CASE("recent requests: so many, newest first", "[server]") {
  RecentRequests requests(3);
  CHECK(ids(requests).empty());
  add(requests, "a");
  add(requests, "b");
  CHECK(ids(requests) == std::vector<std::string>{"b", "a"});
  add(requests, "c");
  add(requests, "d");
  CHECK(ids(requests) == std::vector<std::string>{"d", "c", "b"});
  CHECK(requests.find("a") == nullptr);
  REQUIRE(requests.find("c") != nullptr);
  CHECK(requests.find("c")->number == 3);
}

TEST_CASE("recent requests: those of one kind push out no others", "[server]") {
  RecentRequests requests(2);
  add(requests, "failed", RecentKind::Failed);
  add(requests, "hinted", RecentKind::MayHaveHint);
  for (const char* const id : {"a", "b", "c"}) add(requests, id);
  add(requests, "failed later", RecentKind::Failed);
  CHECK(ids(requests) == std::vector<std::string>{"failed later", "c", "b", "hinted", "failed"});
  add(requests, "failed last", RecentKind::Failed);
  CHECK(requests.find("failed") == nullptr);
  CHECK(requests.find("hinted") != nullptr);
}

TEST_CASE("recent requests: a cursor shows what came after it, oldest first, each once",
          "[server]") {
  RecentRequests requests(3);
  const auto newest = [&requests] {
    return requests.look([](const RecentRequest&) { return true; });
  };
  CHECK(newest() == 0);
  add(requests, "a");
  const std::uint64_t cursor = newest();
  CHECK(follow(requests, cursor).ids.empty());
  CHECK(follow(requests, cursor).last == cursor);
  add(requests, "b", RecentKind::Failed);
  add(requests, "c");
  add(requests, "d", RecentKind::Console);
  CHECK(follow(requests, cursor).ids == Ids{"b", "c", "d"});
  CHECK(follow(requests, cursor).lost == 0);
  CHECK(follow(requests, newest()).ids.empty());
  CHECK(follow(requests, newest() + 1).ids.size() == 4);  // a cursor of an earlier process

  // What is added during a look is above the number that look() returns.
  const std::uint64_t before = requests.look([&requests](const RecentRequest& request) {
    if (request.text(Part::Id) == "c") add(requests, "late", RecentKind::MayHaveHint);
    return true;
  });
  CHECK(follow(requests, before).ids == Ids{"late"});
}

TEST_CASE("recent requests: a list that is full goes on where it ended", "[server]") {
  RecentRequests requests(9);
  for (const char* const id : {"a", "b", "c", "d", "e"})
    add(requests, id, *id % 2 == 0 ? RecentKind::Failed : RecentKind::Other);
  const Tail first = follow(requests, 0, 2);
  CHECK(first.ids == Ids{"a", "b"});
  CHECK((first.last == 2 && first.lost == 0));
  const Tail rest = follow(requests, first.last);
  CHECK(rest.ids == Ids{"c", "d", "e"});
  CHECK((rest.last == 5 && rest.lost == 0));
}

TEST_CASE("recent requests: those that were overwritten are counted", "[server]") {
  RecentRequests requests(2);
  for (const char* const id : {"a", "b", "c", "d", "e"}) add(requests, id);
  add(requests, "f", RecentKind::Failed);
  CHECK(follow(requests, 0).ids == Ids{"d", "e", "f"});
  CHECK(follow(requests, 0).lost == 3);
  CHECK(follow(requests, 2).lost == 1);
  CHECK(follow(requests, 3).lost == 0);
  // A list that ends early counts up to its end.
  CHECK((follow(requests, 1, 1).last == 4 && follow(requests, 1, 1).lost == 2));
}

TEST_CASE("recent requests: a cursor misses none of many writers", "[server]") {
  constexpr std::size_t kEach = 1000;
  RecentRequests requests(4 * kEach);
  std::vector<std::thread> writers;
  for (const RecentKind kind : {RecentKind::Failed, RecentKind::Failed, RecentKind::Other}) {
    writers.emplace_back([&requests, kind] {
      for (std::size_t i = 0; i < kEach; ++i) add(requests, "x", kind);
    });
  }
  std::uint64_t cursor = 0;
  std::size_t seen = 0;
  std::uint64_t lost = 0;
  const auto read = [&] {
    const auto progress =
        requests.follow([&seen](const RecentRequest&) { return ++seen > 0; }, cursor);
    cursor = progress.last;
    lost += progress.lost;
  };
  for (int i = 0; i < 50; ++i) read();
  for (std::thread& writer : writers) writer.join();
  read();
  CHECK(cursor == seen);
  CHECK(lost == 0);
}

TEST_CASE("recent requests: a text is kept as far as there is room", "[server]") {
  const auto request = std::make_unique<RecentRequest>();
  CHECK((request->text(Part::Id).empty() && request->is_whole(Part::Id)));
  request->set(Part::Region, std::string(64, 'r'));
  request->set(Part::Id, std::string(65, 'i'));
  request->set(Part::Asked, "beginning", 10'000);
  CHECK(request->text(Part::Region) == std::string(64, 'r'));
  CHECK(request->is_whole(Part::Region));
  CHECK(request->text(Part::Id) == std::string(64, 'i'));
  CHECK((request->whole_bytes(Part::Id) == 65 && !request->is_whole(Part::Id)));
  CHECK(request->text(Part::Asked) == "beginning");
  CHECK(request->whole_bytes(Part::Asked) == 10'000);
  // There is room for all that one request has.
  const std::vector<Part> always = {Part::Id,        Part::Operation, Part::Table, Part::Region,
                                    Part::AccessKey, Part::Asked,     Part::Index, Part::Agent};
  for (std::vector<Part> parts : {std::vector<Part>{Part::Answered, Part::Limits, Part::Reasons},
                                  {Part::Error, Part::Message, Part::Reasons},
                                  {Part::Error, Part::Message, Part::Place, Part::Value1,
                                   Part::Value2, Part::Value3, Part::Value4}}) {
    parts.insert(parts.end(), always.begin(), always.end());
    request->clear_texts();
    const auto text = [](Part part) {
      return std::string(RecentRequest::bytes_max(part),
                         static_cast<char>('a' + static_cast<int>(part)));
    };
    // A longer body would have space of its own.
    for (const Part part : parts)
      request->set(part, text(part) + (part == Part::Asked ? "" : "more"));
    for (const Part part : parts) CHECK(request->text(part) == text(part));
  }
  // And for no more.
  request->clear_texts();
  for (std::size_t i = 0; i < RecentRequest::kPartBytesMax.size(); ++i)
    request->set(static_cast<Part>(i), std::string(4096, 'x'));
  CHECK(request->text(Part::Value4).empty());
}

TEST_CASE("recent requests: a long body is kept as far as it was passed", "[server]") {
  const auto request = std::make_unique<RecentRequest>();
  const std::string body(100'000, 'b');
  request->set(Part::Id, "id");
  request->set(Part::Asked, body);
  request->set(Part::Message, std::string(4'000, 'm'));
  CHECK((request->text(Part::Asked) == body && request->is_whole(Part::Asked)));
  const auto copy = std::make_unique<RecentRequest>(*request);
  CHECK((copy->text(Part::Asked) == body && copy->text(Part::Id) == "id"));
  request->clear_texts();
  CHECK(request->text(Part::Asked).empty());
  request->set(Part::Asked, std::string_view(body).substr(0, 50'000), body.size());
  CHECK(request->text(Part::Asked).size() == 50'000);
  CHECK(request->long_body_bytes() == 50'000);
  CHECK_FALSE(request->is_whole(Part::Asked));
  request->clear_texts();
  request->set(Part::Asked, "short");
  CHECK(request->text(Part::Asked) == "short");
  CHECK(request->long_body_bytes() == 0);
}

TEST_CASE("recent requests: one that is being looked at is left alone", "[server]") {
  RecentRequests requests(1);
  add(requests, "a");
  requests.add(RecentKind::Other, [&requests](RecentRequest& request) {
    request.set(Part::Id, "b");
    add(requests, "c");  // would have to wait
  });
  CHECK(ids(requests).empty());  // the place is that of the third, which was left out
  add(requests, "d");
  CHECK(ids(requests) == std::vector<std::string>{"d"});
}

TEST_CASE("recent requests: with another size the newest stay", "[server]") {
  RecentRequests requests(3);
  for (const char* id : {"a", "b", "c", "d"}) add(requests, id);
  add(requests, "failed", RecentKind::Failed);
  requests.resize(500);  // of several segments
  CHECK(ids(requests) == Ids{"failed", "d", "c", "b"});
  for (int i = 0; i < 499; ++i) add(requests, std::to_string(i));
  CHECK(ids(requests).size() == 501);
  CHECK(requests.find("d") != nullptr);
  CHECK(requests.find("c") == nullptr);
  requests.resize(2);
  CHECK(ids(requests) == Ids{"498", "497", "failed"});
  add(requests, "e");
  CHECK(ids(requests) == Ids{"e", "498", "failed"});
  CHECK(follow(requests, 0).ids == Ids{"failed", "498", "e"});
}

TEST_CASE("recent requests: none are kept until some are to be", "[server]") {
  RecentRequests requests(0);
  CHECK(!requests.is_on());
  add(requests, "a");
  CHECK(ids(requests).empty());
  CHECK(follow(requests, 0).last == 0);
  requests.resize(2);
  CHECK(requests.is_on());
  add(requests, "b");
  CHECK(ids(requests) == Ids{"b"});
  requests.resize(0);
  CHECK(ids(requests).empty());
  requests.resize(2);
  CHECK(ids(requests).empty());  // their memory was freed
}

TEST_CASE("recent requests: the size may change while others write and read", "[server]") {
  RecentRequests requests(4);
  std::vector<std::thread> writers;
  for (const char letter : {'a', 'b'}) {
    writers.emplace_back([&requests, letter] {
      for (std::size_t i = 0; i < 2000; ++i) add(requests, std::string(1 + i % 60, letter));
    });
  }
  bool is_whole = true;
  for (std::size_t i = 0; i < 100; ++i) {
    requests.resize(i * 37 % 450);
    for (const std::string& id : ids(requests))
      is_whole = is_whole && id.find_first_not_of(id.front()) == std::string::npos;
  }
  for (std::thread& writer : writers) writer.join();
  CHECK(is_whole);
  requests.resize(3);
  for (const char* id : {"x", "y", "z"}) add(requests, id);
  CHECK(ids(requests) == Ids{"z", "y", "x"});
}

TEST_CASE("recent requests: what is read is whole, whoever writes", "[server]") {
  RecentRequests requests(4);
  std::vector<std::thread> writers;
  for (const char letter : {'a', 'b'}) {
    writers.emplace_back([&requests, letter] {
      for (std::size_t i = 0; i < 2000; ++i) add(requests, std::string(1 + i % 60, letter));
    });
  }
  bool is_whole = true;
  for (int i = 0; i < 500; ++i) {
    for (const std::string& id : ids(requests))
      is_whole = is_whole && id.find_first_not_of(id.front()) == std::string::npos;
  }
  for (std::thread& writer : writers) writer.join();
  CHECK(is_whole);
}

}  // namespace
}  // namespace stator
