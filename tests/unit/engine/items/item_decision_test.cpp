// Decisions about items, without an operation: they touch nothing until they are entered, and what
// is not entered leaves no trace.
#include "engine/items/item_decision.h"

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/storage/records/item_codec.h"
#include "tests/unit/engine/harness/one_table_store.h"

using namespace stator;

namespace {

using Store = test::OneTableStore;

// "place units, …", of the table first.
std::string text_of(std::span<const Charge> charges) {
  std::string text;
  for (const Charge& charge : charges) {
    const std::string_view name = charge.index_name.empty() ? "table" : charge.index_name;
    text.append(text.empty() ? "" : ", ").append(name).append("/").append(charge.partition);
    text.append(" ").append(std::to_string(charge.units_milli / kMilliPerUnit));
  }
  return text;
}

std::size_t attributes_of(const Decision& decision) {
  return storage::EncodedItem(*record_after(decision)).attribute_count();
}

// As it is written at the store's time.
std::string record_of(Item item) {
  std::string record;
  storage::encode_item(item, record);
  return record;
}

}  // namespace

TEST_CASE("decisions: they touch nothing, and say all that entering will do", "[items]") {
  Store store;
  const Item item = store.item("1", {{"la", "x"}, {"gh", "g"}});
  const Decision decision = *store.decide(store.put(item));
  CHECK(store.is_untouched());
  CHECK_FALSE(decision.condition_failed);
  CHECK_FALSE(decision.before.exists());
  CHECK(attributes_of(decision) == 4);
  CHECK(decision.local_entries.size() == 1);
  CHECK(decision.global_entries.size() == 1);
  CHECK(decision.difference.item_count == 1);
  CHECK(text_of(decision.charges) == "table/p 1, by_la/p 1, by_gh/g 1");
  // The item and its entry in the local index.
  CHECK(decision.collection_size_bytes == 2 * decision.difference.size_bytes);

  enter(decision, store.mutation);
  CHECK(store.mutation.items().size() == 1);
  CHECK(store.mutation.records().size() == 1);  // entries of global indexes may be late
  CHECK(store.mutation.entries().size() == 1);
  CHECK(store.mutation.collections().size() == 1);
}

TEST_CASE("decisions: a moved entry is charged where it was and where it goes", "[items]") {
  Store store;
  store.store(store.put(store.item("1", {{"gh", "old"}})));
  const Decision decision = *store.decide(store.put(store.item("1", {{"gh", "new"}})));
  CHECK(text_of(decision.charges) == "table/p 1, by_gh/old 1, by_gh/new 1");
  REQUIRE(decision.global_entries.size() == 1);
  CHECK(decision.global_entries.front().erased->partition == "old");
  CHECK(decision.global_entries.front().put->partition == "new");
  CHECK(text_of((*store.decide(DeletePlan{store.item("1")})).charges) == "table/p 1, by_gh/old 1");
}

TEST_CASE("decisions: a condition that fails is an outcome with the old item and its costs",
          "[items]") {
  Store store;
  store.store(store.put(store.item("1", {{"x", std::string(1500, 'x')}})));
  for (const WritePlan& plan : std::vector<WritePlan>{
           store.put(store.item("1"), "attribute_not_exists(pk)"),
           UpdatePlan{store.item("1"), store.parse_update("REMOVE x"),
                      store.parse("attribute_not_exists(pk)")},
           DeletePlan{store.item("1"), store.parse("attribute_not_exists(pk)")},
           CheckPlan{store.item("1"), store.parse("attribute_not_exists(pk)")}}) {
    INFO(plan.index());
    const Decision decision = *store.decide(plan);
    CHECK(decision.condition_failed);
    CHECK(decision.before.exists());
    CHECK(text_of(decision.charges) == "table/p 2");
  }
  CHECK(store.is_untouched());
}

TEST_CASE("decisions: a check changes nothing when it is entered", "[items]") {
  Store store;
  store.store(store.put(store.item("1", {{"x", std::string(1500, 'x')}})));
  const Decision decision =
      *store.decide(CheckPlan{store.item("1"), store.parse("attribute_exists(x)")});
  CHECK_FALSE(decision.condition_failed);
  CHECK(text_of(decision.charges) == "table/p 2");
  enter(decision, store.mutation);
  CHECK(store.is_untouched());
  CHECK((*store.decide(CheckPlan{store.item("2"), store.parse("attribute_exists(x)")}))
            .condition_failed);
}

TEST_CASE("decisions: updates make an item, change it, or leave it missing", "[items]") {
  Store store;
  const auto update = [&](std::string_view text) {
    return *store.decide(UpdatePlan{store.item("1"), store.parse_update(text)});
  };
  CHECK_FALSE(record_after(update("REMOVE x")));
  CHECK(attributes_of(update("SET x = pk")) == 3);
  CHECK(attributes_of(*store.decide(UpdatePlan{store.item("1")})) == 2);
  store.store(store.put(store.item("1", {{"x", "y"}})));
  CHECK(attributes_of(update("REMOVE x")) == 2);
  CHECK(update("REMOVE x").before.item(store.arena).size() == 3);
  // What becomes of the item is refused by the rules for it, not by the condition.
  CHECK_FALSE(store.decide(UpdatePlan{store.item("1"), store.parse_update("SET x = nothing")}));
  CHECK_FALSE(store.decide(UpdatePlan{store.item("1"), store.parse_update("SET sk = pk")}));
}

TEST_CASE("decisions: an update opens what it touches and keeps the rest", "[items]") {
  Store store;
  // What the index holds is opened, too.
  store.table.global_indexes.front().projection = {ProjectionType::Include, {"shown"}};
  const std::map<std::string, std::string> stored = {
      {"a", "1"}, {"gh", "g"}, {"shown", "2"}, {"x", "3"}, {"y", "4"}};
  store.store(store.put(store.item("1", stored)));
  const Decision decision = *store.decide(
      UpdatePlan{store.item("1"), store.parse_update("SET x = y, z = y REMOVE nothing")});
  // The name of `a`, two lengths, its type and what it is.
  CHECK(decision.kept_bytes == 5);
  std::map<std::string, std::string> changed = stored;
  changed["x"] = changed["z"] = "4";
  const Item after = store.item("1", changed);
  CHECK(decision.record == record_of(after));
  CHECK(decision.difference.size_bytes == 2);
  CHECK(decision.global_entries.empty());  // nothing that it holds has changed

  changed["shown"] = "4";
  const Decision seen =
      *store.decide(UpdatePlan{store.item("1"), store.parse_update("SET x = y, z = y, shown = y")});
  REQUIRE(seen.global_entries.size() == 1);
  CHECK(seen.global_entries.front().record ==
        record_of(store.item("1", {{"gh", "g"}, {"shown", "4"}})));
}

TEST_CASE("decisions: the elements of a large list that an update does not name are kept",
          "[items]") {
  Store store;
  store.table.global_indexes.front().projection = {ProjectionType::Include, {"tail"}};
  std::vector<Value> elements(500, Value::string("text"));
  elements[7] = Value::string("other");
  const Item item = store.item("1", {{"gh", "g"}, {"tail", ""}});
  std::vector<Member> members(item.begin(), item.end());
  Value& tail = members.back().value;
  tail = Value::list(elements);
  store.store(store.put(members));
  const auto decide = [&](std::string_view text) {
    return *store.decide(UpdatePlan{store.item("1"), store.parse_update(text)});
  };

  const Decision same = decide("SET tail[3] = tail[400]");
  CHECK(same.kept_bytes > 2900);  // a string of four is six bytes
  CHECK(same.record == record_of(members));
  CHECK(same.global_entries.empty());

  elements[3] = elements[7];
  elements.erase(elements.begin() + 9);
  tail = Value::list(elements);
  const Decision changed = decide("SET tail[3] = tail[7] REMOVE tail[9]");
  CHECK(changed.record == record_of(members));
  REQUIRE(changed.global_entries.size() == 1);
  CHECK(changed.global_entries.front().record == record_of(members));
  CHECK(changed.difference.size_bytes == -5 + 1);  // an element less, and another a byte longer
}

TEST_CASE("decisions: of several, one is left out after it was decided", "[items]") {
  Store store;
  std::vector<Decision> decisions;
  for (const std::string_view sk : {"1", "2", "3"})
    decisions.push_back(*store.decide(store.put(store.item(sk, {{"gh", "g"}}))));
  enter(decisions[0], store.mutation);
  enter(decisions[2], store.mutation);
  std::vector<std::string> keys;
  for (const auto& change : store.mutation.items()) keys.emplace_back(change.key.sort);
  CHECK(keys == std::vector<std::string>{"1", "3"});
  CHECK(store.mutation.entries().size() == 2);
  CHECK(store.mutation.stats().size() == 2);
}

TEST_CASE("decisions: those of one request for one item collection add up", "[items]") {
  Store store;
  const auto put = [&](std::string_view sk, std::size_t bytes) {
    return store.decide(store.put(store.item(sk, {{"x", std::string(bytes, 'x')}})));
  };
  const Decision first = *put("1", 1993);  // 6 bytes of keys and 1 of the name more
  CHECK(first.collection_size_bytes == 2000);
  CHECK((*put("2", 3993)).collection_size_bytes == 4000);
  CHECK_FALSE(put("2", 3994));

  store.earlier.add(first);
  CHECK((*put("2", 1993)).collection_size_bytes == 4000);
  const auto refused = put("2", 1994);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == ErrorCode::ItemCollectionSizeLimitExceeded);
  // The decision alone does not count; only what the request goes on with does.
  CHECK((*put("2", 1993)).collection_size_bytes == 4000);
}
