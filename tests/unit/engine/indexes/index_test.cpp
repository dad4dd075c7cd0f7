#include <map>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/indexes/index_entries.h"
#include "engine/storage/records/item_codec.h"
#include "protocol/values/item_size.h"

using namespace stator;

namespace {

constexpr storage::SpaceId kLocalSpace{2};
constexpr storage::SpaceId kGlobalSpace{3};

// pk, sk; a local index by `la` with everything; a global one by `gh` and `gs` with `note`.
Table indexed_table() {
  Table table;
  table.space = storage::SpaceId{1};
  table.partition_key = {"pk", Type::S};
  table.sort_key = KeyAttribute{"sk", Type::S};
  LocalIndex local;
  local.name = "by_la";
  local.space = kLocalSpace;
  local.partition_keys = {{"pk", Type::S}};
  local.sort_keys = {{"la", Type::S}};
  table.local_indexes = {local};
  GlobalIndex global;
  global.name = "by_gh";
  global.space = kGlobalSpace;
  global.partition_keys = {{"gh", Type::S}};
  global.sort_keys = {{"gs", Type::S}};
  global.projection = {ProjectionType::Include, {"note"}};
  table.global_indexes = {global};
  return table;
}

// An item with all that a test wants to set; attributes sorted by name.
class TestItem {
 public:
  explicit TestItem(std::map<std::string, Value> attributes) : attributes_(std::move(attributes)) {
    attributes_.try_emplace("pk", Value::string("p"));
    attributes_.try_emplace("sk", Value::string("s"));
    for (const auto& [name, value] : attributes_) members_.push_back({name, value});
    storage::encode_item(members_, record_);
  }
  TestItem(const TestItem&) = delete;
  TestItem& operator=(const TestItem&) = delete;

  IndexedItem indexed() const { return {members_, item_size_bytes(members_), record_}; }

 private:
  std::map<std::string, Value> attributes_;
  std::vector<Member> members_;
  std::string record_;
};

using S = std::string;
Value text(std::string_view utf8) { return Value::string(utf8); }

// What an index holds, as its changes say: key to the names of the attributes stored.
class IndexImage {
 public:
  explicit IndexImage(storage::SpaceId space) : space_(space) {}

  void apply(const Mutation& mutation, Arena& arena) {
    for (const auto& change : mutation.records()) {
      if (change.key.space != space_) continue;
      const std::pair key(S(change.key.partition), S(change.key.sort));
      if (change.erase) {
        CHECK(entries_.erase(key) == 1);
        continue;
      }
      S names;
      for (const Member& attribute : storage::EncodedItem(change.record).decode(arena))
        names += S(attribute.name) + " ";
      entries_[key] = names;
    }
    for (const auto& change : mutation.stats()) {
      if (change.space == space_) {
        stats_.item_count += change.difference.item_count;
        stats_.size_bytes += change.difference.size_bytes;
      }
    }
  }

  const std::map<std::pair<S, S>, S>& entries() const { return entries_; }
  const SpaceStats& stats() const { return stats_; }

 private:
  storage::SpaceId space_;
  std::map<std::pair<S, S>, S> entries_;
  SpaceStats stats_;
};

// Writes one item after the other in the same place.
struct Writer {
  Table table = indexed_table();
  IndexImage local{kLocalSpace};
  IndexImage global{kGlobalSpace};
  SeededRandom random{1};
  Mutation mutation{random};
  Arena arena;

  // nullptr: no item. Returns the number of changed index records.
  std::size_t write(const TestItem* before, const TestItem* after) {
    mutation.clear();
    FixedList<Charge> charges(charges_max(table), arena);
    const IndexChanges changes = index_changes(table, {"p", "s"}, indexed(before), indexed(after),
                                               mutation.scratch(), arena, charges);
    for (const EntryChange& change : changes.local) mutation.apply_entry(change);
    for (const EntryChange& change : changes.global) mutation.apply_entry(change);
    local.apply(mutation, arena);
    global.apply(mutation, arena);
    return mutation.records().size();
  }

  static std::optional<IndexedItem> indexed(const TestItem* item) {
    return item == nullptr ? std::nullopt : std::optional(item->indexed());
  }
};

}  // namespace

TEST_CASE("index: entries come, stay, change, move and go with the item", "[index]") {
  Writer writer;
  const TestItem bare({});
  CHECK(writer.write(nullptr, &bare) == 0);

  const TestItem full({{"la", text("1")},
                       {"gh", text("g")},
                       {"gs", text("x")},
                       {"note", text("n")},
                       {"other", text("o")}});
  CHECK(writer.write(&bare, &full) == 2);
  REQUIRE(writer.local.entries().size() == 1);
  REQUIRE(writer.global.entries().size() == 1);
  CHECK(writer.local.entries().begin()->first == std::pair(S("p"), S("1\0\1s", 4)));
  CHECK(writer.local.entries().begin()->second == "gh gs la note other pk sk ");
  CHECK(writer.global.entries().begin()->first.first == "g");
  CHECK(writer.global.entries().begin()->first.second.starts_with(S("x\0\1", 3)));
  CHECK(writer.global.entries().begin()->second == "gh gs note pk sk ");
  CHECK(writer.local.stats().item_count == 1);
  CHECK(writer.local.stats().size_bytes == static_cast<std::int64_t>(full.indexed().size_bytes));
  CHECK(writer.global.stats().size_bytes == 3 + 3 + 5 + 3 + 3);

  // The same again changes nothing; an attribute that only one index stores changes that one.
  CHECK(writer.write(&full, &full) == 0);
  const TestItem other({{"la", text("1")},
                        {"gh", text("g")},
                        {"gs", text("x")},
                        {"note", text("n")},
                        {"other", text("much longer")}});
  CHECK(writer.write(&full, &other) == 1);
  CHECK(writer.local.entries().size() == 1);

  // A new key is a new place: the old record goes.
  const TestItem moved({{"la", text("2")}, {"gh", text("g")}, {"gs", text("y")}});
  CHECK(writer.write(&other, &moved) == 4);
  CHECK(writer.local.entries().size() == 1);
  CHECK(writer.local.entries().begin()->first.second == S("2\0\1s", 4));
  CHECK(writer.global.entries().size() == 1);
  CHECK(writer.global.entries().begin()->second == "gh gs pk sk ");

  // Without one of its keys the item leaves an index.
  const TestItem sparse({{"la", text("2")}, {"gh", text("g")}});
  CHECK(writer.write(&moved, &sparse) == 2);
  CHECK(writer.global.entries().empty());
  CHECK(writer.global.stats().item_count == 0);
  CHECK(writer.global.stats().size_bytes == 0);
  CHECK(writer.write(&sparse, nullptr) == 1);
  CHECK(writer.local.entries().empty());
  CHECK(writer.local.stats().size_bytes == 0);
}

TEST_CASE("index: an item whose key attribute is wrong has no entry", "[index]") {
  Writer writer;
  const S long_key(2048, 'k');
  const S too_long_key(2049, 'k');
  const S long_sort(1024, 's');
  const S too_long_sort(1025, 's');
  const auto has_entry = [&](const Value& partition, const Value& sort) {
    const TestItem item({{"gh", partition}, {"gs", sort}});
    const auto entry = index_entry(writer.table, writer.table.global_indexes.front(),
                                   item.indexed(), writer.arena);
    return entry.has_value();
  };
  CHECK(has_entry(text("g"), text("s")));
  CHECK(has_entry(text(long_key), text(long_sort)));
  CHECK_FALSE(has_entry(text(too_long_key), text("s")));
  CHECK_FALSE(has_entry(text("g"), text(too_long_sort)));
  CHECK_FALSE(has_entry(text(""), text("s")));
  CHECK_FALSE(has_entry(text("g"), text("")));
  CHECK_FALSE(has_entry(Value::boolean(true), text("s")));
  CHECK_FALSE(has_entry(text("g"), Value::binary("s")));
}

TEST_CASE("index: several sort keys share the limit", "[index]") {
  Writer writer;
  GlobalIndex& index = writer.table.global_indexes.front();
  index.sort_keys = {{"g1", Type::S}, {"g2", Type::S}};
  const S half(512, 's');
  const S more(513, 's');
  const TestItem fits({{"gh", text("g")}, {"g1", text(half)}, {"g2", text(half)}});
  const TestItem exceeds({{"gh", text("g")}, {"g1", text(half)}, {"g2", text(more)}});
  CHECK(index_entry(writer.table, index, fits.indexed(), writer.arena));
  CHECK_FALSE(index_entry(writer.table, index, exceeds.indexed(), writer.arena));
}

TEST_CASE("index: what a mutation keeps does not lie in the record replaced", "[index]") {
  Writer writer;
  S page;  // as the store's page, which the write itself overwrites
  {
    const TestItem stored({{"la", text("1")}, {"gh", text("g")}, {"gs", text("x")}});
    page = S(stored.indexed().record);
  }
  const Item before = storage::EncodedItem(page).decode(writer.arena);
  const IndexedItem old{before, item_size_bytes(before), page};
  FixedList<Charge> charges(charges_max(writer.table), writer.arena);
  const IndexChanges changes = index_changes(writer.table, {"p", "s"}, old, std::nullopt,
                                             writer.mutation.scratch(), writer.arena, charges);
  for (const EntryChange& change : changes.local) writer.mutation.apply_entry(change);
  for (const EntryChange& change : changes.global) writer.mutation.apply_entry(change);
  std::fill(page.begin(), page.end(), '?');
  REQUIRE(writer.mutation.records().size() == 2);
  CHECK(writer.mutation.records()[0].key.partition == "p");
  CHECK(writer.mutation.records()[0].key.sort == S("1\0\1s", 4));
  CHECK(writer.mutation.records()[1].key.partition == "g");
}
