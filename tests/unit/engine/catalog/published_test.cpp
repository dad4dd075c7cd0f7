// Published: readers see the latest value, and know when it is not the latest any more.
#include "engine/catalog/published.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

using namespace stator;

TEST_CASE("published: a reader sees the latest and keeps it alive", "[engine]") {
  Published<int> published(std::make_shared<const int>(1));
  Published<int>::Reader reader(published);
  const int& first = reader.latest();
  CHECK(first == 1);
  CHECK(reader.holds());
  const auto second = std::make_shared<const int>(2);
  published.store(second);
  CHECK_FALSE(reader.holds());
  CHECK(first == 1);
  CHECK(&reader.latest() == second.get());
  CHECK(reader.holds());
  const auto references = second.use_count();
  for (int i = 0; i < 10; ++i) reader.latest();
  CHECK(second.use_count() == references);
}

TEST_CASE("published: many readers beside a writer never go back", "[engine]") {
  constexpr int kLast = 20'000;
  Published<int> published(std::make_shared<const int>(0));
  std::atomic<int> backwards{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      Published<int>::Reader reader(published);
      for (int seen = 0; seen < kLast;) {
        const int now = reader.latest();
        if (now < seen) ++backwards;
        seen = now;
      }
    });
  }
  for (int value = 1; value <= kLast; ++value) published.store(std::make_shared<const int>(value));
  for (std::thread& reader : readers) reader.join();
  CHECK(backwards == 0);
}
