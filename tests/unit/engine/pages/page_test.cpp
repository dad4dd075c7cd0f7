// Pages without an operation: what a sink is given, and what the page says besides.
#include "engine/pages/page.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/storage/records/item_codec.h"
#include "tests/unit/engine/harness/one_table_store.h"

using namespace stator;

namespace {

// Takes the sort keys of what it is given.
class SortKeys final : public RecordSink {
 public:
  std::optional<std::size_t> take(std::string_view record, std::string_view /*sort_key*/,
                                  Arena& scratch) override {
    keys.emplace_back(storage::EncodedItem(record).find("sk", scratch)->bytes());
    return std::nullopt;
  }
  std::vector<std::string> keys;
};

using Keys = std::vector<std::string>;

struct Songs : test::OneTableStore {
  Songs() {
    for (const std::string_view sk : {"1", "2", "3"})
      store(put(item(sk, {{"la", "x"}, {"gh", "g"}})));
  }
  std::span<const expr::KeyCondition> partition_is(std::string_view name, std::string_view text) {
    auto* condition = arena.make<expr::KeyCondition>();
    condition->attribute = name;
    condition->op = expr::KeyCondition::Operator::Equal;
    condition->lower = Value::string(text);
    return {condition, 1};
  }
  Call call;
};

}  // namespace

TEST_CASE("pages: a query hands its records to the sink, in order, and says where it ended",
          "[pages]") {
  Songs songs;
  QueryPlan plan;
  plan.conditions = songs.partition_is("pk", "p");
  SortKeys all;
  const Page page = *query_page(songs.table, plan, songs.snapshot, songs.call, all);
  CHECK(all.keys == Keys{"1", "2", "3"});
  CHECK(page.count == 3);
  CHECK(page.scanned_count == 3);
  CHECK(page.last.empty());
  CHECK(page.end == ReadStats::End::All);
  CHECK(page.size_bytes > 0);
  REQUIRE(page.charges.size() == 1);
  CHECK(page.charges.front().partition == "p");
  CHECK(page.charges.front().units_milli == kMilliPerUnit / 2);

  plan.direction = storage::Direction::Backward;
  plan.read.limit = 2;
  plan.read.filter = songs.parse("gh < la");
  plan.read.is_consistent = true;
  SortKeys two;
  const Page part = *query_page(songs.table, plan, songs.snapshot, songs.call, two);
  CHECK(two.keys == Keys{"3", "2"});
  CHECK(storage::EncodedItem(part.last).find("sk", songs.arena)->bytes() == "2");
  CHECK(part.charges.front().units_milli == kMilliPerUnit);
  CHECK(part.end == ReadStats::End::Limit);
  CHECK(part.size_bytes == page.size_bytes / 3 * 2);

  // The call tells of both, and how the last one ended.
  const ReadStats& walked = songs.call.walked;
  CHECK((walked.way == ReadStats::ReadKind::Query && walked.end == ReadStats::End::Limit));
  CHECK((walked.pages == 2 && walked.items_scanned == 5));
  CHECK(walked.size_bytes == static_cast<std::int64_t>(page.size_bytes + part.size_bytes));
}

TEST_CASE("pages: an index is read and charged as such; a count hands nothing over", "[pages]") {
  Songs songs;
  QueryPlan plan;
  plan.read.index_name = "by_gh";
  plan.read.select = Select::Count;
  plan.conditions = songs.partition_is("gh", "g");
  SortKeys none;
  const Page page = *query_page(songs.table, plan, songs.snapshot, songs.call, none);
  CHECK(none.keys.empty());
  CHECK(page.count == 3);
  REQUIRE(page.charges.size() == 1);
  CHECK(page.charges.front().of == Charge::Of::GlobalIndex);
  CHECK(page.charges.front().index_name == "by_gh");
  CHECK(page.charges.front().partition == "g");

  plan.read.index_name = "none";
  CHECK_FALSE(query_page(songs.table, plan, songs.snapshot, songs.call, none));
}

TEST_CASE("pages: a scan goes through a table or a segment of it", "[pages]") {
  Songs songs;
  SortKeys all;
  ScanPlan plan;
  CHECK((*scan_page(songs.table, plan, songs.snapshot, songs.call, all)).count == 3);
  CHECK(all.keys == Keys{"1", "2", "3"});

  // All are in one partition, which is in one segment.
  std::int64_t found = 0;
  for (std::uint64_t number = 0; number < 4; ++number) {
    plan.segment = {number, 4};
    SortKeys some;
    const Page page = *scan_page(songs.table, plan, songs.snapshot, songs.call, some);
    CHECK((page.count == 0 || page.count == 3));
    found += page.count;
  }
  CHECK(found == 3);
}
