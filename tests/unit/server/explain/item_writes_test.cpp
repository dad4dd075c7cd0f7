#include "server/explain/item_writes.h"

#include <catch2/catch.hpp>

namespace stator {
namespace {

ItemWrite write_at(const char* id, std::int64_t begin_us, std::int64_t end_us) {
  return {id, false, Timestamp{begin_us}, Timestamp{end_us}};
}

std::vector<std::string> found(const std::vector<ItemWrite>& writes,
                               const std::vector<std::int64_t>& changes_us) {
  std::vector<Timestamp> changes;
  for (const std::int64_t time : changes_us) changes.push_back(Timestamp{time});
  std::vector<std::string> ids;
  for (const ItemWrite* const write : writes_of_changes(writes, changes))
    ids.push_back(write == nullptr ? "-" : write->request_id);
  return ids;
}

TEST_CASE("writes of an item: a change has the request of its time, if it is certain", "[server]") {
  using Ids = std::vector<std::string>;
  const std::vector<ItemWrite> writes = {write_at("a", 10, 20), write_at("b", 30, 40),
                                         write_at("c", 30, 40)};
  CHECK(found(writes, {}) == Ids{});
  CHECK(found(writes, {5, 10, 25}) == Ids{"-", "a", "-"});
  CHECK(found(writes, {20, 35}) == Ids{"a", "-"});  // two requests, one change
  CHECK(found(writes, {35, 35}) == Ids{"b", "c"});  // in their order
  CHECK(found(writes, {15, 15}) == Ids{"-", "-"});  // one request, two changes
  CHECK(found({}, {15}) == Ids{"-"});
}

}  // namespace
}  // namespace stator
