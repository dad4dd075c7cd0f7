// server/explain/recent_requests.h: the last requests, newest first.
#include "server/explain/recent_requests.h"

#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

namespace stator {
namespace {

using Part = RecentRequest::Part;

void add(RecentRequests& requests, const std::string& id) {
  requests.add([&id](RecentRequest& request) { request.set(Part::Id, id); });
}

std::vector<std::string> ids(const RecentRequests& requests) {
  std::vector<std::string> found;
  requests.look([&found](const RecentRequest& request) {
    found.emplace_back(request.text(Part::Id));
    return true;
  });
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
  request->clear_texts();
  for (std::size_t i = 0; i < RecentRequest::kPartBytesMax.size(); ++i) {
    const auto part = static_cast<Part>(i);
    request->set(part, std::string(5000, static_cast<char>('a' + i)));
  }
  for (std::size_t i = 0; i < RecentRequest::kPartBytesMax.size(); ++i) {
    const auto part = static_cast<Part>(i);
    CHECK(request->text(part) ==
          std::string(RecentRequest::bytes_max(part), static_cast<char>('a' + i)));
  }
}

TEST_CASE("recent requests: one that is being looked at is left alone", "[server]") {
  RecentRequests requests(1);
  add(requests, "a");
  requests.add([&requests](RecentRequest& request) {
    request.set(Part::Id, "b");
    add(requests, "c");  // would have to wait
  });
  CHECK(ids(requests).empty());  // the place is that of the third, which was left out
  add(requests, "d");
  CHECK(ids(requests) == std::vector<std::string>{"d"});
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
